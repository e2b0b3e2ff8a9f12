/// Colours for the few words that carry the result.
///
/// Without them the words are the same.
struct TextStyle: Sendable {
    let isColored: Bool

    enum Choice: String, CaseIterable, Sendable { case auto, always, never }

    /// Decides once for the run: only on a terminal, and not when the environment asks for none (no-color.org).
    init(_ choice: Choice, isTerminal: Bool, environment: [String: String]) {
        isColored =
            switch choice {
            case .always: true
            case .never: false
            case .auto: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
            }
    }

    static let plain = TextStyle(.never, isTerminal: false, environment: [:])

    func good(_ text: String) -> String { paint(text, "32") }
    func bad(_ text: String) -> String { paint(text, "31") }
    func doubtful(_ text: String) -> String { paint(text, "33") }
    func faint(_ text: String) -> String { paint(text, "2") }

    func token(_ status: ExitStatus) -> String {
        switch status {
        case .pass: good(status.name)
        case .warn, .changed, .unreachable: doubtful(status.name)
        default: bad(status.name)
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
