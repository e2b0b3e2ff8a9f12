package import Base

/// The reason why a check is not possible: a contradictory request, or a file that cannot be read or written.
///
/// A problem is never a verdict: wrong data says nothing about a server.
public struct Problem: Error, Hashable, CustomStringConvertible {
    /// The fault, by which a program chooses its exit status.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// A request contradicts itself or is malformed.
        case usage
        /// A file is malformed, or a client cannot be set up with its contents.
        case data
        /// A file is missing or unreadable.
        case noInput
        /// A fault of pincheck, or of the system that it runs on.
        case software
        /// A file or a stream cannot be written.
        case inputOutput
    }

    /// The fault.
    public private(set) var kind: Kind
    /// The fact, without its place and its remedy.
    package private(set) var message: SafeText
    package private(set) var remedy: Remedy?
    /// The place in a file; `nil` if the caller caused the problem.
    package private(set) var place: PinPlace?
    /// The problem's id in lint; `nil` if the problem is not about data, or has moved to another place.
    package private(set) var id: FindingID?
    package private(set) var lines: [String] = []

    package init(_ kind: Kind, _ message: SafeText, _ remedy: Remedy? = nil) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }

    /// Makes a problem of data; outside text is escaped.
    package init(_ id: FindingID, at place: PinPlace, _ reason: String, _ remedy: String? = nil, lines: [String] = []) {
        self.init(
            id.isMissing ? .noInput : .data, SafeText(escaping: reason),
            remedy.map(TerminalText.escaped).map(Remedy.advice))
        (self.place, self.id, self.lines) = (place, id, lines.map(TerminalText.escaped))
    }

    package static func usage(_ message: SafeText, _ remedy: Remedy? = nil) -> Problem {
        Problem(.usage, message, remedy)
    }
    package static func data(_ message: SafeText) -> Problem { Problem(.data, message) }
    package static func noInput(_ message: SafeText) -> Problem { Problem(.noInput, message) }
    package static func software(_ message: SafeText) -> Problem { Problem(.software, message) }
    package static func inputOutput(_ message: SafeText) -> Problem { Problem(.inputOutput, message) }

    package var reason: String { message.description }
    package var advice: String? { remedy?.ownWords }

    package var placed: SafeText {
        guard let place else { return message }
        guard let id else { return place.before(message) }
        // Text that is not the name of a file and not a pin may be a line of a private key.
        let name = id == .missingFile ? KeyMaterial.cut(place.description) : place.description
        return "\(name): \(KeyMaterial.cut(reason))"
    }

    /// One line: the place, the message and the remedy, in the words of no program.
    public var description: String { line(\.words).description }

    private func line(_ words: (Remedy) -> String) -> SafeText { placed + SafeText(escaping: remedy.map(words) ?? "") }

    /// The description with the remedy in the words of a program, and below it the lines to paste.
    package func text(_ words: (Remedy) -> String) -> SafeText {
        let line = line(words)
        let heading: SafeText = id == .wrongValue || id == .pinsNotRead ? "\(line); these were understood:" : "\(line):"
        return lines.isEmpty ? line : .lines([heading] + lines.map { "\($0)" })
    }

    private func changed(_ change: (inout Problem) -> Void) -> Problem {
        var problem = self
        change(&problem)
        return problem
    }

    package func with(reason: String, advice: String?) -> Problem {
        changed {
            $0.message = SafeText(escaping: reason)
            $0.remedy = advice.map(TerminalText.escaped).map(Remedy.advice)
        }
    }

    package func listing(_ lines: [String]) -> Problem { changed { $0.lines = lines.map(TerminalText.escaped) } }
    package func advising(_ words: String) -> Problem { changed { $0.remedy = remedy ?? .advice(words) } }

    /// The problem at a place in a list or a policy, where wrong usage becomes malformed data.
    package func at(_ place: PinPlace) -> Problem {
        var problem = self
        // The file may be right, and the flags contradict it.
        if kind == .usage, remedy != .chooseClient { problem.kind = .data }
        if let own = self.place {
            if let path = own.path, path == place.path { return problem }
            problem.message = placed
            problem.id = nil
        }
        problem.place = place
        return problem
    }

    /// The problem after the name of its subject, as in `--mode 'x' is unknown` and `--sni: the host name …`.
    package func said(of name: SafeText) -> Problem {
        let isOfValue = placed.description.hasPrefix("'") && !name.description.hasSuffix("'")
        return changed { ($0.message, $0.place, $0.id) = (name + (isOfValue ? " " : ": ") + placed, nil, nil) }
    }
}
