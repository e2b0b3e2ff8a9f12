/// One side of a conversation with a client, apart from sockets: bytes in, bytes out.
protocol Conversation: AnyObject {
    /// Whether nothing more will be said once ``takeOutput()`` is empty: the sending side can be closed.
    var isFinished: Bool { get }

    /// Starts, before the client has said anything.
    func begin()

    func receive(_ bytes: ArraySlice<UInt8>)

    /// Hands over what is to be said next and forgets it. Asked again each time it was sent.
    func takeOutput() -> [UInt8]
}

/// A conversation of fixed bytes, or of none.
final class ScriptedConversation: Conversation {
    private var output: [UInt8] = []
    private var script: ServerBehavior.Script?
    private(set) var isFinished = false

    /// Follows `script`; without one it only listens.
    init(_ script: ServerBehavior.Script?) { self.script = script }

    func begin() { if script?.waitsForClient == false { play() } }

    func receive(_ bytes: ArraySlice<UInt8>) { play() }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    private func play() {
        guard let script else { return }
        output = script.bytes
        isFinished = script.ending == .closes
        self.script = nil
    }
}
