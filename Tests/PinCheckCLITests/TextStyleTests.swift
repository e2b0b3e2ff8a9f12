import LoopbackLab
import Pinning
import TLSProbe
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct TextStyleTests {
    @Test(
        arguments: [
            (TextStyle.Choice.auto, true, [:], true), (.auto, false, [:], false),
            (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
            (.auto, true, ["TERM": "dumb"], false), (.auto, true, ["TERM": "xterm"], true),
            (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true), (.never, true, [:], false),
        ] as [(TextStyle.Choice, Bool, [String: String], Bool)]) func coloursOnlyWhereItIsWanted(
            choice: TextStyle.Choice, isTerminal: Bool, environment: [String: String], isColored: Bool
        )
    {
        let style = TextStyle(choice, isTerminal: isTerminal, environment: environment)
        #expect(style.isColored == isColored)
        #expect(style.token(.pass) == (isColored ? "\u{1B}[1;32mPASS\u{1B}[0m" : "PASS"))
    }
}

@Suite(.endsSomeTime) struct ExitStatusTests {
    @Test(
        arguments: [
            ([.pass, .pass], .pass), ([.pass, .warn], .warn), ([.warn, .unreachable], .unreachable),
            ([.unreachable, .changed], .changed), ([.changed, .fail, .pass], .fail), ([.fail, .software], .software),
            ([], .noInput),
        ] as [([ExitStatus], ExitStatus)]) func theWorstCountsAndNothingIsNeverAPass(
            statuses: [ExitStatus], worst: ExitStatus
        )
    {
        #expect(ExitStatus.worst(statuses) == worst)
        #expect(ExitStatus.worst(statuses.reversed()) == worst)
    }
}

@Suite(.endsSomeTime) struct VerboseTests {
    /// What a check writes to standard error, in a network in which the server has the name and the address given here.
    private func said(by arguments: String..., port: UInt16) async -> [String] {
        let errors = OutputBuffer()
        var context = Context.lab(errors: errors.stream())
        let address = IPAddress("203.0.113.7")!
        context.network = StagedNetwork(
            names: [host: [address]], ports: [PeerAddress(ip: address, port: 443): port],
            loopback: IPAddress("127.0.0.1")!)
        _ = await PinCheck.run(arguments, in: context)
        return errors.text.split(separator: "\n").map(String.init)
    }

    @Test func everyRoundIsTold() async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            let lines = await said(by: host, "--verbose", "--key-types", "rsa,ecdsa", port: server.port)
            for type in ["rsa", "ecdsa"] {
                #expect(
                    lines.contains { $0.contains("connecting") && $0.contains("\(type) certificates alone") },
                    "\(lines)")
            }
        }
        let lines = await said(by: "127.0.0.1:1", "--verbose", "--retries", "2", "--timeout", "300", port: 1)
        for count in 1...2 { #expect(lines.contains("* 127.0.0.1:1: trying again (\(count) of 2)"), "\(lines)") }
        #expect(lines.count { $0.contains("connecting") } == 3)
    }
}
