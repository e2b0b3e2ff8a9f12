import LoopbackLab
import Testing

@testable import PinCheckCLI

/// Numbers, words and lists that no run writes: refused or shown, never the end of the program, and nothing that a terminal or a
/// build service would act on.
@Suite(.endsSomeTime) struct DamagedResultTests {
    private static let others = [
        "-1", "9223372036854775807", "-9223372036854775808", "1e308", "0.5", "[]", "{}", "null", "true", "\"\"",
        #""x\n::evil::\u001b[31m\u202e""#, "\"\(String(repeating: "a", count: 3_000))\"", "18446744073709551616",
    ]

    private func expectShownOrRefused(
        _ text: String, rounds: Int, in files: TemporaryDirectory, using random: inout SeededGenerator
    ) async throws {
        let values = text.matches(of: #/:(-?[0-9][0-9.]*|"(?:[^"\\]|\\.)*"|true|false|null|\[\])/#).map(\.range)
        for _ in 0..<rounds {
            var changed = text
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                guard let range = values.randomElement(using: &random),
                    let other = Self.others.randomElement(using: &random), range.upperBound <= changed.endIndex
                else { continue }
                changed.replaceSubrange(range, with: ":" + other)
            }
            let path = try files.write(changed, to: "a.jsonl")
            for form in OutputForm.allCases.map(\.rawValue) where Bool.random(using: &random) {
                let outcome = await pincheck("merge", path, "-f", form, "--explain")
                #expect(
                    [.pass, .data, .fail, .unreachable, .warn, .noInput, .changed].contains(outcome.status),
                    "\(outcome)")
                let lines = (outcome.output + outcome.errors).split(separator: "\n")
                let acting = lines.filter { !isPlain(String($0)) || $0.hasPrefix("::evil") }
                #expect(acting.isEmpty, "\(form)")
            }
        }
    }

    @Test(arguments: Seeds.sample(3)) func resultsOfSeveralConnections(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await MergeLab.scoped { lab in
            let text = try MergeLab.lines(MergeLab.Item(1, .pass, connections: 2), of: 1).joined()
            try await expectShownOrRefused(text, rounds: 12, in: lab.files, using: &random)
        }
    }

    @Test(arguments: Seeds.sample(3)) func resultsThatSayAllThereIs(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let pki = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
            $0.application = .answers(Array("HTTP/1.1 200 fine\r\n\r\n".utf8))
        }
        try await TemporaryDirectory.scoped { files in
            try await LoopbackServer.serving(.tls(settings)) { server in
                let name = StandardPKI.serverName
                let target = [name, "--connect", "127.0.0.1:\(server.port)"]
                let snapshot = files.path + "/snapshot.json"
                #expect(await pincheck(["snapshot"] + target + ["-o", snapshot]).status == .pass)
                let changed = try contents(ofFile: snapshot).replacing("EC P-256", with: "RSA 2048")
                let configuration = """
                    <network-security-config><domain-config><domain>\(name)</domain>
                    <pin-set><pin digest="SHA-256">\(pki.leaf.pin.dropFirst(7))</pin></pin-set>
                    </domain-config></network-security-config>
                    """
                let run = await pincheck(
                    target + [
                        "--anchors", try files.write(pki.rootA.pem, to: "anchors.pem"), "--baseline",
                        try files.write(changed, to: "changed.json"), "--next",
                        try files.write(pki.interA.pem, to: "next.pem"), "--pins", pki.interA.pin, "--pins",
                        try files.write(configuration, to: "network_security_config.xml"), "--client", "all",
                        "--device", "ios-12,android-9", "--request", "/", "--extra-root",
                        try files.write(pki.rootB.pem, to: "b.pem"), "--explain", "--format", "jsonl",
                    ])
                #expect(run.output.hasPrefix("{") && run.errors.isEmpty, "\(run)")
                try await expectShownOrRefused(run.output, rounds: 6, in: files, using: &random)
            }
        }
    }
}
