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
            (files.path + "/" + String(repeating: "a", count: 300), ENAMETOOLONG), (file + "/a", ENOTDIR),
        ] {
            #expect(throws: ReadFailure.absent(code)) {
                try BoundedFile.bytes(at: path, limit: 1, accepting: .anything)
            }
        }
        #expect(throws: ReadFailure.absent(ENOTDIR)) { try DirectoryListing.names(in: file) { _ in true } }
    }

    @Test func onlyWhatIsAcceptedIsOpened() throws {
        let files = try TemporaryDirectory()
        let pipe = files.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: ReadFailure.wrongKind(.pipe)) { try BoundedFile.bytes(at: pipe, limit: 1) }
        // Opened, it is given up without a writer.
        for accepted in [BoundedFile.Accepted.regularFilesAndPipes, .anything] {
            #expect(throws: ReadFailure.withoutWriter) {
                try BoundedFile.bytes(at: pipe, limit: 1, accepting: accepted)
            }
        }
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
        #expect(try BoundedFile.bytes(at: path, limit: 3, accepting: .regularFilesAndPipes) == "abc".bytes)
    }

    @Test func namesAreListedInTheOrderOfTheirBytesWhateverTheyAre() throws {
        let files = try TemporaryDirectory()
        try files.write("1", to: "b")
        try files.write("2", to: ".a")
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
        #expect(names == [".a", "b", "c\u{FFFD}"])
    }
}

@Suite struct JSONReaderTests {
    @Test(arguments: ["\n", "\r", "\r\n"]) func aCommentEndsWithItsLine(end: String) throws {
        #expect(try JSONReader.tree(of: "{a: 1, // b: 3\(end)b: 2}".bytes)["b"]?.number == "2")
    }

    /// No reader may take the letter for its character.
    @Test(arguments: ["x2e", "0", "v"]) func anEscapeOfJSON5AloneIsRefused(escape: String) {
        #expect(throws: JSONReader.Failure.self) { try JSONReader.tree(of: "['a\\\(escape)']".bytes) }
    }
}
