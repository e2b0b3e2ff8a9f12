import Foundation
import LoopbackLab
import Testing

@testable import PinCheckCLI

/// A run that is killed at any moment leaves the baseline whole.
@Suite(.enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"))
struct KilledUpdateTests {
    @Test func killingAnUpdateAtAnyMomentLeavesTheOldOrTheNewBaseline() async throws {
        let pki = try StandardPKI.shared()
        let kills = 50
        try await TemporaryDirectory.scoped { files in
            // Thousands of names make the file long enough to be caught half written.
            let many = try pki.interA.issue(pki.leaf.template.withManyNames(4_000), key: pki.leaf.key)
            let more = try pki.interA.issue(pki.leaf.template.withManyNames(4_001), key: pki.leaf.key)
            try await LoopbackServer.serving(.presenting([many, pki.interA])) { server in
                let baseline = files.path + "/baseline.json"
                let context = [
                    "snapshot", StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "-o", baseline,
                ]
                #expect(await pincheck(context).status == .pass)
                let old = try contents(baseline)
                try server.present(TLSServerSettings(presenting: [more, pki.interA]))
                let script = """
                    "$PINCHECK" diff '\(baseline)' --allow renewed,names-added,names-removed --update >/dev/null 2>&1 & pid=$!
                    sleep $1; kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; exit 0
                    """
                var seen: Set<Data> = [old]
                for number in 0..<kills {
                    // From before the program is loaded until after it has ended.
                    let delay = String(format: "%.4f", 0.2 * Double(number) / Double(kills))
                    _ = try await BuiltBinary.run("set -- \(delay); \(script)")
                    let now = try contents(baseline)
                    seen.insert(now)
                    #expect(throws: Never.self) {
                        try SnapshotFile.snapshot(in: Array(now), name: "the baseline after \(delay) s")
                    }
                    let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
                    #expect(names.count <= 2, "\(names)")
                }
                #expect(seen.count <= 2)
                // What the last killed run may have left is gone after one that was not.
                _ = await pincheck("diff", baseline, "--allow", "renewed,names-added", "--update")
                try AtomicFile.write(Array(old), to: baseline)
                #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == ["baseline.json"])
            }
        }
    }

    private func contents(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path))
    }
}
