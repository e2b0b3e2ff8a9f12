import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct AtomicFileTests {
    @Test(arguments: [nil, 0o600, 0o640, 0o644, 0o664, 0o755])
    func keepsThePermissionsOrMakesAFileOfItsOwnAndNothingBeside(permissions: Int?) throws {
        let files = try TemporaryDirectory()
        if let permissions { #expect(chmod(try files.write("old, and longer", to: "a"), mode_t(permissions)) == 0) }
        try AtomicFile.write("new".bytes, to: files.path + "/a", mode: 0o600)
        #expect(try read(files, "a") == "new")
        #expect(try mode(files, "a") == permissions ?? 0o600)
        #expect(try names(files) == ["a"])
    }

    @Test func replacesWhatALinkNamesAndLeavesTheLink() throws {
        let files = try TemporaryDirectory()
        try files.write("old", to: "directory/a")
        try link(files, "first", to: "directory/second")
        try link(files, "directory/second", to: "a")
        try AtomicFile.write("new".bytes, to: files.path + "/first")
        #expect(try read(files, "directory/a") == "new")
        #expect(try names(files) == ["directory", "first"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: files.path + "/first") == "directory/second")

        try link(files, "dangling", to: files.path + "/absent")
        try AtomicFile.write("made".bytes, to: files.path + "/dangling")
        #expect(try read(files, "absent") == "made")

        try link(files, "circle", to: "circle")
        let reason = "Too many levels of symbolic links: name another file"
        #expect(failure(files.path + "/circle")?.description.hasSuffix(reason) == true)
    }

    @Test func saysWhereAndWhyNothingCouldBeWritten() throws {
        let files = try TemporaryDirectory()
        let expected: [(String, String)] = [
            ("/absent/a", "there is no directory '\(files.path)/absent': make it, or name another file"),
            ("/file/a", "Not a directory: name another"), ("/directory", "it is a directory: name a file in it"),
            ("/directory/", "it is a directory: name a file in it"),
            ("/absent/", "there is no directory '\(files.path)/absent': make it, or name another file"),
        ]
        try files.write("", to: "file")
        try files.makeDirectory("directory")
        for (name, reason) in expected {
            let error = failure(files.path + name)
            #expect(error?.kind == .inputOutput)
            #expect(error?.description.hasPrefix("cannot write '") == true)
            #expect(error?.description.hasSuffix(reason) == true, "\(name): \(error?.description ?? "nothing")")
        }
        #expect(failure("")?.kind == .inputOutput)
        #expect(failure("a\0b")?.kind == .inputOutput)
        #expect(try names(files) == ["directory", "file"])
    }

    @Test(.enabled(if: geteuid() != 0, "root writes where it likes")) func respectsPermissions() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("old", to: "a")
        #expect(chmod(path, 0o400) == 0)
        #expect(failure(path)?.description.hasSuffix("Permission denied: name another file") == true)
        #expect(try read(files, "a") == "old")
    }

    @Test func writesIntoWhatIsNoFile() throws {
        try AtomicFile.write("gone".bytes, to: "/dev/null")
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        #expect(
            failure("/dev/full")?.description == "cannot write '/dev/full': No space left on device: name another file")
    }

    @Test func doesNotWaitForTheReaderOfAPipe() throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(failure(path)?.description.hasSuffix("this pipe has no reader: start its reader first") == true)
        #expect(failure(path)?.kind == .inputOutput)
        let error = #expect(throws: Problem.self) { try OutputStream.growingFile(at: path) }
        #expect(error?.kind == .inputOutput && error?.description.hasSuffix("start its reader first") == true)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try AtomicFile.write([1], to: path)
    }

    @Test func twoRunsThatWriteOneGrowingFileLeaveWholeLines() throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/both.jsonl"
        let runs = [try OutputStream.growingFile(at: path), try OutputStream.growingFile(at: path)]
        for line in ["first\n", "second, longer\n"] { for run in runs { try run.write(line) } }
        let expected = "first\nfirst\nsecond, longer\nsecond, longer\n"
        #expect(try contents(ofFile: path) == expected)
    }

    @Test func aLinkToANameThatIsNotUTF8IsNoReasonToMakeAnotherFile() throws {
        let files = try TemporaryDirectory()
        let target: [CChar] = Array("na".utf8CString.dropLast()) + [-1, 0]
        #expect(symlink(target, files.path + "/link") == 0)
        #expect(throws: WriteFailure.self) { try AtomicFile.write([1], to: files.path + "/link") }
        let left = try FileManager.default.contentsOfDirectory(atPath: files.path)
        #expect(left == ["link"])
    }

    @Test(arguments: [("a", "./a"), ("a", "link"), ("a", "sub/../a"), ("dangling", "new")])
    func oneFileIsOneOutputHoweverItIsSpelt(one: String, other: String) throws {
        let files = try TemporaryDirectory()
        try files.write("", to: "a")
        #expect(mkdir(files.path + "/sub", 0o700) == 0)
        try link(files, "link", to: "a")
        try link(files, "dangling", to: "new")
        let error = #expect(throws: Problem.self) {
            try FormOutput<OutputForm>.read(["json=\(files.path)/\(one)", "junit=\(files.path)/\(other)"])
        }
        #expect(error?.kind == .usage)
        #expect(try FormOutput<OutputForm>.read(["json=\(files.path)/a", "junit=\(files.path)/b"]).count == 2)
    }

    @Test func takesLongNames() throws {
        let files = try TemporaryDirectory()
        let name = String(repeating: "é", count: 127)
        try AtomicFile.write("new".bytes, to: files.path + "/" + name)
        #expect(try names(files) == [name])
        #expect(
            failure(files.path + "/" + name + "éé")?.description.hasSuffix("File name too long: name another file")
                == true)
        #expect(try names(files) == [name])
    }

    @Test func atAnyMomentOneOfTheFilesIsThereWhole() async throws {
        let files = try TemporaryDirectory()
        let path = files.path + "/a"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let contents = [UInt8](repeating: UInt8(65 + number), count: 20_000 + number)
                    for _ in 0..<5 {
                        try AtomicFile.write(contents, to: path)
                        let found = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
                        let first = try #require(found.first)
                        #expect(found == [UInt8](repeating: first, count: 20_000 + Int(first) - 65))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try names(files) == ["a"])
    }

    private func failure(_ path: String) -> Problem? {
        #expect(throws: Problem.self) { try OutputFile.write("1", to: path) }
    }

    private func read(_ files: TemporaryDirectory, _ name: String) throws -> String {
        try contents(ofFile: files.path + "/" + name)
    }

    private func names(_ files: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: files.path).sorted()
    }

    private func mode(_ files: TemporaryDirectory, _ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: files.path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    private func link(_ files: TemporaryDirectory, _ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: files.path + "/" + name, withDestinationPath: target)
    }
}
