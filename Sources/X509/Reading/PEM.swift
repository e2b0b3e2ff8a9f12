internal import Base
internal import COpenSSL

/// One block of PEM text (RFC 7468).
package struct PEMBlock: Sendable, Hashable {
    /// What the block says it holds, as in `CERTIFICATE`.
    package let label: String
    /// The bytes it holds.
    ///
    /// Those of an encrypted block are left out: ``isEncrypted`` says so.
    package let der: [UInt8]
    /// The line of its `-----BEGIN`, from 1.
    package let line: Int
    /// Whether the block has the headers of an encrypted key (RFC 1421).
    package let isEncrypted: Bool
}

/// Reads PEM text with OpenSSL (`PEM_read_bio`), which passes over whatever stands around the blocks.
package enum PEM {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let newline = UInt8(ascii: "\n")

    /// Whether `bytes` hold the start of a PEM block, anywhere.
    package static func looksLikePEM(_ bytes: [UInt8]) -> Bool { nextBegin(in: bytes, from: 0) != nil }

    /// Every block in `bytes`, in order.
    ///
    /// Text around blocks may speak of their armour. In a file of a store, `isStore`, it may not: OpenSSL passes over what does not begin a
    /// line or goes on behind its dashes, be it meant to trust or to distrust.
    ///
    /// - Throws: ``X509Error`` with the line of the first block that is broken.
    package static func blocks(in bytes: [UInt8], isStore: Bool = false) throws(X509Error) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var position = 0
        var line = 1
        var counted = 0
        while let start = nextBegin(in: bytes, from: position) {
            line += bytes[counted..<start].count { $0 == newline }
            counted = start
            let (block, length) = try read(bytes[start...], line: line)
            blocks.append(block)
            position = start + length
            guard isStore else { continue }
            let isAtLineStart = start == 0 || bytes[start - 1] == newline
            if !isAtLineStart || nextBegin(in: bytes, from: start + 1).map({ $0 < position }) ?? false {
                throw X509Error(.brokenPEM, line: line, detail: "no start line")
            }
        }
        return blocks
    }

    /// Reads the block at the start of `bytes`; also says how many bytes it took.
    private static func read(_ bytes: ArraySlice<UInt8>, line: Int) throws(X509Error) -> (PEMBlock, Int) {
        OpenSSLFailure.forget()
        let read = bytes.withUnsafeBufferPointer { buffer -> (PEMBlock, Int)? in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer { BIO_free(bio) }
            var name: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var data: UnsafeMutablePointer<UInt8>?
            var length = 0
            guard PEM_read_bio(bio, &name, &header, &data, &length) == 1, let name, let header, let data else {
                return nil
            }
            defer {
                COpenSSL_OPENSSL_free(name)
                COpenSSL_OPENSSL_free(header)
                COpenSSL_OPENSSL_free(data)
            }
            let isEncrypted = header.pointee != 0
            let block = PEMBlock(
                label: String(cString: name),
                der: isEncrypted ? [] : Array(UnsafeBufferPointer(start: data, count: length)), line: line,
                isEncrypted: isEncrypted)
            return (block, buffer.count - Int(BIO_ctrl_pending(bio)))
        }
        guard let read else { throw X509Error(.brokenPEM, line: line, detail: OpenSSLFailure.takeReason()) }
        return read
    }

    /// Whether `bytes` hold the start of a block with this label, anywhere.
    static func hasBlock(_ label: String, in bytes: [UInt8]) -> Bool {
        var position = 0
        while let start = nextBegin(in: bytes, from: position) {
            position = start + begin.count
            if bytes[position...].starts(with: label.utf8) { return true }
        }
        return false
    }

    private static func nextBegin(in bytes: [UInt8], from position: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            var start = position
            // Base64 has no dash: from one line of armour to the next is a single call.
            while start + begin.count <= buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "-")), buffer.count - start)
            {
                start = UnsafeRawPointer(found) - base
                guard start + begin.count <= buffer.count else { return nil }
                if begin.indices.allSatisfy({ buffer[start + $0] == begin[$0] }) { return start }
                start += 1
            }
            return nil
        }
    }
}
