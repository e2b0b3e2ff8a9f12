import LoopbackLab
import Testing

@testable import Base

/// Whatever stands at a path, reading it ends, and is bounded.
@Suite(.timeLimit(.minutes(5))) struct BoundedFileTests {
    @Test func aFileOfTheLimitIsReadAndALargerOneIsNot() throws {
        let files = try TemporaryDirectory()
        let path = try files.write([UInt8](repeating: 7, count: 300_000), to: "file")
        #expect(try BoundedFile.bytes(at: path, limit: 300_000) == [UInt8](repeating: 7, count: 300_000))
        #expect(throws: ReadFailure.tooLarge(limit: 299_999)) { try BoundedFile.bytes(at: path, limit: 299_999) }
    }

    @Test func aFileWithoutASizeIsReadToItsEnd() throws {
        // The files of /proc have the size 0.
        guard FileKind(at: "/proc/self/stat") == .regular else { return }
        #expect(try BoundedFile.bytes(at: "/proc/self/stat", limit: 1 << 16).isEmpty == false)
        #expect(throws: ReadFailure.tooLarge(limit: 3)) { try BoundedFile.bytes(at: "/proc/self/stat", limit: 3) }
    }

    @Test(arguments: ["", "a\0b"]) func aPathThatNamesNothingIsNotOpened(path: String) {
        #expect(throws: ReadFailure.unnamed) { try BoundedFile.bytes(at: path, limit: 1, accepting: .anything) }
        #expect(FileKind(at: path) == .absent)
        #expect(throws: ReadFailure.unnamed) { try DirectoryListing.names(in: path) { _ in true } }
    }

    @Test func whatIsNotThereIsAbsent() throws {
        let files = try TemporaryDirectory()
        let file = try files.write("", to: "file")
        for (path, code) in [
            ("\(files.path)/none", ENOENT), ("\(files.path)/none/file", ENOENT),
            (files.path + "/" + String(repeating: "a", count: 300), ENAMETOOLONG),
        ] {
            #expect(throws: ReadFailure.absent(code)) {
                try BoundedFile.bytes(at: path, limit: 1, accepting: .anything)
            }
        }
        #expect(throws: ReadFailure.absent(ENOTDIR)) {
            try BoundedFile.bytes(at: file + "/a", limit: 1, accepting: .anything)
        }
        #expect(throws: ReadFailure.absent(ENOTDIR)) { try DirectoryListing.names(in: file) { _ in true } }
    }

    @Test func onlyWhatIsAcceptedIsOpened() throws {
        let files = try TemporaryDirectory()
        let pipe = files.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: ReadFailure.wrongKind(.pipe)) { try BoundedFile.bytes(at: pipe, limit: 1) }
        #expect(throws: ReadFailure.wrongKind(.directory)) { try BoundedFile.bytes(at: files.path, limit: 1) }
        #expect(throws: ReadFailure.wrongKind(.special)) {
            try BoundedFile.bytes(at: "/dev/zero", limit: 1, accepting: .regularFilesAndPipes)
        }
        #expect(throws: ReadFailure.system(EISDIR)) {
            try BoundedFile.bytes(at: files.path, limit: 1, accepting: .anything)
        }
        #expect(throws: ReadFailure.tooLarge(limit: 1_000)) {
            try BoundedFile.bytes(at: "/dev/zero", limit: 1_000, accepting: .anything)
        }
    }

    @Test func aPipeWithoutAWriterIsGivenUp() throws {
        let files = try TemporaryDirectory()
        let pipe = files.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for accepted in [BoundedFile.Accepted.regularFilesAndPipes, .anything] {
            #expect(throws: ReadFailure.withoutWriter) {
                try BoundedFile.bytes(at: pipe, limit: 1, accepting: accepted)
            }
        }
    }

    @Test func aDeviceThatGivesNothingIsGivenUp() throws {
        // The side of a terminal that nobody has the other side of.
        guard FileKind(at: "/dev/ptmx") == .special else { return }
        #expect(throws: ReadFailure.silent) { try BoundedFile.bytes(at: "/dev/ptmx", limit: 1, accepting: .anything) }
    }

    @Test func aPipeIsReadToItsEnd() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        try #require(write(ends[1], "abc", 3) == 3)
        close(ends[1])
        let path = "/dev/fd/\(ends[0])"
        #expect(try BoundedFile.bytes(at: path, limit: 3, accepting: .regularFilesAndPipes) == Array("abc".utf8))
    }

    @Test func namesAreListedInTheOrderOfTheirBytesWhateverTheyAre() throws {
        let files = try TemporaryDirectory()
        _ = try files.write("1", to: "b")
        _ = try files.write("2", to: ".a")
        _ = try files.makeDirectory("directory")
        let odd: [CChar] = [0x63, -1, 0]
        let directory = open(files.path, O_RDONLY | O_DIRECTORY)
        try #require(directory >= 0)
        defer { close(directory) }
        let descriptor = openat(directory, odd, O_WRONLY | O_CREAT, 0o600)
        // Some file systems have no names that are not UTF-8.
        guard descriptor >= 0 else { return }
        try #require(write(descriptor, "3", 1) == 1)
        close(descriptor)
        let names = try DirectoryListing.names(in: files.path) { $0.regularFile != nil }
        #expect(names == [[0x2E, 0x61, 0], [0x62, 0], odd])
        #expect(names.map(String.init(fileName:)) == [".a", "b", "c\u{FFFD}"])
        let contents = try names.map { try BoundedFile.bytes(named: $0, inDirectory: files.path, limit: 9) }
        #expect(contents == [[0x32], [0x31], [0x33]])
        let shown = try DirectoryListing.names(in: files.path) { !$0.isHidden }.map(String.init(fileName:))
        #expect(shown == ["b", "c\u{FFFD}", "directory"])
    }

    @Test func aVisitEndsWhenItHasSeenEnough() throws {
        let files = try TemporaryDirectory()
        for name in ["a", "b", "c"] { _ = try files.write("", to: name) }
        var count = 0
        try DirectoryListing.visit(files.path) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }
}

