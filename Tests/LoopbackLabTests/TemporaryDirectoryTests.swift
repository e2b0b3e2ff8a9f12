import Foundation
import LoopbackLab
import Testing

struct TemporaryDirectoryTests {
    private struct Interruption: Error {}

    @Test func isGoneAfterTheScopeWithAllThatWasInIt() throws {
        let path = try TemporaryDirectory.scoped { directory in
            let inner = try directory.makeDirectory("inner")
            try directory.write("text", to: "inner/file.txt")
            try FileManager.default.createSymbolicLink(atPath: inner + "/link", withDestinationPath: "/tmp")
            let file = try directory.write([1, 2, 3], to: "file.bin")
            #expect(FileManager.default.contents(atPath: file) == Data([1, 2, 3]))
            return directory.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(FileManager.default.fileExists(atPath: "/tmp"))
    }

    @Test func isGoneAfterAnError() async throws {
        var path = ""
        await #expect(throws: Interruption.self) {
            try await TemporaryDirectory.scoped { directory in
                path = directory.path
                await Task.yield()
                throw Interruption()
            }
        }
        #expect(path.contains("pincheck-lab-"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func filesAreForTheirOwnerOnly() throws {
        try TemporaryDirectory.scoped { directory in
            let file = try directory.write("secret", to: "key.pem")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}
