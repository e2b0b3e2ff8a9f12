internal import Pinning

/// The calls in a source that add pins, in their order.
struct PinnerCalls {
    struct Argument {
        /// What it is called, as in `pattern = "…"`.
        var label: String?
        /// The text, `nil` for an expression that is not followed.
        var text: String?
        /// The name that it is not followed for.
        var name: String?
        let line: Int
    }

    struct Call {
        let host: Argument?
        let pins: [Argument]
        let line: Int
        /// Which of the file's pinners it is added to.
        let pinner: Int
        /// Whether it is not the call of another builder.
        let isOfPinner: Bool
    }

    /// The longest host or pin that is put together, in bytes.
    ///
    /// A long constant that is added again and again could make gigabytes of a small file.
    private static let longestText = 4_096

    private let source: SourceTokens
    private let constants: SourceConstants
    let hidden: [SourceBuilders.Hidden]
    private(set) var all: [Call] = []

    var isEmpty: Bool { all.isEmpty && hidden.isEmpty }
    var unclosedLine: Int? { source.unclosedLine }

    init(_ text: String, of file: PinFile) {
        source = SourceTokens(text, SourceText.Language(fileExtension: file.fileExtension))
        constants = SourceConstants(source)
        let builders = SourceBuilders(source)
        hidden = builders.hidden
        var beginnings = builders.beginnings.sorted()[...]
        var pinner = 0
        var calls: [Call] = []
        builders.forEachCall { index, builder in
            while let next = beginnings.first, next < index {
                beginnings = beginnings.dropFirst()
                pinner += 1
            }
            if let call = call(at: index, of: builder, pinner) { calls.append(call) }
        }
        all = calls
    }

    /// The call of `add` at `index`, `nil` where it adds no pin.
    private func call(at index: Int, of builder: SourceBuilders.Builder?, _ pinner: Int) -> Call? {
        let (arguments, isWhole) = arguments(from: index + 1)
        let position = arguments.firstIndex { $0.label == "pattern" } ?? arguments.firstIndex { $0.label == nil }
        let host = position.map { arguments[$0] }
        var pins = arguments
        if let position { pins.remove(at: position) }
        let isPin =
            switch builder {
            case .pinner: true
            case .likelyPinner: arguments.count > 1
            case .other:
                host?.text?.contains(".") != false
                    && pins.contains { $0.text.map { $0.hasPrefix("sha256/") || $0.hasPrefix("sha1/") } ?? false }
            case nil: (isWhole || host?.text != nil) && namesPins(host, pins, pinner)
            }
        guard isPin else { return nil }
        if !isWhole { pins.append(Argument(line: source.line(index))) }
        return Call(host: host, pins: pins, line: source.line(index), pinner: pinner, isOfPinner: builder != .other)
    }

    /// Whether it is a pinner's and not a list's: of pins that are written out or, for a host that is, of others.
    private func namesPins(_ host: Argument?, _ pins: [Argument], _ pinner: Int) -> Bool {
        pins.contains { argument in
            argument.text.map { PinNotation.isClaimed(by: $0[...]) || PinNotation.resemblesHash($0[...]) } ?? false
        } || pinner > 0 && pins.contains { $0.text == nil } && host?.text?.contains(".") == true
    }

    // MARK: Arguments

    /// The arguments in the parentheses at `opener`.
    ///
    /// A call within a call is looked at by itself, so that no source is gone through again and again: what stands before it is all
    /// there is then, and is not whole.
    private func arguments(from opener: Int, isArray: Bool = false) -> (arguments: [Argument], isWhole: Bool) {
        var arguments: [Argument] = []
        var start = opener + 1
        var depth = 0
        for index in opener + 1..<source.count {
            if source.isName(index, "add"), source.isMark(index + 1, "(") {
                if start < index { arguments.append(Argument(line: source.line(start))) }
                return (arguments, false)
            }
            guard case .mark(let mark)? = source[index] else { continue }
            let isEnd = index == source.partner(of: opener)
            if "([{".contains(mark) { depth += 1 }
            if ")]}".contains(mark) { depth -= 1 }
            guard isEnd || mark == "," && depth == 0 else { continue }
            if start < index { append(start..<index, to: &arguments, inArray: isArray) }
            if isEnd { return (arguments, true) }
            start = index + 1
        }
        return (arguments, false)
    }

    private func append(_ range: Range<Int>, to arguments: inout [Argument], inArray: Bool) {
        var range = range
        var label: String?
        if let name = source.name(range.lowerBound), source.isAssignment(range.lowerBound + 1) {
            label = name
            range = min(range.lowerBound + 2, range.upperBound)..<range.upperBound
        }
        let array = source.isMark(range.lowerBound, "*") ? range.lowerBound + 1 : range.lowerBound
        // An array that is written out is what is in it.
        if !inArray, label != "pattern", source.isName(array, "arrayOf"),
            source.partner(of: array + 1) == range.upperBound - 1
        {
            var (elements, isWhole) = self.arguments(from: array + 1, isArray: true)
            if !isWhole { elements.append(Argument(line: source.line(array))) }
            return arguments += elements.map {
                Argument(label: label ?? "pins", text: $0.label == nil ? $0.text : nil, name: $0.name, line: $0.line)
            }
        }
        let line = source.line(min(range.lowerBound, source.count - 1))
        let isKnown = label == nil || label == "pattern" || label == "pins"
        let text = isKnown ? text(of: range) : nil
        let name = range.count == 1 ? source.name(range.lowerBound) : nil
        arguments.append(Argument(label: label, text: text, name: text == nil ? name : nil, line: line))
    }

    /// The text that an expression makes, of texts and names with `+` between them; `nil` where it is not followed.
    private func text(of range: Range<Int>) -> String? {
        var text = ""
        var depth = 0
        var needsOperand = true
        for index in range {
            switch source[index] {
            case .mark("+") where !needsOperand: needsOperand = true
            case .mark("(") where needsOperand: depth += 1
            case .mark(")") where !needsOperand && depth > 0: depth -= 1
            case .text(let part) where needsOperand:
                text += part
                needsOperand = false
            case .name(let name) where needsOperand:
                guard case .text(let part) = constants.meaning(of: name, at: index) else { return nil }
                text += part
                needsOperand = false
            default: return nil
            }
            guard text.utf8.count <= Self.longestText else { return nil }
        }
        return needsOperand || depth > 0 ? nil : text
    }
}
