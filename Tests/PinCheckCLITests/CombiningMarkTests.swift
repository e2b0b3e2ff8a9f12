import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// Marks that combine with the character before them, and letters that join the one behind: the character they make is another
/// for a reader in characters, and the same for every reader in bytes.
@Suite(.endsSomeTime) struct CombiningMarkTests {
    private static let special = ["|", "`", "'", "\"", "\\", "=", "<", "&", "%0A", "##[error]", "::error::", ",", ":"]
    /// Each special string with a mark behind it, and with a joining letter before it.
    private static let evil = special.map { "\($0)\u{301}x \u{D4E}\($0)y" }.joined(separator: " ")

    /// A report in which text from outside holds special characters in such company.
    private static func hostile() -> Report {
        var report = RendererTests.failing()
        report.target = "t " + evil
        report.endpoint = nil
        report.verifyName = evil
        report.built[0].certificate.subject = "##[\u{301}error]x %\u{301}0A"
        report.pins.configured[0].origin = evil
        report.checks[0].id = "\"\u{301}<\u{301}"
        report.checks[0].status = "fail"
        report.checks[0].detail = evil
        report.clients[0].reason = Report.Message(id: "r", message: evil)
        report.clients[0].settings = [ShownSetting("c", .text(evil))]
        report.warnings = [Report.Message(id: "w", message: evil)]
        report.reason = Report.Message(id: "r", message: evil)
        return report
    }

    private static func scalars(_ renderer: some ResultRenderer) throws -> [Unicode.Scalar] {
        Array(try MachineFormatTests.text(renderer, [hostile()]).unicodeScalars)
    }

    private static func count(_ text: String, in scalars: [Unicode.Scalar]) -> Int {
        scalars.indices.count { scalars[$0...].starts(with: text.unicodeScalars) }
    }

    @Test func nagiosHasTheBarOfItsOwnDataAlone() throws {
        let scalars = try Self.scalars(NagiosRenderer())
        #expect(Self.count("|", in: scalars) == 1)
        #expect(scalars.count { $0 == "\n" } == 1)
    }

    @Test func nagiosLabelsAreClosed() throws {
        let text = try MachineFormatTests.text(NagiosRenderer(), [Self.hostile(), RendererTests.passing()])
        let labels = try #require(text.split(separator: "\n").first { $0.contains(" | 't ") })
        let data = Array(labels.unicodeScalars.drop { $0 != "|" })
        #expect(data.count { $0 == "'" }.isMultiple(of: 2))
        // An equals sign is the end of the label, and stands behind its quote or its word.
        for index in data.indices where data[index] == "=" {
            #expect(data[index - 1] == "'" || data[index - 1].properties.isAlphabetic || data[index - 1] == "0")
        }
    }

    @Test func labelsOfPrometheusAreClosed() throws {
        let scalars = try Self.scalars(PrometheusRenderer(now: { Timestamp(secondsSinceEpoch: 0) }))
        for line in scalars.split(separator: "\n") where line.first != "#" {
            var isQuoted = false
            var index = line.startIndex
            while index < line.endIndex {
                if isQuoted, line[index] == "\\" { index += 1 } else if line[index] == "\"" { isQuoted.toggle() }
                if line[index] == "}" { #expect(!isQuoted) }
                index += 1
            }
            #expect(!isQuoted)
        }
    }

    @Test func gitHubFindsNoCommandOfOthers() throws {
        let scalars = try Self.scalars(GitHubRenderer())
        #expect(Self.count("##[", in: scalars) == 0)
        for line in scalars.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            guard text.starts(with: "::".unicodeScalars) else { continue }
            // Ours is in front of the served pins alone.
            #expect(Self.count("%0A", in: Array(text)) == Self.count("%0Aserved: ", in: Array(text)))
            let known = ["::group::", "::endgroup::", "::error title=", "::warning title="]
            #expect(known.contains { text.starts(with: $0.unicodeScalars) })
            // A property ends at the first comma or colon.
            if text.starts(with: "::error title=".unicodeScalars) {
                let property = text.dropFirst("::error title=".count).prefix { $0 != ":" && $0 != "," }
                #expect(property.starts(with: "pincheck FAIL t ".unicodeScalars))
                #expect(property.count > 50)
            }
        }
    }

    @Test func attributesOfXMLStayClosed() throws {
        for line in try Self.scalars(JUnitRenderer()).split(separator: "\n") {
            #expect(line.count { $0 == "\"" }.isMultiple(of: 2))
            #expect(line.count { $0 == "<" } == line.count { $0 == ">" } || !line.contains("<"))
        }
    }

    @Test func stringsOfJSONStayClosed() throws {
        let text = try MachineFormatTests.text(JSONResultRenderer(), [Self.hostile()])
        #expect(throws: Never.self) { try JSONValue(text) }
    }

    @Test func aStateHasOneLineATarget() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\u{301}state"
        var (one, other) = (RendererTests.passing(), RendererTests.failing())
        (one.target, other.target) = ("a\n\u{301}\t\u{301}b", "c")
        var state = try StateFile(path, at: "s")
        var isChanged = state.isChanged([one, other])
        #expect(isChanged)
        try state.write()
        var next = try StateFile(path, at: "t")
        isChanged = next.isChanged([one, other])
        #expect(!isChanged)
        #expect(try contents(ofFile: path).split(separator: "\n").count == 3)
    }
}
