import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct PinDirectoryTests {
    private static let a = Samples.a

    @Test func everyPinFileCountsInTheOrderOfTheNames() throws {
        let files = try TemporaryDirectory()
        try files.write(root.der, to: "b.cer")
        try files.write(leaf.der, to: "a.cer")
        try files.write("sha256/\(Self.a)\n", to: "c.txt")
        try files.write(leaf.key.publicKeyPEM, to: "d")
        try files.write("not looked at".bytes, to: ".hidden.cer")
        let reading = try PinSource(files.path).read()
        #expect(reading.pins.map(\.certificate?.der) == [leaf.der, root.der, nil, nil])
        #expect(reading.pins.map(\.origin) == ["/a.cer", "/b.cer", "/c.txt:1", "/d:1"].map { files.path + $0 })
        #expect(reading.notes.isEmpty)
        #expect(try PinSource(files.path + "/").read().pins == reading.pins)
    }

    @Test func certificatesAFNetworkingWouldNotLoadAreNamedAndCount() throws {
        let files = try TemporaryDirectory()
        try files.write(root.der, to: "a.cer")
        try files.write(leaf.der, to: "b.crt")
        try files.write(leaf.pem, to: "c.pem")
        try files.write(leaf.der, to: "d.der")
        try files.write(leaf.der, to: "e.CER")
        let reading = try PinSource(files.path).read()
        #expect(reading.pins.count == 5)
        #expect(reading.notes.map(\.kind) == [.notLoadedByAFNetworking])
        #expect(
            reading.notes.first?.description
                == "\(files.path): AFNetworking loads only DER files named .cer from a bundle, "
                + "not 'b.crt', 'c.pem', 'd.der', 'e.CER'")
    }

    @Test func filesThatPromiseNothingAndHoldNothingAreNamed() throws {
        let files = try TemporaryDirectory()
        try files.write(leaf.der, to: "leaf.cer")
        try files.write("Example: sha256/\(Self.a)\n", to: "README")
        try files.write("sha256/\(Self.a) is an example", to: "notes.md")
        try files.write("Nothing of interest.", to: "prose.txt")
        try files.write([0x89, 0x50, 0x4E, 0x47, 0], to: "icon.png")
        try files.makeDirectory("old")
        let reading = try PinSource(files.path).read()
        #expect(reading.pins.count == 1)
        #expect(reading.notes.map(\.kind) == Array(repeating: .notAPinFile, count: 4))
        #expect(
            reading.notes.map { $0.description.dropFirst(files.path.count + 1) } == [
                "icon.png: binary data that is neither a certificate nor a public key",
                "notes.md: documentation, which was not looked into", "old: a subdirectory, which was not looked into",
                "prose.txt: holds no pin",
            ])
    }

    @Test(arguments: ["broken.cer", "broken.crt", "broken.der", "broken.pem", "broken.PUB", "broken.key"])
    func aFileNamedAsPinsAreHasToBeOne(name: String) throws {
        for bytes in [[], "hello".bytes, [0, 1, 2], Array(leaf.der.dropLast())] {
            let files = try TemporaryDirectory()
            try files.write(root.der, to: "a.cer")
            let path = try files.write(bytes, to: name)
            let error = try failure(files.path)
            #expect(error.kind == .data)
            #expect(error.place == .file(path))
        }
    }

    /// What cannot be read is an error where it speaks of pins, and a note where it is something else.
    @Test(
        arguments: [
            ("native.json", "{\"a.b\": {\"publicKeyHashes\": [\"\(a)\"]}".bytes, .brokenDocument),
            ("n.xml", [0xFF, 0xFE] + Samples.android.utf8.flatMap { [$0, 0] }, .textEncoding),
            ("pins.txt", "sha256/\(a) # ".bytes + [0xE9], .textEncoding), ("notes.txt", "caf".bytes + [0xE9], nil),
            ("a.json", "{\"a\": ".bytes, nil), ("tool", [0] + "sha256".bytes, nil),
            ("package.json", "{\"files\": [], \"hash\": \"sha256\"}".bytes, nil),
        ] as [(String, [UInt8], FindingID?)]) func aConfigurationThatIsDamagedIsAnError(
            name: String, bytes: [UInt8], problem: FindingID?
        ) throws
    {
        let files = try TemporaryDirectory()
        try files.write(leaf.der, to: "leaf.cer")
        try files.write(bytes, to: name)
        let inspection = PinSource(files.path).inspect()
        #expect(inspection.problems.map(\.id) == (problem.map { [$0] } ?? []))
        #expect(inspection.notes.map(\.kind) == (problem == nil ? [.notAPinFile] : []))
    }

    /// What is in a project: by which finding `lint` tells it at any depth, and whether a directory with it can be given to a check.
    @Test(arguments: [
        ("Net.kt", "val p = CertificatePinner.Builder().add(HOST, BuildConfig.PIN).build()", "pinsNotRead:1"),
        ("Net.swift", "\nlet pin = \"sha256/\(a)\"", "pinsNotRead:2"),
        ("build.gradle", "buildConfigField 'sha256/\(a)'", "pinsNotRead:1"),
        (".env", "PIN=sha256/\(a)", "pinsNotRead:1"), ("api.properties", "pin=sha256/\(a)", "pinsNotRead:1"),
        ("strings.xml", "<resources>\n<string>sha256/\(a)</string></resources>", "pinsNotRead:2"),
        ("AppDelegate.m", "[AFSecurityPolicy policyWithPinningMode:AFSSLPinningModePublicKey]", "pinsNotRead:1"),
        ("search.json", "{\"text\": \"TSKPinnedDomains is a key\"}", ""),
        ("other.json", "{\"x\": [{\"TSKPublicKeyHashes\": 1}]}", "pinsNotRead:1"), ("README.md", "sha256/\(a)", ""),
        ("pins.json", "{\"TSKPinnedDomains\": [{\"h\": \"x\"}]}", "pinsNotRead:1"),
        (
            "Net.kt",
            "val h = \"a.b\"\nval u = \"https://\" + h\nval p = CertificatePinner.Builder().add(h, \"sha256/\(a)\").build()",
            ""
        ),
        (
            "Net.kt",
            "val h = \"a.b\"\nval p = CertificatePinner.Builder().add(h, \"sha256/\(a)\").build()\nval x = h == y",
            "pinsNotRead:3"
        ),
    ]) func aProjectTellsWhatIsNotReadOfIt(name: String, text: String, found: String) throws {
        for depth in [0, 4] {
            let files = try TemporaryDirectory()
            try files.write(leaf.der, to: "leaf.cer")
            try files.write(text, to: (0..<depth).map { "d\($0)/" }.joined() + name)
            let readings = PinSource(files.path).inspectAll()
            let unread = readings.flatMap(\.unread).map {
                "\($0.problem.id.map { "\($0)" } ?? ""):\($0.problem.place?.line ?? 0)"
            }
            #expect(
                unread == (found.isEmpty ? [] : [found]) && readings.flatMap(\.problems).isEmpty,
                "\(readings.flatMap(\.problems))")
            let hashes = readings.flatMap(\.unread).flatMap(\.pins).map(\.spkiSHA256.base64)
            #expect(hashes.allSatisfy { $0 == Self.a } && (hashes.isEmpty || text.contains(Self.a)))
            if name == "search.json" { #expect(readings.flatMap(\.notes).contains { $0.kind == .notAPinFile }) }
            if depth == 0, !found.isEmpty { #expect(try failure(files.path).kind == .data) }
        }
    }

    @Test func theConfigurationsOfAnAppsResourcesAreRead() throws {
        let files = try TemporaryDirectory()
        try files.write(Samples.android, to: "res/xml/n.xml")
        for path in ["/res", "/res/", "/res/xml"] {
            #expect(try PinSource(files.path + path).read().configurations.map(\.kind) == [.android])
        }
        // The texts of the app are looked through next to the configuration, without a manifest and with one.
        func unread(_ path: String) -> [Int] { PinSource(files.path + path).inspectAll().map(\.unread.count) }
        try files.write("<string>sha256/\(Self.a)</string>", to: "res/values/strings.xml")
        #expect(unread("/res") == [0, 1] && unread("") == [0, 1])
        try files.write("<manifest/>", to: "AndroidManifest.xml")
        #expect(unread("") == [1])
        let manifest = "<manifest><application android:networkSecurityConfig=\"@xml/n\"/></manifest>"
        try files.write(manifest, to: "AndroidManifest.xml")
        // Of a module, a check reads only what the manifest names, and says so.
        try files.makeDirectory("java")
        let note = try PinSource(files.path).read().notes.last?.description
        #expect(note == "\(files.path)/java: a subdirectory, which was not looked into")
        try files.write("<network-security-config/>", to: "res/xml-v31/n.xml")
        for path in ["/res", "/res/xml", "/res/xml/n.xml", "/res/xml-v31/n.xml", "/AndroidManifest.xml"] {
            #expect(try failure(files.path + path).id == .duplicate)
        }
    }

    @Test func aDirectoryWithoutPinsIsMissingInput() throws {
        let files = try TemporaryDirectory()
        let empty = try failure(files.path)
        #expect(empty.id == .noPinsInDirectory)
        #expect(empty.kind == .noInput)
        #expect(
            empty.description == "\(files.path): no file in this directory holds a pin; "
                + "name the directory or file that does; hidden files are not searched")
        try files.write("sha256/\(Self.a)", to: "README.md")
        #expect(try failure(files.path).id == .noPinsInDirectory)
    }
}
