import Base
import PinChecking
import PinFormats

struct Option {
    enum Values {
        case none
        case anything
        case file, written, directory
        case whole(ClosedRange<Int>)
        case seconds
        /// A rest of a certificate's lifetime: `30d`, `12h` or `33%`.
        case threshold
        case statuses
        /// One of these words; several in a list, with commas and words after a colon; with a file after `=` in a form.
        case one(Words)
        case list(Words, afterColon: Words = { [] })
        case form(Words)

        typealias Words = @Sendable () -> [Word]
    }

    typealias Word = (text: String, meaning: String)

    static func words(_ texts: [String]) -> [Word] { texts.map { ($0, "") } }

    struct Value {
        var text = ""
        /// `true` if a switch is on; only policies can switch it off.
        var isOn = true
        var place: PinPlace?

        /// The value of an option of whole numbers, whose range was checked.
        var number: Int { Int(text) ?? 0 }
    }

    typealias Setter = @Sendable (inout Settings, Value) throws -> Void

    /// The name with its dashes; empty if only policies have the option.
    let flag: String
    let short: String?
    let value: String
    /// A sentence of at most 54 characters.
    let help: String
    let detail: String
    let values: Values
    let isRepeatable: Bool
    /// The flag of an option that contradicts this one; one of the two names the other.
    let rival: String?
    let key: String?
    /// `true` if the policy's key means the opposite of the switch.
    let isNegation: Bool
    /// `true` if `false` for a host in a policy cancels the value of the defaults.
    let isRevocable: Bool
    /// `true` if lines of lists may have it, under the flag's name without dashes.
    let isInLists: Bool
    let set: Setter

    init(
        _ flag: String, _ short: String? = nil, of value: String = "", _ values: Values? = nil, help: String,
        _ detail: String = "", isRepeatable: Bool = false, rival: String? = nil, key: String? = nil,
        isNegation: Bool = false, isRevocable: Bool = false, isInLists: Bool = false, set: @escaping Setter
    ) {
        (self.flag, self.short, self.value) = (flag, short, value)
        (self.values, self.help, self.detail) = (values ?? (value.isEmpty ? .none : .anything), help, detail)
        (self.isRepeatable, self.rival, self.key) = (isRepeatable, rival, key)
        (self.isNegation, self.isRevocable, self.isInLists, self.set) = (isNegation, isRevocable, isInLists, set)
    }

    private var namesFile: Bool {
        switch values {
        // A text that is not a file may be a pin, and an empty one is malformed data.
        case .file: !flag.hasPrefix("--pin")
        case .written, .directory: true
        default: false
        }
    }

    var isSwitch: Bool { if case .none = values { true } else { false } }

    var isList: Bool { if case .list = values { true } else if case .statuses = values { true } else { false } }

    /// `true` if a second value would silently replace what is compared, asked for or written.
    var countsOnce: Bool {
        switch values {
        case .one, .whole, .seconds: false
        default: !isRepeatable
        }
    }

    func excludes(_ other: Option) -> Bool { rival == other.flag || other.rival == flag }

    var names: [String] { [short, flag].compactMap(\.self) }
    var word: String { String(Substring(flag.utf8.drop { $0 == "-" })) }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ flag: String, _ short: String? = nil, of value: String, help: String, _ detail: String = "",
        key: String? = nil, set: @escaping @Sendable (inout Settings, Choice) -> Void
    ) -> Option {
        let words = Choice.allCases.map(\.rawValue)
        return Option(flag, short, of: value, .one { self.words(words) }, help: help, detail, key: key) {
            guard let word = Choice(rawValue: $1.text) else { throw Problem.unknown($1.text, among: words) }
            set(&$0, word)
        }
    }

    static func format<Form: RawRepresentable<String> & CaseIterable>(_: Form.Type, of told: String) -> Option {
        let forms = Form.allCases.map(\.rawValue)
        return Option(
            "--format", "-f", of: "form", .form { words(forms) }, help: "The form of the \(told) (default: text).",
            "One of \(forms.listed). FORM=FILE writes it to a file. Repeatable.", isRepeatable: true
        ) { $0.formats.append($1.text) }
    }

    static let color = Option.choice(
        "--color", of: "when", help: "Colour the result: auto, always or never.",
        "The default is auto: on a terminal, unless NO_COLOR is set or TERM is dumb."
    ) { $0.color = $1 }

    func read(_ value: Value, calling name: SafeText, into settings: inout Settings) throws(Problem) {
        if value.text.isEmpty, namesFile { throw .usage("\(name) '' is empty: write '\(flag) <\(self.value)>'") }
        if case .whole(let range) = values, value.text.hasPrefix("+") || Int(value.text).map(range.contains) != true {
            let bounds: SafeText = "\(range.lowerBound) to \(range.upperBound)"
            throw Problem.usage("\(quoted(value.text)) is not a number from \(bounds)").said(of: name)
        }
        do { try set(&settings, value) } catch { throw (error as? Problem ?? .usage("\(error)")).said(of: name) }
        // A file may be read later, or not in this run, and must not be overwritten.
        if case .file = values { ReadLog.current?.add(value.text) }
    }
}

struct OptionGroup {
    let title: String
    let options: [Option]

    init(_ title: String, @OptionList _ options: () -> [Option]) { (self.title, self.options) = (title, options()) }
}

@resultBuilder enum OptionList {
    static func buildExpression(_ option: Option) -> [Option] { [option] }
    static func buildExpression(_ options: [Option]) -> [Option] { options }
    static func buildBlock(_ rows: [Option]...) -> [Option] { rows.flatMap(\.self) }
}
