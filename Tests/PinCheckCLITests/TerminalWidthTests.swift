import Base
import Foundation
import LoopbackLab
import TLSProbe
import Testing

@testable import PinCheckCLI
@testable import PinChecking

@Suite(.timeLimit(.minutes(5))) struct TerminalWidthTests {
    private static let host = "api.mobile-backend.example.com"
    private static let widths = [80, 100, 120]

    private static let root = try! LabCertificate.selfSigned(.authority(name("Example Global Root Authority G2")))
    private static let issuer = try! root.issue(.authority(name("Example Global G2 TLS RSA SHA256 2020 CA1")))
    private static let leaf = try! issuer.issue(.leaf(host))
    private static let stale = try! issuer.issue(.leaf(host))
    private static let chinese = try! issuer.issue(
        .leaf(subject: DistinguishedName([.init(.organization, "北京某某移动互联网科技有限公司".bytes)]), names: [GeneralName(host)]))
    private static let strangers = (0..<12).map { _ in try! issuer.issue(.leaf("stranger.example")).pin }
    private static let pins = (strangers.prefix(6) + [leaf.pin] + strangers.suffix(6)).map { " --pins \($0)" }.joined()

    private static func name(_ common: String) -> DistinguishedName {
        DistinguishedName(commonName: common, organization: "Example Trust Services LLC")
    }

    /// A desk with chains whose names are as long as those of public authorities, and one of a company in Beijing.
    private func open(port: UInt16? = nil) throws -> Desk {
        let texts = [
            "long.pem": Self.leaf.pem + Self.issuer.pem, "chinese.pem": Self.chinese.pem + Self.issuer.pem,
            "anchors.pem": Self.root.pem, "stale.pem": Self.stale.pem,
        ]
        let desk = try Desk(texts, port: port)
        _ = try DeviceLists.write(DeviceLists.lab(pki), to: "data.json", in: desk.files)
        return desk
    }

    private func expectFitting(_ line: String, at desk: Desk) async {
        let wide = await desk(line, columns: 2_000)
        // A table has as much of a hash as there is room for.
        #expect(!(wide.output + wide.errors).isEmpty)
        for columns in Self.widths {
            let outcome = await desk(line, columns: columns).expect(wide.status)
            for text in [outcome.output, outcome.errors] {
                for shown in text.split(separator: "\n") where TerminalText.cells(shown) > columns {
                    Issue.record("\(line): wider than \(columns): \(shown)")
                }
                #expect(!text.contains(" \n"), "\(line)")
            }
            #expect(hashes(in: outcome) == hashes(in: wide), "\(outcome.output)")
        }
    }

    private func hashes(in outcome: Outcome) -> [String] {
        let words = (outcome.output + outcome.errors).split { " \n\"',;".contains($0) }
        return words.filter { word in
            (word.utf8.count >= 44 && word.hasSuffix("=")) || (word.utf8.count == 64 && word.allSatisfy(\.isHexDigit))
        }.map(String.init)
    }

    private static let verify = "verify @long.pem --host \(host) --anchors @anchors.pem"
    private static let chineseLine = "verify @chinese.pem --host \(host) --anchors @anchors.pem"

    private static let lines =
        ["", " --pins \(leaf.pin)", " --pins \(stale.pin)", pins].map { verify + $0 } + [
            chineseLine, "\(chineseLine) --pins \(leaf.pin)",
        ]
        + [
            "okhttp,curl,android:expires=2030-01-01,trustkit:no-enforce,afnetworking",
            "afnetworking,okhttp,android:user-roots,alamofire --device all --device-data @data.json",
        ].flatMap { client in [leaf, stale].map { "\(verify) --pins \($0.pin) --client \(client)" } }

    @Test(
        arguments: lines + lines.map { $0 + " --explain" } + [
            verify + strangers.map { " --pins \($0)" }.joined(), "pins @long.pem", "lint @long.pem @stale.pem",
            "clients", "devices", "devices ios-17", "lint --rules",
        ]) func nothingIsWiderThanTheTerminal(line: String) async throws
    { try await expectFitting(line, at: open()) }

    @Test func theDemoFits() async {
        for columns in [nil] + Self.widths {
            let outcome = await pincheck("demo", columns: columns).expect(.pass, "--mode certificate")
            let wide = outcome.output.split(separator: "\n").filter { TerminalText.cells($0) > columns ?? 80 }
            #expect(wide.isEmpty, "\(wide)")
        }
    }

    @Test func whatThereIsNoRoomForIsShortened() async throws {
        let desk = try open()
        await desk("\(Self.verify) --pins \(Self.leaf.pin)", columns: 80).says(
            "\n  1 intermediate  Example Global G2 TLS", "(anchors)", "…  ← pin 1\n", not: "O=Example Trust")
        await desk("\(Self.verify) --explain", columns: 80).says("O=Example Trust")
        await desk(Self.verify + Self.pins).says("\n  pin 7: ", "; --explain lists all 13\n")
        await desk("\(Self.verify)\(Self.pins) --explain").says("\n     7 \(Self.leaf.pin)  --pins\n")
        // A Chinese character takes two cells.
        let outcome = await desk(Self.chineseLine, columns: 120)
        let table = outcome.output.split(separator: "\n").filter { $0.contains("  EC P-256") }
        let columns = table.map { line in
            line.firstRange(of: "  EC P-256").map { TerminalText.cells(line[..<$0.lowerBound]) }
        }
        #expect(table.count == 3 && Set(columns).count == 1, "\(outcome.output)")
    }

    @Test func theTableOfAThoroughCheckFits() async throws {
        let edges = [Self.leaf, Self.stale].map { ServerBehavior.presenting([$0, Self.issuer]) }
        try await LoopbackServer.serving(all: edges, onOnePort: true) { servers in
            let desk = try open()
            let target = "\(Self.host):\(servers[0].port)"
            let trust = "--anchors @anchors.pem --connect 127.0.0.2"
            await expectFitting("\(target) \(trust) --connect 127.0.0.3 --thorough --pins \(Self.leaf.pin)", at: desk)
            await desk("snapshot \(target) --connect 127.0.0.2 -o @base.json").expect(.pass)
            await expectFitting("diff @base.json \(target) --connect 127.0.0.3", at: desk)
            await expectFitting("pins \(target) \(trust)", at: desk)
        }
    }

    @Test func aRowOfTheTableHasAsMuchRoomAsAnIPv6AddressTakes() throws {
        let variants: [Variant] = [
            .ordinary, .keyType(.rsa), .keyType(.ecdsa), .keyType(.ed25519), .withoutSNI, .withSNI,
        ]
        var reports = variants.map { variant in
            var report = RendererTests.passing()
            report.result.endpoint = RendererTests.endpoint("2001:db8:1234:5678:9abc:def0:1234:5678")
            report.result.variant = variant
            return report
        }
        reports[5].result.consistency = AddressComparison(addresses: 1, verdicts: Array(repeating: .accepted, count: 4))
        for columns in Self.widths {
            let text = TextRenderer(
                style: TextStyle(.never, isTerminal: true, environment: [:]), explains: false,
                layout: TextLayout(columns: columns, wraps: true))
            var renderer = TextResultRenderer(text: text)
            let lines = renderer.text(for: reports).split(separator: "\n")
            #expect(lines.allSatisfy { TerminalText.cells($0) <= columns }, "\(lines)")
            #expect(lines.count { $0.contains("  PASS  ") || $0.contains("  not judged  ") } == 6, "\(lines)")
            #expect(lines.last == "PASS  api.example.com:443  1 address, accepted; consistent")
        }
    }
}

