extension String {
    /// Whether `part` stands in the text, byte by byte.
    ///
    /// `contains` and `firstRange` of the library make types at run time wherever they are called: tens of thousands of instructions for
    /// a text of ten bytes, which counts where it is asked of every certificate of a thousand servers. Meant for short texts: it looks
    /// at each place anew.
    package func holdsBytes(of part: String) -> Bool {
        let found = utf8.withContiguousStorageIfAvailable { text in
            part.utf8.withContiguousStorageIfAvailable { Self.holds($0, in: text) }
        }
        return (found ?? nil)
            ?? Array(utf8).withUnsafeBufferPointer { text in
                Array(part.utf8).withUnsafeBufferPointer { Self.holds($0, in: text) }
            }
    }

    private static func holds(_ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = part.first else { return true }
        guard part.count <= text.count else { return false }
        for start in 0...(text.count - part.count) where text[start] == first {
            var length = 1
            while length < part.count, text[start + length] == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
