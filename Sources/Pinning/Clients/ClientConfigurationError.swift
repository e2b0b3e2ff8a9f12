/// Why a client could not be set up: its app would throw when it starts, so there is no verdict.
public struct ClientConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The client's name.
    public let client: String
    /// What is wrong and what to do, in one line.
    public let message: String

    /// Says what `client` does not take.
    public init(client: String, message: String) {
        self.client = client
        self.message = message
    }

    /// The client and the message.
    public var description: String { "\(client): \(message)" }
}
