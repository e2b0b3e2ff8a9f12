package import Base
package import PinFormats

/// Why nothing can be checked: what is asked for contradicts itself, or cannot be read.
///
/// Never a verdict.
public struct CheckError: Error, Hashable, Sendable {
    /// Whose fault it is, by which a program chooses how to end.
    public enum Kind: Hashable, Sendable {
        /// What is asked for makes no sense.
        case request
        /// A file is malformed, or a client cannot be set up with what it holds.
        case data
        /// A file is missing or unreadable.
        case missing
        /// The fault is pincheck's own, or of the system it runs on.
        case software
    }

    /// Whose fault it is.
    public let kind: Kind
    package let message: SafeText
    /// What to do about it, `nil` where the message says it.
    package let remedy: Remedy?
    /// Where it stands in a list or a policy, `nil` for what the caller says itself.
    package private(set) var place: PinPlace?

    package static func said(_ kind: Kind, _ message: SafeText, _ remedy: Remedy? = nil) -> CheckError {
        CheckError(kind: kind, message: message, remedy: remedy)
    }

    static func request(_ message: SafeText, _ remedy: Remedy? = nil) -> CheckError { said(.request, message, remedy) }

    static func data(_ message: SafeText, _ remedy: Remedy? = nil) -> CheckError { said(.data, message, remedy) }

    /// The error with a place in a list or a policy, where it has none yet.
    func at(_ place: PinPlace) -> CheckError {
        var error = self
        error.place = self.place ?? place
        return error
    }
}

extension CheckError: CustomStringConvertible {
    package init(_ error: PinFormatError) {
        self.init(kind: error.kind == .missing ? .missing : .data, message: error.message, remedy: nil)
    }

    /// One line that says what is wrong and what to do, in words of no program's.
    public var description: String { placed.description + (remedy?.words ?? "") }

    package var placed: SafeText { place?.before(message) ?? message }
}
