/// What a policy file says: the hosts to check, and for each of them how.
package struct Policy: Sendable {
    /// The path the policy was read from.
    package let path: String
    /// The hosts in their order, at least one; what the defaults say is part of each.
    package let hosts: [Host]

    /// One host of a policy.
    package struct Host: Sendable {
        /// The host as the file has it, perhaps with a port.
        package let name: String
        /// Where it stands.
        package let place: PinPlace
        /// What is said of it: its own settings, and the defaults for the rest.
        package let settings: [PolicyKey: PolicyValue]

        /// The name without a port.
        package var hostName: String {
            guard let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon else { return name }
            return String(name[..<colon])
        }

        /// Its sources of pins; none when nothing is said of pins.
        package var pins: [PinSource] { (settings[.pins]?.texts ?? []).map { PinSource($0.text, at: $0.place) } }
    }
}

/// A value in a policy with its place.
package struct PolicyValue: Sendable {
    /// What the value is.
    package enum Content: Sendable, Hashable {
        case text(String)
        /// Texts, each with the place it stands at.
        case texts([PlacedText])
        case flag(Bool)
        /// A number above 0.
        case number(Double)
        /// A whole number.
        case integer(Int)
        /// Whole numbers.
        case numbers([Int])
    }

    /// The value.
    package let content: Content
    /// Where it stands.
    package let place: PinPlace
}

extension PolicyValue {
    /// The text, `nil` for a value of another kind.
    package var text: String? { if case .text(let text) = content { text } else { nil } }

    /// The texts with their places; none for a value of another kind.
    package var texts: [PlacedText] { if case .texts(let texts) = content { texts } else { [] } }

    /// The flag, `nil` for a value of another kind.
    package var flag: Bool? { if case .flag(let flag) = content { flag } else { nil } }

    /// The number, `nil` for a value of another kind.
    package var number: Double? { if case .number(let number) = content { number } else { nil } }

    /// The whole number, `nil` for a value of another kind.
    package var integer: Int? { if case .integer(let integer) = content { integer } else { nil } }

    /// The whole numbers; none for a value of another kind.
    package var integers: [Int] { if case .numbers(let numbers) = content { numbers } else { [] } }
}

/// A text and where it stands.
package struct PlacedText: Sendable, Hashable {
    /// The text.
    package let text: String
    /// Where it stands.
    package let place: PinPlace

    /// Puts a text and its place together.
    package init(text: String, place: PinPlace) {
        self.text = text
        self.place = place
    }
}
