import PinChecking
import Pinning

/// What is to be known again of a line that ``JSONLinesRenderer`` wrote: read without making a value of each of its thousands of bytes.
struct ResultLine {
    /// The hash of the question that it answers, `nil` where it does not say.
    let question: QuestionKey?
    /// The status, `nil` where the result does not count.
    let status: ExitStatus?
    /// Whether other results of the same target follow.
    let isFollowed: Bool
    /// When it was judged, in seconds since 1970.
    let evaluated: Int64
    /// When the first certificate of its path ends, in seconds since 1970; `nil` without a path.
    let end: Int64?

    /// Reads a line, `nil` where it is none of them.
    init?(_ line: ArraySlice<UInt8>) {
        var scanner = JSONScanner(line)
        guard let members = scanner.members(), scanner.isAtEnd,
            members["schema"].map({ $0.elementsEqual(Self.schema) }) == true,
            let variant = members["variant"], let consistency = members["consistency"], let exit = members["exit"],
            let evaluated = members["evaluated_at"].flatMap(Self.time), let built = members["built"]
        else { return nil }
        let null = Array("null".utf8)
        var exitScanner = JSONScanner(exit)
        var variantScanner = JSONScanner(variant)
        guard let exit = exitScanner.members(), let status = exit["name"],
            let known = ExitStatus.allCases.first(where: { status.elementsEqual("\"\($0.name)\"".utf8) })
        else { return nil }
        let hasVariants = !variant.elementsEqual(null)
        question = members["question"].flatMap { QuestionKey(json: $0) }
        let counts = hasVariants ? variantScanner.members()?["counts"] : nil
        self.status = counts?.elementsEqual("false".utf8) == true ? nil : known
        isFollowed = hasVariants && consistency.elementsEqual(null)
        self.evaluated = evaluated
        var builtScanner = JSONScanner(built)
        guard let links = builtScanner.elements() else { return nil }
        end = links.compactMap { link in
            var scanner = JSONScanner(link)
            return scanner.members()?["not_after"].flatMap(Self.time)
        }.min()
    }

    /// A moment in its quotation marks.
    private static func time(_ value: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
        return (try? TimeText.read(text))?.secondsSinceEpoch
    }

    private static let schema = Array("\"\(Report.schema)\"".utf8)
}

/// What tells a question from others: half of its hash, so that millions fit into memory.
struct QuestionKey: Hashable {
    private let first: UInt64
    private let second: UInt64

    /// The key of a question.
    init(_ question: SHA256Digest) {
        first = question.bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        second = question.bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The key of a question in a document, `nil` where it is no hash.
    init?(json value: ArraySlice<UInt8>) {
        guard value.count == 2 + 2 * SHA256Digest.byteCount, value.first == UInt8(ascii: "\""),
            let first = UInt64(Self.text(value.dropFirst().prefix(16)), radix: 16),
            let second = UInt64(Self.text(value.dropFirst(17).prefix(16)), radix: 16)
        else { return nil }
        self.first = first
        self.second = second
    }

    private static func text(_ digits: ArraySlice<UInt8>) -> String { String(decoding: digits, as: UTF8.self) }
}
