import Foundation
import LoopbackLab
import Testing

@testable import PinCheckCLI

/// A run that is killed at any moment leaves the baseline whole.
@Suite(.enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"), .endsSomeTime)
struct KilledUpdateTests {
    /// Kills updates, from before the program is loaded until after it has ended, and compares the file each time.
    private static let script = #"""
        for wait in $WAITS; do
            "$PINCHECK" diff "$FILES/baseline.json" --allow names-added,renewed --update >/dev/null 2>&1 & pid=$!
            sleep "$wait"
            kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
            if cmp -s "$FILES/baseline.json" "$FILES/new.json"; then cp "$FILES/old.json" "$FILES/baseline.json"
            elif ! cmp -s "$FILES/baseline.json" "$FILES/old.json"; then echo "neither the old nor the new file"; exit 1
            fi
            # What was being written stays under its own name, and nothing else.
            rm -f "$FILES"/.baseline.json.pincheck-*
            if [ "$(ls -A "$FILES" | wc -l)" -gt 3 ]; then echo "leftovers: $(ls -A "$FILES")"; exit 1; fi
        done
        "$PINCHECK" diff "$FILES/baseline.json" --allow names-added,renewed --update >/dev/null
        cmp "$FILES/baseline.json" "$FILES/new.json" && ls -A "$FILES"
        """#

    @Test(arguments: Seeds.sample(2)) func killingAnUpdateAtAnyMomentLeavesTheOldOrTheNewBaseline(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let waits = (0..<5).map { _ in String(Double(Int.random(in: 0..<200, using: &generator)) / 1_000) }
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { files in
            // Many names make the file long enough to be caught half written.
            let many = try pki.interA.issue(pki.leaf.template.withManyNames(1_000), key: pki.leaf.key)
            let more = try pki.interA.issue(pki.leaf.template.withManyNames(1_001), key: pki.leaf.key)
            try await LoopbackServer.serving(.presenting([more, pki.interA])) { server in
                func snapshot(_ name: String) async -> ExitStatus {
                    await pincheck(
                        "snapshot", StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "-o",
                        files.path + "/" + name
                    ).status
                }
                #expect(await snapshot("new.json") == .pass)
                try server.present(TLSServerSettings(presenting: [many, pki.interA]))
                #expect(await snapshot("old.json") == .pass)
                #expect(await snapshot("baseline.json") == .pass)
                try server.present(TLSServerSettings(presenting: [more, pki.interA]))
                let delays = waits.joined(separator: " ")
                let outcome = try await BuiltBinary.run("FILES='\(files.path)'; WAITS='\(delays)'; \(Self.script)")
                #expect(outcome.output == "baseline.json\nnew.json\nold.json\n", "\(outcome.errors)")
                #expect(outcome.status == 0)
            }
        }
    }
}
