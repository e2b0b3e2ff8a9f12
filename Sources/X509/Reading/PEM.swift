import Base
import COpenSSL

/// One block of PEM text (RFC 7468).
package struct PEMBlock: Hashable {
    package private(set) var label = "CERTIFICATE"
    /// The content; empty if the block is encrypted.
    package let der: [UInt8]
    /// The line of its `-----BEGIN`, from 1; 0 in DER.
    package private(set) var line = 0
    /// `true` if the block has the headers of an encrypted key (RFC 1421).
    package private(set) var isEncrypted = false
    /// `true` if text, also an empty line, is between the block and the one before, or the start.
    package fileprivate(set) var followsText = false
}

/// Reads PEM text with OpenSSL (`PEM_read_bio`), which ignores the text around the blocks.
package enum PEM {
    private static let begin = "-----BEGIN ".bytes
    private static let newline = UInt8(ascii: "\n")
    private static let head = "-----BEGIN CERTIFICATE-----\n".bytes
    private static let foot = "-----END CERTIFICATE-----\n".bytes

    package static func looksLikePEM(_ bytes: [UInt8]) -> Bool { bytes.holds(begin) }

    /// Reads every block in order; text around them may contain armour, but not in a store: OpenSSL skips a block that
    /// begins within a line, or whose line goes on after the dashes, even if the block means distrust.
    package static func blocks(in bytes: [UInt8], isStore: Bool = false) throws(X509Error) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var position = 0
        var line = 1
        var counted = 0
        while let start = bytes.position(of: begin, from: position) {
            line += bytes[counted..<start].count { $0 == newline }
            counted = start
            var (block, length) = try read(bytes[start...], line: line)
            block.followsText = start > position
            blocks.append(block)
            position = start + length
            guard isStore else { continue }
            let isAtLineStart = start == 0 || bytes[start - 1] == newline
            if !isAtLineStart || bytes.position(of: begin, from: start + 1).map({ $0 < position }) ?? false {
                throw X509Error(.brokenPEM, line: line, detail: "no start line")
            }
        }
        return blocks
    }

    /// Reads a certificate in the usual form, in a twentieth of OpenSSL's time; `nil` if only OpenSSL can read it.
    private static func readPlain(_ text: UnsafeBufferPointer<UInt8>, line: Int) -> (PEMBlock, Int)? {
        guard let base = text.baseAddress, text.count > head.count, memcmp(base, head, head.count) == 0,
            let dash = memchr(base + head.count, Int32(UInt8(ascii: "-")), text.count - head.count)
        else { return nil }
        let end = UnsafeRawPointer(dash) - UnsafeRawPointer(base)
        guard text.count - end >= foot.count, memcmp(base + end, foot, foot.count) == 0 else { return nil }
        var digits: [UInt8] = []
        digits.reserveCapacity(end - head.count)
        for start in stride(from: head.count, to: end, by: 65) {
            let lineEnd = min(start + 64, end - 1)
            guard start < lineEnd, text[lineEnd] == newline else { return nil }
            digits.append(contentsOf: text[start..<lineEnd])
        }
        // OpenSSL takes padding for zeros, even in the middle.
        let padding = digits.suffix(2).count { $0 == "=" }
        let isPadded = memchr(digits, Int32(UInt8(ascii: "=")), max(0, digits.count - padding)) != nil
        var isWhole = false
        let der = [UInt8](unsafeUninitializedCapacity: digits.count / 4 * 3) { bytes, count in
            let length = Int(EVP_DecodeBlock(bytes.baseAddress, digits, Int32(clamping: digits.count)))
            isWhole = !digits.isEmpty && length * 4 == digits.count * 3
            count = isWhole ? length - padding : 0
        }
        guard isWhole, !isPadded else { return nil }
        return (PEMBlock(der: der, line: line), end + foot.count)
    }

    /// Reads the block at the start of `bytes`; also returns its length in bytes.
    private static func read(_ bytes: ArraySlice<UInt8>, line: Int) throws(X509Error) -> (PEMBlock, Int) {
        if let read = bytes.withUnsafeBufferPointer({ readPlain($0, line: line) }) { return read }
        ERR_clear_error()
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

    static func hasBlock(_ label: String, in bytes: [UInt8]) -> Bool { bytes.holds(begin + label.utf8) }
}
