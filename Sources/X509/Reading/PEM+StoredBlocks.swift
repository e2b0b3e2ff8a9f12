/// What stands at one `-----BEGIN` of a store's file.
struct StoredBlock {
    /// The block, `nil` when it cannot be read.
    let block: PEMBlock?
    /// What OpenSSL stumbles over here, `nil` for nothing.
    var damage: X509Error?
    /// Whether OpenSSL passes over it as over any other text, and reads what follows.
    var isPassedOver = false
    /// Whether OpenSSL reads the block too; otherwise it stands inside another, or on the last line of one.
    var isRead = true
}

extension PEM {
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Every block in a store's file, in order, with those OpenSSL stumbles over or does not see: they show what the store was meant to
    /// say.
    ///
    /// As for OpenSSL, a block begins at the begin of a line and ends with the first line that begins with `-----END`. What is
    /// indented or commented out is none. Each byte is looked at a few times only, whatever the file holds.
    static func storedBlocks(in bytes: [UInt8]) -> [StoredBlock] {
        guard let nul = bytes.firstIndex(of: 0) else { return storedBlocks(inText: bytes) }
        // OpenSSL reads each line up to a NUL in it, and stops at one that begins with it: what stands before is sure, and of what follows
        // the words of distrust count, with the rest of such lines and without.
        let start = bytes[..<nul].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let rest = bytes[start...]
        guard rest.contains(where: { $0 != 0 }) else { return storedBlocks(inText: Array(bytes[..<start])) }
        let line = bytes[..<start].count { $0 == newline } + 1
        let damage = StoredBlock(block: nil, damage: X509Error(.brokenPEM, line: line, detail: "a NUL byte"))
        let readings = [rest.filter { $0 != 0 }, lines(cutAtNULs: rest)]
        return storedBlocks(inText: Array(bytes[..<start])) + [damage]
            + readings.flatMap { storedBlocks(inText: $0) }.compactMap(\.block).map {
                StoredBlock(block: $0, isRead: false)
            }
    }

    /// The text as fgets(3) reads it into a string of C: 254 bytes of a line at a time, each up to its first NUL.
    private static func lines(cutAtNULs bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let piece = bytes[position..<min(position + 254, bytes.endIndex)]
            let end = piece.firstIndex(of: newline).map { $0 + 1 } ?? piece.endIndex
            text += bytes[position..<end].prefix { $0 != 0 && $0 != newline }
            text.append(newline)
            position = end
        }
        return text
    }

    private static func storedBlocks(inText bytes: [UInt8]) -> [StoredBlock] {
        var blocks: [StoredBlock] = []
        var line = 1
        var counted = 0
        func count(to position: Int) {
            line += bytes[counted..<position].count { $0 == newline }
            counted = position
        }
        var position = 0
        while let start = nextBegin(in: bytes, from: position) {
            count(to: start)
            // OpenSSL passes over the mark only where it looks for the next block.
            let isMarked = isBehindByteOrderMark(start, in: bytes)
            if !isAtLineStart(start, in: bytes), !(isMarked && start - byteOrderMark.count == position) {
                position = start + 1
                if isMarked || isGlued(start, in: bytes) { blocks += hidden(from: start, in: bytes, line: line) }
            } else if let (block, length) = plainCertificate(bytes[start...], line: line) {
                position = start + length
                blocks.append(StoredBlock(block: block))
            } else if let lineEnd = endOfFalseStart(from: start, in: bytes) {
                let found = hidden(from: start, in: bytes, line: line)
                let error = X509Error(.brokenPEM, line: line, detail: "no start line")
                blocks += [StoredBlock(block: nil, damage: error, isPassedOver: true)] + found
                position = lineEnd
            } else {
                let stop = endOfBlock(from: start, in: bytes)
                do { blocks.append(StoredBlock(block: try read(bytes[start..<stop], line: line).0)) } catch {
                    blocks.append(StoredBlock(block: nil, damage: error))
                    blocks += hidden(from: start, in: bytes, line: line)
                }
                position = start + 1
                while let inner = nextBegin(in: bytes, from: position), inner < stop {
                    count(to: inner)
                    blocks += hidden(from: inner, in: bytes, line: line)
                    position = inner + 1
                }
                position = stop
            }
        }
        return blocks
    }

    /// What can be read at `start` of a block that OpenSSL does not read: up to the begin of the next, without what stands behind its
    /// end.
    private static func hidden(from start: Int, in bytes: [UInt8], line: Int) -> [StoredBlock] {
        let text = bytes[start..<(nextBegin(in: bytes, from: start + 1) ?? bytes.count)]
        let stop = text.firstRange(of: end).flatMap { text[$0.upperBound...].firstRange(of: dashes)?.upperBound }
        guard let block = try? read(text[..<(stop ?? text.endIndex)], line: line).0 else { return [] }
        return [StoredBlock(block: block, isRead: false)]
    }

    /// The end of the line at `start` when it begins as a block does and does not end as its first line has to, `nil` when it does.
    private static func endOfFalseStart(from start: Int, in bytes: [UInt8]) -> Int? {
        let lineEnd = bytes[start...].firstIndex(of: newline) ?? bytes.count
        var last = lineEnd
        // What OpenSSL takes for blanks there depends on whether a char has a sign.
        while last > start, bytes[last - 1] <= 0x20 || bytes[last - 1] >= 0x80 { last -= 1 }
        // OpenSSL reads 254 bytes of a line at a time.
        let isWhole = last - start <= 254 && bytes[start..<last].suffix(dashes.count).elementsEqual(dashes)
        return isWhole ? nil : lineEnd
    }

    /// Whether a line begins with the mark that some editors put before UTF-8, right before `position`.
    private static func isBehindByteOrderMark(_ position: Int, in bytes: [UInt8]) -> Bool {
        let start = position - byteOrderMark.count
        return start >= 0 && isAtLineStart(start, in: bytes) && bytes[start..<position].elementsEqual(byteOrderMark)
    }

    private static func isAtLineStart(_ position: Int, in bytes: [UInt8]) -> Bool {
        position == 0 || bytes[position - 1] == newline
    }

    /// Whether the line up to `position` is the last of a block, or base64: two files put together without a line break.
    private static func isGlued(_ position: Int, in bytes: [UInt8]) -> Bool {
        // No line of armour is anywhere near as long.
        let near = bytes[max(0, position - 254)..<position]
        let line = near[(near.lastIndex(of: newline).map { $0 + 1 } ?? near.startIndex)...]
        return line.starts(with: end) && line.last == dash
            || line.allSatisfy { base64Values[Int($0)] < 64 || $0 == equals }
    }

    /// Behind the line that ends the block at `start`, or the end of everything.
    private static func endOfBlock(from start: Int, in bytes: [UInt8]) -> Int {
        var position = start
        while let lineEnd = bytes[position...].firstIndex(of: newline) {
            if bytes[position...].starts(with: end) { return lineEnd + 1 }
            position = lineEnd + 1
        }
        return bytes.count
    }
}