#if os(Linux)
/// What the program learns of its terminal, as a real one says it.
@Suite(.serialized, .endsSomeTime, .hasBuiltBinary) struct TerminalSizeTests {
    /// TIOCSPTLCK and TIOCGPTN, macros that Swift does not import.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// Runs a script whose `$TERMINAL` is a terminal of so many columns, and returns what was written to it.
    private func terminal(columns: UInt16, _ script: String) async throws -> [String] {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(main >= 0)
        defer { close(main) }
        var isLocked: Int32 = 0
        var number: Int32 = 0
        try #require(ioctl(main, Self.lock, &isLocked) == 0 && ioctl(main, Self.number, &number) == 0)
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        // The kernel keeps what is written only while somebody has the terminal open.
        let held = open(name, O_RDWR | O_NOCTTY)
        try #require(held >= 0 && ioctl(held, UInt(TIOCSWINSZ), &size) == 0)
        defer { close(held) }
        _ = try await BuiltBinary.run("TERMINAL=\(name); \(script)")
        _ = fcntl(main, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var text = ""
        // A terminal hands over a part at a time.
        while case let count = read(main, &bytes, bytes.count), count > 0 {
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The columns of the terminal, a script, and the range of its longest line.
    @Test(arguments: [
        (60, "$PINCHECK clients >$TERMINAL", 49...60), (100, "$PINCHECK clients >$TERMINAL", 89...100),
        (60, "COLUMNS=100 $PINCHECK clients >$TERMINAL", 61...100), (0, "$PINCHECK clients >$TERMINAL", 61...80),
        (0, "COLUMNS=x $PINCHECK clients >$TERMINAL", 61...80),
        (60, "$PINCHECK a.example --pins sha256/AAAA 2>$TERMINAL", 2...60),
    ]) func theTextIsAsWideAsTheTerminal(columns: UInt16, script: String, longest: ClosedRange<Int>) async throws {
        let lines = try await terminal(columns: columns, script)
        #expect(lines.count > 1 && longest.contains(lines.map { TerminalText.cells($0) }.max() ?? 0), "\(lines)")
    }

    @Test func aPipeHasWholeLines() async throws {
        let outcome = try await BuiltBinary.run("COLUMNS=60 $PINCHECK clients | cat")
        #expect(outcome.output.split(separator: "\n").contains { TerminalText.cells($0) > 80 })
    }
}
#endif
