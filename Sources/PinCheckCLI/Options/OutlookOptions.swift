import ArgumentParser
import Base
import PinChecking
import Pinning

/// How much must be left of certificates and pins.
struct OutlookOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Warn when less is left: 30d, 12h or 33%.",
            discussion: "Of a certificate that the verdict rests on, or of pins that expire.", valueName: "time"))
    var warnBefore: String?

    @Option(help: ArgumentHelp("Fail when less is left, with exit status 1.", valueName: "time")) var failBefore:
        String?

    @Option(
        help: ArgumentHelp(
            "Fail unless some pin is sure to match for so long.", discussion: "A backup pin is enough as well.",
            valueName: "time")) var minPinLife: String?

    @Option(help: ArgumentHelp("warn: end with 3 when accepted with a warning.", valueName: "level")) var failOn:
        String?

    @Option(help: ArgumentHelp("Leave out warnings of these ids. Repeatable.", valueName: "id")) var ignore: [String] =
        []
}

extension OutlookOptions {
    func read() throws(CommandError) -> OutlookRules {
        OutlookRules(
            limits: OutlookLimits(
                warnBefore: try Self.threshold(warnBefore, of: "--warn-before"),
                failBefore: try Self.threshold(failBefore, of: "--fail-before"),
                minPinLife: try Self.threshold(minPinLife, of: "--min-pin-life")), failsOnWarning: try failsOnWarning(),
            ignored: try CommandError.reading { () throws(CheckError) in try IgnoredFindings.read(ignore) })
    }

    private func failsOnWarning() throws(CommandError) -> Bool {
        guard let failOn else { return false }
        guard failOn == "warn" || failOn == "warning" else {
            throw .usage("--fail-on \(quoted(failOn)) is unknown: write --fail-on warn, or leave it out")
        }
        return true
    }

    private static func threshold(_ text: String?, of option: String) throws(CommandError) -> Threshold? {
        try text.map { (text) throws(CommandError) in try Threshold.reading(text, of: option) }
    }
}

extension Threshold {
    /// Reads the value of `option`.
    static func reading(_ text: String, of option: String) throws(CommandError) -> Threshold {
        do { return try Threshold(text) } catch { throw .usage("\(option) \(error)") }
    }
}
