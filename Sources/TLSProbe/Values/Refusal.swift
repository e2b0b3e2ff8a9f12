/// Why what a user gave cannot be used: what is wrong and what to give, for the end of a line that names it.
package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// What is wrong alone.
    package var fact: Substring { description.prefix { $0 != ":" } }
}
