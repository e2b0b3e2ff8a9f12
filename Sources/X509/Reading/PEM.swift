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
    private static let header = Array("-----BEGIN CERTIFICATE-----\n".utf8)
    private static let footer = Array("-----END CERTIFICATE-----\n".utf8)
    static let dash = UInt8(ascii: "-")
    static let newline = UInt8(ascii: "\n")
    static let equals = UInt8(ascii: "=")

    /// Whether `bytes` hold the start of a PEM block, anywhere.
    package static func looksLikePEM(_ bytes: [UInt8]) -> Bool { nextBegin(in: bytes, from: 0) != nil }

    /// Every block in `bytes`, in order.
    ///
    /// - Throws: ``X509Error`` with the line of the first block that is broken.
    package static func blocks(in bytes: [UInt8]) throws(X509Error) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var position = 0
        var line = 1
        var counted = 0
        while let start = nextBegin(in: bytes, from: position) {
            line += bytes[counted..<start].count { $0 == UInt8(ascii: "\n") }
            counted = start
            let (block, length) =
                if let plain = plainCertificate(bytes[start...], line: line) { plain } else {
                    try read(bytes[start...], line: line)
                }
            blocks.append(block)
            position = start + length
        }
        return blocks
    }

    /// Reads the block at the start of `bytes` when it is a certificate as everybody writes them: lines of 64 characters.
    ///
    /// `PEM_read_bio` reads every form there is, and takes ten times as long: a millisecond for a usual bundle of roots. It
    /// is asked, and says what is wrong, whenever there is anything else here than the plainest form.
    static func plainCertificate(_ bytes: ArraySlice<UInt8>, line: Int) -> (PEMBlock, Int)? {
        bytes.withUnsafeBufferPointer { buffer in
            guard buffer.count > header.count, header.indices.allSatisfy({ buffer[$0] == header[$0] }) else {
                return nil
            }
            var end = header.count
            while end + 64 < buffer.count, buffer[end] != dash, buffer[end + 64] == newline { end += 65 }
            // The last line of the base64 text may be shorter.
            while end < buffer.count, buffer[end] != dash {
                end += 1
                if buffer[end - 1] == newline { break }
            }
            guard buffer.count - end >= footer.count, footer.indices.allSatisfy({ buffer[end + $0] == footer[$0] }),
                let der = decoded(UnsafeBufferPointer(rebasing: buffer[header.count..<end]))
            else { return nil }
            return (PEMBlock(label: "CERTIFICATE", der: der, line: line, isEncrypted: false), end + footer.count)
        }
    }

    /// The bytes behind base64 in whole groups of four with line breaks between them, `nil` for anything less regular.
    private static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let values = base64Values
        var isRegular = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { bytes, count in
            func value(_ position: Int) -> UInt8 { values[Int(text[position])] }
            var position = 0
            while isRegular, position < text.count {
                if text[position] == newline {
                    position += 1
                    continue
                }
                guard text.count - position > 4 else {
                    isRegular = false
                    return
                }
                let isLast = text.count - position == 5
                let padding = !isLast || text[position + 3] != equals ? 0 : text[position + 2] != equals ? 1 : 2
                let digits = (
                    value(position), value(position + 1), padding > 1 ? 0 : value(position + 2),
                    padding > 0 ? 0 : value(position + 3)
                )
                bytes[count] = digits.0 << 2 | digits.1 >> 4
                bytes[count + 1] = digits.1 << 4 | digits.2 >> 2
                bytes[count + 2] = digits.2 << 6 | digits.3
                isRegular =
                    (digits.0 | digits.1 | digits.2 | digits.3) < 64 && (padding < 1 || bytes[count + 2] == 0)
                    && (padding < 2 || bytes[count + 1] == 0)
                count += 3 - padding
                position += 4
            }
        }
        return isRegular && !bytes.isEmpty ? bytes : nil
    }

    /// The value of each character of the base64 alphabet (RFC 4648, 4), 255 for all others.
    static let base64Values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Reads the block at the start of `bytes`; also says how many bytes it took.
    static func read(_ bytes: ArraySlice<UInt8>, line: Int) throws(X509Error) -> (PEMBlock, Int) {
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

    static func nextBegin(in bytes: [UInt8], from position: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            var start = position
            // Base64 has no dash: from one line of armour to the next is a single call.
            while start + begin.count <= buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + start, Int32(dash), buffer.count - start)
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
