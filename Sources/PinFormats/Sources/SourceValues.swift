/// What the expressions of a source stand for, as far as texts, lists of texts and constants go.
final class SourceValues {
    /// Why an expression is no text.
    struct Gap {
        /// The name that is the reason.
        var name: String?
        var reason = SourceConstants.Reason.notFollowed
    }

    enum Reading {
        case text(String)
        case gap(Gap)

        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    struct Element {
        let reading: Reading
        let line: Int
    }

    /// The longest host or pin that is put together, in bytes.
    ///
    /// A long constant that is added again and again could make gigabytes of a small file.
    private static let longestText = 1_024
    /// More constants than anybody makes of each other.
    private static let deepest = 16
    /// More than anybody has in one list.
    private static let mostElements = 200
    /// What makes lists that stay as they are.
    private static let makers: Set = ["arrayOf", "listOf", "setOf"]

    private let source: SourceTokens
    private let constants: SourceConstants
    /// What constants stand for, by their places.
    private var known: [Int: Reading] = [:]
    /// What lists that are constants have in them, by their places; `nil` for those that are not followed.
    private var lists: [Int: [Element]?] = [:]
    private var depth = 0

    init(_ source: SourceTokens) {
        self.source = source
        constants = SourceConstants(source)
    }

    // MARK: Texts

    /// The text that an expression makes, of texts and names with `+` between them.
    func reading(of range: Range<Int>) -> Reading {
        var text = ""
        var depth = 0
        var needsOperand = true
        var index = range.lowerBound
        while index < range.upperBound {
            switch source[index] {
            case .mark("+") where !needsOperand: needsOperand = true
            case .mark("(") where needsOperand: depth += 1
            case .mark(")") where !needsOperand && depth > 0: depth -= 1
            case .text(let part) where needsOperand:
                text += part
                needsOperand = false
            case .name where needsOperand:
                let end = source.endOfPath(from: index)
                guard end <= range.upperBound else { return .gap(Gap()) }
                // What is called is computed.
                if source.isMark(end, "(") { return .gap(Gap()) }
                let reading = reading(ofPath: index..<end)
                guard case .text(let part) = reading else { return reading }
                text += part
                needsOperand = false
                index = end - 1
            default: return .gap(Gap())
            }
            guard text.utf8.count <= Self.longestText else { return .gap(Gap()) }
            index += 1
        }
        return needsOperand || depth > 0 ? .gap(Gap()) : .text(text)
    }

    private func names(in path: Range<Int>) -> [String] { path.compactMap { source.name($0) } }

    private func reading(ofPath path: Range<Int>) -> Reading {
        let names = names(in: path)
        let gap = Gap(name: names.suffix(4).joined(separator: "."))
        // What braces are given is called so, whatever else is.
        guard names != ["it"] else { return .gap(gap) }
        switch constants.values(of: names, at: path.lowerBound) {
        case .failure(let absence): return .gap(Gap(name: gap.name, reason: absence.reason))
        case .success(let values):
            var text: String?
            for value in values {
                guard let next = self.text(ofConstant: value) else { return .gap(gap) }
                guard text == nil || text == next else { return .gap(Gap(name: gap.name, reason: .setAgain)) }
                text = next
            }
            return text.map { .text($0) } ?? .gap(gap)
        }
    }

    private func text(ofConstant value: Range<Int>) -> String? {
        if let reading = known[value.lowerBound] { return reading.text }
        guard depth < Self.deepest else { return nil }
        // One that is made of itself is none.
        known[value.lowerBound] = .gap(Gap())
        depth += 1
        let reading = reading(of: value)
        depth -= 1
        known[value.lowerBound] = reading
        return reading.text
    }

    // MARK: Lists

    /// The elements of a list that an expression makes, `nil` where it makes none that is followed.
    func list(of range: Range<Int>) -> [Element]? {
        let range = withoutConversion(range)
        guard let start = range.first, let last = range.last else { return nil }
        if source.name(start) != nil, source.endOfPath(from: start) >= range.upperBound {
            let names = names(in: range)
            guard case .success(let values) = constants.values(of: names, at: start), values.count == 1,
                !constants.isChanged(names[names.count - 1])
            else { return nil }
            if let elements = lists[values[0].lowerBound] { return elements }
            let elements = elements(of: withoutConversion(values[0]), isConstant: true)
            lists[values[0].lowerBound] = .some(elements)
            return elements
        }
        guard last > start else { return nil }
        return elements(of: range, isConstant: false)
    }

    /// A list without what makes an array of it.
    private func withoutConversion(_ range: Range<Int>) -> Range<Int> {
        guard let last = range.last, source.isMark(last, ")"), let opener = source.partner(of: last),
            source.isName(opener - 1, "toTypedArray", "toArray"), source.isMark(opener - 2, "."),
            range.contains(opener - 2)
        else { return range }
        return range.lowerBound..<opener - 2
    }

    /// The elements in the brackets at the end of `range`, if what stands before them makes a list.
    private func elements(of range: Range<Int>, isConstant: Bool) -> [Element]? {
        guard let last = range.last, let opener = source.partner(of: last), range.contains(opener) else { return nil }
        let head = range.lowerBound..<opener
        guard source.isMark(opener, "{") ? isArray(head, isConstant) : source.isMark(opener, "(") && isMaker(head)
        else { return nil }
        var elements: [Element] = []
        var start = opener + 1
        var index = start
        while index <= last {
            let isEnd = index == last
            if isEnd || source.isMark(index, ",") {
                if start < index {
                    elements.append(Element(reading: reading(of: start..<index), line: source.line(start)))
                }
                guard elements.count <= Self.mostElements else { return nil }
                start = index + 1
            }
            if !isEnd, let partner = source.partner(of: index), partner > index { index = partner }
            index += 1
        }
        return elements
    }

    /// Whether it is `new String[]`, or nothing before the braces of a constant of Java's.
    private func isArray(_ head: Range<Int>, _ isConstant: Bool) -> Bool {
        guard let start = head.first else { return isConstant && source.language != .kotlin }
        return head.count == 4 && source.isName(start, "new") && source.isName(start + 1, "String")
    }

    /// Whether it is `arrayOf`, `listOf<String>`, `Arrays.asList` or the like.
    private func isMaker(_ head: Range<Int>) -> Bool {
        guard let start = head.first, let name = source.name(start) else { return false }
        if Self.makers.contains(name) {
            return head.count == 1 || head.count == 4 && source.isMark(start + 1, "<") && source.isMark(start + 3, ">")
        }
        guard head.count == 3, source.isMark(start + 1, ".") else { return false }
        return name == "Arrays" && source.isName(start + 2, "asList")
            || (name == "List" || name == "Set") && source.isName(start + 2, "of")
    }
}
