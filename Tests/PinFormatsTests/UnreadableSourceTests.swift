import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite(.timeLimit(.minutes(5))) struct UnreadableSourceTests {
    @Test func aPipeIntoWhichNobodyWritesIsNotWaitedForForEver() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pins.pem"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try failure(path).description == "\(path): is a pipe without a writer")
        // In a directory its name promises a pin.
        let error = try failure(directory.path)
        #expect(error.id == .notARegularFile)
        #expect(error.kind == .noInput)
        #expect(
            error.description
                == "\(path): is a pipe, a socket or a device and not a file; save what it gives to a file first")
        try #require(rename(path, directory.path + "/pipe") == 0)
        #expect(try failure(directory.path).id == .noPinsInDirectory)
    }

    @Test func aPipeThatTheUserNamesIsRead() throws {
        // What a shell makes of <(…).
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = "sha256/\(first.base64)\n"
        try #require(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        #expect(try hashes("/dev/fd/\(ends[0])") == [first])
    }

    @Test(arguments: ["/dev/zero", "/dev/null", "/dev/tty"]) func aDeviceIsRefused(path: String) throws {
        #expect(try failure(path).id == .notARegularFile)
    }

    @Test func aLinkToItselfCannotBeRead() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/loop.pem"
        try #require(symlink(path, path) == 0)
        let error = try failure(path)
        #expect(error.id == .unreadable)
        #expect(error.kind == .noInput)
        #expect(error.description.hasPrefix("\(path): cannot be read: "))
        #expect(try failure(directory.path).kind == .noInput)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything")) func aFileWithoutPermissionCannotBeRead() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("sha256/", to: "pins.txt")
        try #require(chmod(path, 0) == 0)
        #expect(try failure(path).id == .unreadable)
        #expect(try failure(directory.path).id == .unreadable)
    }
}
