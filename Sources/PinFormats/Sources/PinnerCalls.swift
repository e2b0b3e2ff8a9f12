internal import Pinning

/// The calls in a source that add pins, in their order.
struct PinnerCalls {
    struct Argument {
        /// What it is called, as in `pattern = "…"`.
        var label: String?
        /// A gap for an expression that is not followed.
        var reading = SourceValues.Reading.gap(SourceValues.Gap())
        let line: Int

        var text: String? { reading.text }
    }

    struct Call {
        let host: Argument?
        let pins: [Argument]
        let line: Int
        /// The number of the calls that follow each other.
        let stretch: Int
        /// The conditions that the pinner is begun outside of, from the outermost.
        let conditions: [SourceConditions.Condition]
        /// Whether it is not the call of another builder.
        let isOfPinner: Bool
    }

    /// More pins than anybody adds by lists that have names.
    private static let mostListed = 10_000

    private let source: SourceTokens
    private let values: SourceValues
    private let builders: SourceBuilders
    private var conditions: SourceConditions
    let hidden: [SourceBuilders.Hidden]
    private(set) var all: [Call] = []
    /// Whether a builder of pinners is begun, called so.
    let beginsPinner: Bool
    private var receivers: SourceReceivers
    private var stretches: SourceStretches
    private let loops: SourceLoops
    private let mentionsPinners: Bool
    /// The loop that an argument of the call is taken from that is looked at.
    private var body: Int?
    private var listed = 0
    private var last: (stretch: Int, conditions: [SourceConditions.Condition])?

    /// The text without what a source has in its comments and texts.
    func code(of text: String) -> [UInt8] { source.withoutHidden(text) }

    var isEmpty: Bool { all.isEmpty && hidden.isEmpty }
    var unclosedLine: Int? { source.unclosedLine }

    init(_ text: String, of file: PinFile) {
        source = SourceTokens(text, SourceText.Language(fileExtension: file.fileExtension))
        values = SourceValues(source)
        builders = SourceBuilders(source)
        conditions = SourceConditions(source, builders)
        let comments = source.language == .either ? Self.comments(in: source) : [:]
        hidden = builders.hidden.filter { comments[$0.line] == nil }
        stretches = SourceStretches(source)
        receivers = SourceReceivers(source, beginnings: builders.beginnings)
        loops = SourceLoops(source)
        let tokens = source
        func counts(_ index: Int) -> Bool { comments[tokens.line(index)] ?? index >= index }
        beginsPinner = builders.pinners.contains(where: counts)
        // Of a list's or a form's `add` there is no telling where nothing says that there are pinners.
        mentionsPinners = tokens.tokens.contains { token in
            switch token.kind {
            case .name("CertificatePinner"): true
            case .text(let text): PinNotation.isClaimed(by: text[...])
            default: false
            }
        }
        for (index, owner) in builders.calls() where counts(index) {
            if let call = call(at: index, of: owner) { all.append(call) }
        }
    }

    /// Where comments of scripts begin, which have no place in a source, by their lines.
    private static func comments(in source: SourceTokens) -> [Int: Int] {
        var starts: [Int: Int] = [:]
        for index in 0..<source.count where source.isMark(index, "#") {
            starts[source.line(index)] = starts[source.line(index)] ?? index
        }
        return starts
    }

