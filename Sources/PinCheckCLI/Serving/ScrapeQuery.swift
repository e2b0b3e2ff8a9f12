package import Base

package struct ScrapeProblem: Error, Hashable {
    let status: Int
    package let message: SafeText

    init(_ status: Int, _ message: SafeText) { (self.status, self.message) = (status, message) }
}

package struct ScrapeQuery {
    static let timeoutHeader = "X-Prometheus-Scrape-Timeout-Seconds"
    /// The most bytes of a request's target that are read: a host has at most 255, each escaped with three.
    private static let longest = 4_096
    package let path: String
    private let parameters: Substring

    /// Reads the target of a request (RFC 9112, 3.2): a path, or a URL of this server.
    package init(_ text: String) throws(ScrapeProblem) {
        guard text.utf8.count <= Self.longest else {
            throw ScrapeProblem(414, "the request is for a place of more than \(Self.longest) bytes")
        }
        var rest = text[...].utf8
        for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.utf8.count).drop { $0 != "/" }
        }
        guard rest.first == "/", !rest.contains(where: { $0 == "#" }) else {
            throw ScrapeProblem(400, "the request is for no path: ask for /probe?target=HOST")
        }
        let path = rest.prefix { $0 != "?" }
        self.path = String(utf8: path)
        parameters = Substring(rest[path.endIndex...].dropFirst())
    }

    /// Reads the parameters; unknown ones are refused, so that a misspelt module does not leave the target to another.
    package func probe() throws(ScrapeProblem) -> (target: String, module: String?) {
        var values: [String: String] = [:]
        for part in parameters.utf8.split(whereSeparator: { $0 == "&" }) {
            let name = part.prefix { $0 != "=" }
            let key = try Self.decoded(Substring(name))
            let value = try Self.decoded(Substring(part[name.endIndex...].dropFirst()))
            guard ["target", "module"].contains(key) else {
                throw ScrapeProblem(400, "\(quoted(key)) is no parameter: give target and module")
            }
            guard values.updateValue(value, forKey: key) == nil else {
                throw ScrapeProblem(400, "the parameter \(quoted(key)) stands twice: give it once")
            }
        }
        guard let target = values["target"], !target.isEmpty else {
            throw ScrapeProblem(400, "the parameter 'target' is missing: ask for /probe?target=HOST")
        }
        return (target, values["module"].flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Decodes a part of a form: `%41` is a byte, and a plus sign a blank, as Prometheus writes it.
    private static func decoded(_ text: Substring) throws(ScrapeProblem) -> String {
        guard let bytes = text.replacing("+", with: " ").percentDecoded else {
            throw ScrapeProblem(400, "a '%' is not followed by two hexadecimal digits: write '%25' for it")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw ScrapeProblem(400, "a parameter is not text in UTF-8")
        }
        return decoded
    }

    /// The scrape's timeout less half a second for the answer's way, or less a quarter if that is less; 1 ms to a day.
    package static func timeout(_ values: [String]) throws(ScrapeProblem) -> Duration? {
        guard let text = values.first else { return nil }
        let isPlain = text.utf8.allSatisfy { $0.isDigit || [0x2B, 0x2D, 0x2E, 0x65].contains($0) }
        guard values.count == 1, isPlain, let seconds = Double(text), seconds > 0, seconds.isFinite else {
            throw ScrapeProblem(400, "\(timeoutHeader) is no number of seconds")
        }
        let time = Duration.milliseconds(max(1, Int64(min(seconds, 86_400) * 1_000)))
        return max(.milliseconds(1), time - min(.milliseconds(500), time / 4))
    }
}
