/// A request for a server that is accepted, and who takes the response.
package struct HTTPExchange: Sendable {
    package let request: HTTPRequest
    /// Takes the response; `nil` where its head is all that is wanted.
    package let receiver: (any HTTPReceiver)?
    /// How long the body may pause once the head is there; `nil` where the deadline of the connection is that of all.
    package let patience: Duration?

    package init(_ request: HTTPRequest, for receiver: (any HTTPReceiver)? = nil, patience: Duration? = nil) {
        self.request = request
        self.receiver = receiver
        self.patience = patience
    }
}

/// Takes a response as it comes, on the event loop, and says whether to go on.
package protocol HTTPReceiver: AnyObject, Sendable {
    /// Takes the head; `false` ends the exchange without its body.
    func receive(_ head: HTTPResponse) -> Bool

    /// Takes the next bytes of the body; `false` ends the exchange.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}
