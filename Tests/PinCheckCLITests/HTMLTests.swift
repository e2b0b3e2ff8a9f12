import Base
import Foundation
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite(.endsSomeTime) struct HTMLTests {
    private final class Page: NSObject, XMLParserDelegate {
        var elements: Set<String> = []
        var attributes: Set<String> = []
        var ids: [String] = []
        var links: [String] = []
        var policy: String?

        init(_ text: String) throws {
            super.init()
            let parser = XMLParser(data: Data(text.utf8))
            parser.delegate = self
            try #require(parser.parse(), "\(String(describing: parser.parserError)): \(text)")
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes values: [String: String]
        ) {
            elements.insert(name)
            attributes.formUnion(values.keys)
            if let id = values["id"] { ids.append(id) }
            if let link = values["href"] { links.append(link) }
            if values["http-equiv"] == "Content-Security-Policy" { policy = values["content"] }
        }
    }

    /// A server with a chain of three, an app for iOS with a backup, and one for Android without.
    private static func scene() throws -> Report {
        var report = RendererTests.passing()
        report.built[0].certificate =
            RendererTests.certificate(from: "2026-09-13T00:00:00Z", to: "2026-12-12T00:00:00Z").certificate
        var inter = RendererTests.certificate(1, "CN=Example CA 1", to: "2029-01-01T00:00:00Z", fingerprint: 2)
        (inter.role, inter.source) = ("intermediate", "presented")
        report.built.insert(inter, at: 1)
        report.built[2].index = 2
        let end: Timestamp = "2026-12-12T00:00:00Z"
        func outlook(hasBackup: Bool, noPinAfter: Timestamp?, pinsExpire: Timestamp?, compared: Bool) -> Outlook {
            Outlook(
                pins: [
                    .init(depth: 0, until: end, isCompared: true),
                    .init(depth: nil, until: nil, isCompared: compared, isBackup: hasBackup),
                ], pinsMatchUntil: end, end: .leafRenewal, noPinAfter: noPinAfter, hasBackup: hasBackup,
                pinsExpire: pinsExpire, validUntil: end, renewalPoint: "2026-11-12T00:00:00Z",
                findings: [
                    .init(
                        .breaksAtRenewal, .warning,
                        "android: leaf key pinned: breaks at the next renewal with a new key, on or before "
                            + "2026-12-12; no backup", of: "pin-life", on: end)
                ], comparesPins: true)
        }
        report.clients[0].outlook = outlook(hasBackup: true, noPinAfter: nil, pinsExpire: nil, compared: true)
        var android = report.clients[0]
        android.name = "android"
        android.outlook = outlook(
            hasBackup: false, noPinAfter: end, pinsExpire: "2027-01-10T00:00:00Z", compared: false)
        report.clients.append(android)
        report.change {
            $0.outlook = android.outlook
            $0.findings = []
        }
        return report
    }

    private static func page(_ reports: [Report], explains: Bool = false) throws -> String {
        try MachineFormatTests.text(HTMLRenderer(explains: explains), reports)
    }

    @Test func anotherDayIsNotToday() throws {
        var report = try Self.scene()
        #expect(try Self.page([report]).contains(">today 2026-10-04</text>"))
        report.isOfAnotherTime = true
        let page = try Self.page([report])
        #expect(page.contains(">as of 2026-10-04</text>") && !page.contains("today"))
    }

    @Test func aPageIsWellFormedAndItsOwnWhateverItHolds() throws {
        var reports = [MachineFormatTests.hostile(), MachineFormatTests.unreachable(), try Self.scene()]
        reports += reports
        reports[3].built[0].certificate =
            RendererTests.certificate(from: Timestamp(secondsSinceEpoch: -377_000_000_000)).certificate
        reports[5].built[0].certificate = RendererTests.certificate(to: "9999-12-31T23:59:59Z").certificate
        let text = try Self.page(reports, explains: true)
        #expect(isPlain(text))
        let page = try Page(text)
        #expect(
            page.elements.isSubset(of: [
                "a", "b", "body", "caption", "circle", "code", "desc", "footer", "h1", "h2", "head", "html", "li",
                "line", "meta", "p", "pre", "rect", "section", "span", "style", "svg", "table", "tbody", "td", "text",
                "th", "thead", "time", "title", "tr", "ul",
            ]), "\(page.elements)")
        #expect(
            page.attributes.isSubset(of: [
                "charset", "class", "content", "cx", "cy", "data-h", "height", "href", "http-equiv", "id", "lang",
                "name", "r", "role", "text-anchor", "width", "x", "x1", "x2", "xmlns", "y", "y1", "y2",
            ]), "\(page.attributes)")
        #expect(page.ids == (1...6).map { "h\($0)" } + ["summary"])
        #expect(Set(page.links) == Set(page.ids.dropLast().map { "#" + $0 }))
        #expect(page.policy?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
        for word in ["url(", "@import", "<", "&"] { #expect(!HTMLRenderer.sheet.contains(word)) }
        #expect(try Page(Self.page([])).ids == ["summary"])
    }

    @Test func aHostTakesSixKilobytesAtMost() throws {
        let scene = try Self.scene()
        let one = try Self.page([scene]).utf8.count
        let size = try (Self.page(Array(repeating: scene, count: 101)).utf8.count - one) / 100
        #expect(size <= 6_000, "\(size)")
    }

    @Test func theSummaryNamesTheWorst() throws {
        let reports = try (0..<500).map { $0 == 250 ? RendererTests.failing() : try Self.scene() }
        let page = try Page(Self.page(reports))
        #expect(page.links.count == 200 && page.links[0] == "#h251" && page.ids.count == 501)
    }

    @Test func clientsThatExpectTheSameShareRows() throws {
        var report = try Self.scene()
        let rows = try #require(Timeline(report)).parts.map { part in
            [part.clients ?? ""] + part.rows.map { "\($0.kind) \($0.label) \($0.end?.date ?? "–")" }
        }
        #expect(
            rows == [
                [
                    "", "certificate 0 leaf 2026-12-12", "renewal usually renewed by 2026-11-12",
                    "certificate 1 intermediate 2029-01-01", "certificate 2 root 2036-10-01",
                ], ["afnetworking", "pin pin 1 → 0 leaf 2026-12-12", "backup backup: pin 2 –"],
                [
                    "android", "pin pin 1 → 0 leaf 2026-12-12", "pinSet pins compared until 2027-01-10",
                    "noPin no pin is sure to match after 2026-12-12",
                ],
            ])
        report.clients[1].outlook = report.clients[0].outlook
        #expect(try #require(Timeline(report)).parts.map(\.clients) == [nil, nil])
        report.clients[1].verdict = .reject
        #expect(try #require(Timeline(report)).parts.map(\.clients) == [nil, "afnetworking", "android: reject"])
    }

    @Test func aConnectionThatShowsTheSameIsNotToldTwice() throws {
        var connections = try [Self.scene(), Self.scene()]
        for index in connections.indices { connections[index].result.variant = .ordinary }
        connections[1].result.consistency = AddressComparison(addresses: 2, verdicts: [.accepted, .accepted])
        let text = try Self.page(connections)
        #expect(text.ranges(of: "<svg role").count == 1)
        #expect(text.contains("accepted; consistent</p>"))
        let heading = "</span> api.example.com:443 → 203.0.113.7, 203.0.113.8</h2>"
        connections[1].result.endpoint = RendererTests.endpoint("203.0.113.8")
        #expect(try Self.page(connections).contains(heading))
        connections[1].change { $0.findings = [.warning(.leafOnly, "take care")] }
        #expect(try Self.page(connections).ranges(of: "<svg role").count == 2)
    }

    /// The sheet orders sections by the class of their status; a rejection is told above the certificates, and the total in the title.
    @Test func whatFailsIsSeenFirst() throws {
        let reports = try (1...60).map { $0 == 40 ? RendererTests.failing() : try Self.scene() }
        let streamed = try Self.page(reports)
        #expect(streamed.contains("<title>certificate pins 2026-10-04</title>"))
        #expect(
            streamed.ranges(of: "\" class=\"FAIL\">").count == 1
                && streamed.contains("; rejected today: pin-mismatch; 0 leaf: "))
        var page = HTMLRenderer(explains: false, isWhole: true)
        let body = reports.map { page.text(for: [$0]) }.joined() + page.ending(exit: .fail)
        #expect(body.contains("<title>1 FAIL, 59 PASS"))
        #expect(throws: Never.self) { try Page(body) }
        #expect(try Self.page([RendererTests.failing()]).contains("<title>1 FAIL: certificate pins 2026-10-04</title>"))
        let orders = ["footer", "section", "section.FAIL", "section.WARN", "section.PASS"].map { selector in
            HTMLRenderer.sheet.firstMatch(
                of: try! Regex("\\n" + selector + "\\{order:([0-9])\\}", as: (Substring, Substring).self)
            ).flatMap { Int($0.output.1) } ?? 0
        }
        #expect(orders == orders.sorted() && orders[0] == 1, "\(orders)")
    }

    private static func picture(of timeline: Timeline) -> String {
        let (body, height) = timeline.drawing
        let picture: Markup = """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" \
            width="740" height="\(height)" viewBox="0 0 740 \(height)">\
            \(timeline.alternative)<style>\(Markup(stringLiteral: HTMLRenderer.timeline))</style>\
            <rect class="bg" width="100%" height="100%"/><svg x="10" width="720">\(body)</svg></svg>

            """
        return picture.description
    }

    @Test func thePictureIsWhatTheProgramDraws() throws {
        let file = Article.top.appending(path: "Sources/pincheck/pincheck.docc/Resources/timeline.svg")
        let picture = Self.picture(of: try #require(Timeline(Self.scene())))
        #expect(throws: Never.self) { try Page(picture) }
        if isUpdating {
            try Data(picture.utf8).write(to: file)
        } else {
            let kept = try? String(contentsOf: file, encoding: .utf8)
            #expect(kept == picture, "PINCHECK_UPDATE=1 writes it")
        }
    }
}
