import PinChecking
import Pinning
import X509

/// What is to be known again of a line that ``JSONLinesRenderer`` wrote: read without making a value of each of its thousands of bytes.
struct ResultLine {
    /// The hash of the question that it answers, `nil` where it does not say.
    let question: QuestionKey?
    /// The hash of all results of its target, `nil` where it does not say.
    let set: String?
    /// What that hash is of, besides those of the other results.
    private let witness: String
    /// The status, `nil` where the result does not count.
    let status: ExitStatus?
    /// Whether other results of the same target follow.
    let isFollowed: Bool
    /// When it was judged, in seconds since 1970.
    let evaluated: Int64
    /// When the first certificate of its path ends that had not ended then, in seconds since 1970; `nil` for none.
    let end: Int64?

    /// Reads a line, `nil` where it is none of them.
    init?(_ line: ArraySlice<UInt8>) {
        var scanner = JSONScanner(line)
        guard let members = scanner.members(), scanner.isAtEnd,
            members["schema"].map({ $0.elementsEqual(Self.schema) }) == true, let variant = members["variant"],
            let consistency = members["consistency"], let exit = members["exit"],
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
        set = members["result_set"].flatMap(Self.text)
        let counts = hasVariants ? variantScanner.members()?["counts"] : nil
        self.status = counts?.elementsEqual("false".utf8) == true ? nil : known
        witness = Self.witness(
            question: members["question"].flatMap(Self.text),
            evaluatedAt: members["evaluated_at"].flatMap(Self.text) ?? "", self.status)
        isFollowed = hasVariants && consistency.elementsEqual(null)
        self.evaluated = evaluated
        var builtScanner = JSONScanner(built)
        guard let links = builtScanner.elements() else { return nil }
        end = links.compactMap { link in
            var scanner = JSONScanner(link)
            return scanner.members()?["not_after"].flatMap(Self.time)
        }.filter { $0 > evaluated }.min()
    }

    /// A moment in its quotation marks.
    private static func time(_ value: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
        return (try? TimeText.read(text))?.secondsSinceEpoch
    }

    /// What is between the quotation marks, `nil` for what has none.
    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        guard value.first == UInt8(ascii: "\"") else { return nil }
        return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Whether the results can be of one target, this one behind the other.
    func follows(_ other: ResultLine) -> Bool { other.isFollowed && question == other.question && set == other.set }

    /// Whether bytes are what a writer that was killed leaves of a line.
    ///
    /// - Parameters:
    ///   - bytes: the last line of a file, which has no end.
    ///   - isAlone: whether nothing else says what the file is.
    /// - Returns: whether they are.
    static func isBeginning(_ bytes: ArraySlice<UInt8>, isAlone: Bool) -> Bool {
        var scanner = JSONScanner(bytes)
        // A whole object is no part of a result.
        guard scanner.members() == nil else { return false }
        return bytes.starts(with: beginning) || (!isAlone && beginning.starts(with: bytes))
    }

    /// What every line begins with: keys are in the order of the alphabet.
    private static let beginning = Array(#"{"built":["#.utf8)

    /// The hash of the results of one target, as they are in the file.
    static func set(of results: [ResultLine]) -> String { hash(results.map(\.witness)) }

    /// The hash of the results of one target, as they are to be written.
    static func set(of reports: [Report]) -> String {
        hash(
            reports.map { report in
                witness(question: report.question, evaluatedAt: report.evaluatedAt, report.counts ? report.status : nil)
            })
    }

    private static func witness(question: String?, evaluatedAt: String, _ status: ExitStatus?) -> String {
        "\(question ?? "-") \(evaluatedAt) \(status?.name ?? "-")\n"
    }

    private static func hash(_ witnesses: [String]) -> String {
        Hashing.sha256(Array(witnesses.joined().utf8)).hexadecimal
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

    /// The half of the hash.
    var bytes: [UInt8] {
        [first, second].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static func text(_ digits: ArraySlice<UInt8>) -> String { String(decoding: digits, as: UTF8.self) }
}