@Suite struct JSONReaderTests {
    private func read(_ bytes: [UInt8], mostValues: Int = 1_000) -> String {
        do throws(JSONReader.Failure) { return shown(try JSONReader.tree(of: bytes, mostValues: mostValues)) } catch {
            return "line \(error.line): \(error.reason)"
        }
    }

    private func shown(_ tree: DocumentTree) -> String {
        switch tree.content {
        case .dictionary(let members): "{\(members.map { "\($0.key):\(shown($0.value))" }.joined(separator: ","))}"
        case .array(let elements): "[\(elements.map(shown).joined(separator: ","))]"
        case .text(let text): "'\(text)'"
        case .number(let digits): digits
        case .flag(let flag): "\(flag)"
        case .null: "null"
        case .date, .other: "?"
        }
    }

    @Test(arguments: [
        (#"{"b": [1, -2.5e3, true, false, null], "a": "x"}"#, "{b:[1,-2.5e3,true,false,null],a:'x'}"),
        ("\u{FEFF} [] \n", "[]"), (#""\u00e9\n\/\"\ud83d\udd12é""#, "'é\n/\"🔒é'"),
        ("{/* one */ a: 'b', // two\n $c: [1,],}", "{a:'b',$c:[1]}"),
        ("[99999999999999999999999, 1e999]", "[99999999999999999999999,1e999]"),
    ]) func documentsAreRead(text: String, expected: String) { #expect(read(Array(text.utf8)) == expected) }

    @Test(arguments: [
        ("", "line 1: is not JSON: it ends too early"), ("{\"a\":\n1", "line 2: is not JSON: a ',' is missing"),
        ("[1", "line 1: is not JSON: a ',' is missing"), ("[1,", "line 1: is not JSON: an array is not closed"),
        ("{\"a", "line 1: is not JSON: a quotation mark is not closed"),
        ("{\"a\"", "line 1: is not JSON: a ':' is missing"), ("/* [1]", "line 1: is not JSON: a comment is not closed"),
        ("[1]\n[2]", "line 2: is not JSON: goes on after its end"),
        ("{}x", "line 1: is not JSON: goes on after its end"), ("{}\0x", "line 1: is not JSON: goes on after its end"),
        ("\u{FEFF}\u{FEFF}{}", "line 1: is not JSON: a value"), ("[tru]", "line 1: is not JSON: a value is missing"),
        ("[,]", "line 1: is not JSON: a value is missing"), ("[1 2]", "line 1: is not JSON: a ',' is missing"),
        ("{,}", "line 1: is not JSON: a key is missing"),
        (#"["\ud83d"]"#, "line 1: is not JSON: '\\u' is followed by half"),
        (#"["\udd12\ud83d"]"#, "line 1: is not JSON: '\\u' is followed by half"),
        (#"["\ud83d\u0041"]"#, "line 1: is not JSON: '\\u' is followed by half"),
        (#"["\u12"]"#, "line 1: is not JSON: '\\u' is not followed by four"),
        (#"["\u-001"]"#, "line 1: is not JSON: '\\u' is not followed by four"),
        ("{\"a\": 1,\n\"\\u0061\": 2}", "line 2: the key 'a' is given twice"),
        (String(repeating: "[", count: 10_000), "line 1: has more than 40 levels"),
        (String(repeating: "{\"a\":", count: 10_000), "line 1: has more than 40 levels"),
        ("[" + String(repeating: "1,", count: 1_000) + "]", "line 1: has more than 1000 values"),
    ]) func whatIsNoDocumentIsRefusedWithItsLine(text: String, expected: String) {
        let result = read(Array(text.utf8))
        #expect(result.hasPrefix(expected), "\(result)")
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x7B, 0xFF, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]]) func textThatIsNotUTF8IsRefused(bytes: [UInt8])
    { #expect(read(bytes) == "line 1: is not JSON: a text is not UTF-8") }
}

@Suite struct KeyMaterialTests {
    /// Lines of base64 as a key's have, 64 characters each and 44 at last.
    private static func lines(_ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return (0..<26).map { index in
            String((0..<(index == 25 ? 44 : 64)).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func ofLinesOfAKeyTheBeginningIsShown(seed: UInt64) {
        for line in Self.lines(seed) { #expect(KeyMaterial.cut("x \(line) y") == "x \(line.prefix(8))… y") }
    }

    @Test(arguments: [
        // Lines of keys as OpenSSL writes them: EC in PKCS #8 and SEC 1, RSA, Ed25519, and short last ones.
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAbCdEfGhIjKlMnOp",
        "MHcCAQEEIKq3bGx1VZ8n0mYtRcDfEwQjHk7LpU5oXv2SaBz9iTg4oAoGCCqGSM49",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        "MC4CAQAwBQYDK2VwBCIEIDx9bT0kRz8cV5nQe3wYpLmFhA2sU7gJ1oKiBtXyZvHd", "robIgS3f/nnTb6gr75Yh+JkU",
        "m5YWQRja5m1TRzj9Rg7HDSVkD2XdXcTtjQ==", "q83bGx1VZ8n0mYtRcDfEwQ==",
        // As `xxd -p` writes them, and one of `openssl pkey -text`.
        "302e020100300506032b657004220420f4a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f",
        "5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F9A1B2C3", "5c:38:5a:90:1b:2c:3d:4e:5f:60:71:82:93:a4:b5:",
    ]) func noMoreIsShownOfALineThanItsBeginning(line: String) {
        #expect(quoted(line) == "'\(line.prefix(8))…'")
        #expect(shortened("a \(line) b") == "a \(line.prefix(8))… b")
        #expect(shortened(line, isPublic: true) == line)
    }

    @Test(arguments: [
        "api.example.com", "Pins2024/Production-V2", "TSKPublicKeyHashes", "--no-validate-domain-name",
        "a-rather-long-name-of-a-host-in-some-cluster-of-somebody.example.com",
        "/Users/Somebody/Documents/Projects/Application/Certificates/Production", "xn--r8jz45g.xn--zckzah",
        "CertificatesOfTheServersThatWeTalkToEveryDay", "res/xml/network_security_config.xml",
        "/nix/store/7b3j5p8yq1sdhr0n5c6x2m9w4kfzvla1-openssl/etc", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff",
        "20:01:0d:b8:aa:bb:cc:dd", "2026-11-24T08:00:00Z", "",
    ]) func namesAndPathsAreShown(text: String) { #expect(KeyMaterial.cut(text) == text) }

    @Test func armourIsFoundInAnyCaseAndOnOneLine() {
        #expect(KeyMaterial.isArmoured("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n"))
        #expect(KeyMaterial.isArmoured("-----begin ec private  key-----mhccaqeeikq3bgx1vz8n0myt"))
        #expect(!KeyMaterial.isArmoured("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"))
    }
}
