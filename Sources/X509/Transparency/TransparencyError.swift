/// Why bytes could not be read as a list of signed certificate timestamps.
package struct TransparencyError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Problem: Sendable, Hashable {
        /// The list is shorter or longer than it says, or empty.
        case brokenList
        /// The extension does not hold what it has to.
        case brokenExtension
        /// A certificate has the extension twice.
        case repeatedExtension
    }

    /// What is wrong.
    package let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// One line that says what is wrong.
    package var description: String {
        switch problem {
        case .brokenList: "the list of signed certificate timestamps is damaged"
        case .brokenExtension: "the extension with signed certificate timestamps is damaged"
        case .repeatedExtension: "the extension with signed certificate timestamps is there twice"
        }
    }
}
