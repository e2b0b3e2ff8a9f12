extension ServerBehavior.Delivery {
    /// One of the ways a server can spoil a handshake from the byte `position` on, chosen by `generator`.
    public static func hostile(at position: Int, using generator: inout SeededGenerator) -> Self {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .stalls(afterBytes: position)
        case 1: .urges(afterBytes: position, thenStalls: true)
        case 2: .urges(afterBytes: position, thenStalls: false)
        case 3: .drips(bytes: 1, everyMilliseconds: 20, afterBytes: position)
        case 4: .closes(afterBytes: position)
        default: .resets(afterBytes: position)
        }
    }
}