    /// The call of `add` at `index`, `nil` where it adds no pin.
    private mutating func call(at index: Int, of owner: SourceBuilders.Owner?) -> Call? {
        let receiver = receivers.receiver(of: index)
        body = nil
        // The number is a place in a list.
        if isNumber(index + 2), source.isMark(index + 3, ",") { return nil }
        let (arguments, isWhole) = arguments(from: index + 1, of: owner)
        let position = arguments.firstIndex { $0.label == "pattern" } ?? arguments.firstIndex { $0.label == nil }
        let host = position.map { arguments[$0] }
        var pins = arguments
        if let position { pins.remove(at: position) }
        let isPin =
            switch owner?.builder {
            case .pinner: true
            case .likelyPinner: arguments.count > 1
            case .other:
                host?.text?.contains(".") != false
                    && pins.contains { $0.text.map { $0.hasPrefix("sha256/") || $0.hasPrefix("sha1/") } ?? false }
            case nil:
                (isWhole || host?.text != nil) && (host?.text != nil || !receivers.isList(receiver))
                    && namesPins(host, pins)
            }
        guard isPin else { return nil }
        if !isWhole { pins.append(Argument(line: source.line(index))) }
        let stretch = stretches.stretch(ofCall: index)
        // Whoever makes one call of a stretch makes them all.
        let around = stretch == last?.stretch ? last?.conditions ?? [] : conditions.conditions(around: index)
        last = (stretch, around)
        let isNamed = receiver.root != nil || !receiver.path.isEmpty || source.isMark(index - 1, ".")
        let block = isNamed ? nil : conditions.receiverBlock(around: index)
        let name = (owner?.root).map { source.name($0) } ?? receiver.first.map(String.init)
        let parameter = name.flatMap { conditions.lambda(withParameter: $0, in: around) }
        let root = parameter ?? owner?.root ?? receiver.root ?? block
        let isMade = name?.hasSuffix("()") == true
        let known = root != nil ? nil : isMade ? index : name.flatMap { builders.declaration(of: $0, around: index) }
        return Call(
            host: host, pins: pins, line: source.line(index), stretch: stretch,
            conditions: around.filter { condition in
                condition.start > root ?? -1 && !(condition.isLambda && condition.start <= known ?? -1)
                    && condition.start != body
            }, isOfPinner: owner?.builder != .other)
    }

    /// Whether it is a pinner's and not a list's: of pins that are written out or, for a host that is, of others.
    private func namesPins(_ host: Argument?, _ pins: [Argument]) -> Bool {
        pins.contains { argument in
            argument.text.map { PinNotation.isClaimed(by: $0[...]) || PinNotation.resemblesHash($0[...]) } ?? false
        } || mentionsPinners && pins.contains { $0.text == nil } && host?.text?.contains(".") == true
    }

    private func isNumber(_ index: Int) -> Bool {
        source.name(index)?.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    // MARK: Arguments

    /// The arguments in the parentheses at `opener`.
    ///
    /// A call within a call is looked at by itself, so that no source is gone through again and again: what stands before it is all
    /// there is then, and is not whole.
    private mutating func arguments(
        from opener: Int, of owner: SourceBuilders.Owner?
    ) -> (arguments: [Argument], isWhole: Bool) {
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
            if start < index { append(start..<index, of: owner, call: opener - 1, to: &arguments) }
            if isEnd { return (arguments, true) }
            start = index + 1
        }
        return (arguments, false)
    }

    private mutating func append(
        _ range: Range<Int>, of owner: SourceBuilders.Owner?, call: Int, to arguments: inout [Argument]
    ) {
        var range = range
        var label: String?
        if let name = source.name(range.lowerBound), source.isAssignment(range.lowerBound + 1) {
            label = name
            range = min(range.lowerBound + 2, range.upperBound)..<range.upperBound
        }
        if source.isMark(range.lowerBound, "*") { range = range.dropFirst() }
        let line = source.line(min(range.lowerBound, source.count - 1))
        let isKnown = label == nil || label == "pattern" || label == "pins"
        let reading = isKnown ? values.reading(of: range) : .gap(SourceValues.Gap())
        // A list is what is in it; the first argument is the host.
        let isHost = label == "pattern" || label == nil && arguments.isEmpty
        if reading.text == nil, !isHost, isKnown, listed < Self.mostListed,
            let elements = values.list(of: range) ?? elements(of: range, owner, call)
        {
            listed += elements.count
            arguments += elements.map { Argument(label: "pins", reading: $0.reading, line: $0.line) }
        } else {
            arguments.append(Argument(label: label, reading: reading, line: line))
        }
    }

    /// The elements of a list that the only name in `range` goes through, for one pinner that is begun outside of the loop.
    private mutating func elements(
        of range: Range<Int>, _ owner: SourceBuilders.Owner?, _ call: Int
    ) -> [SourceValues.Element]? {
        guard range.count == 1, let name = source.name(range.lowerBound), let owner, owner.builder == .pinner,
            let loop = loops.loop(of: name, around: call), owner.root < loop.body,
            !source.isMark(call - 1, ".") || source.name(call - 2).map({ !stretches.isComputed($0) }) == true,
            let elements = values.list(of: loop.list), !elements.isEmpty
        else { return nil }
        body = loop.body
        return elements
    }
}
