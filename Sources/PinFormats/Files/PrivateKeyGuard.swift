/// Finds private keys in files before any reader looks at them, so that no message can show a part of one.
package enum PrivateKeyGuard {
    private static let pemMark = Array("PRIVATE KEY-----".utf8)
    private static let puttyMark = Array("PuTTY-User-Key-File-".utf8)

    /// Throws when `file` is or holds a private key: DER, PEM of any kind, OpenSSH's, PuTTY's, or a PKCS #12 store.
    package static func refusePrivateKeys(in file: PinFile) throws(PinFormatError) {
        if file.bytes.starts(with: puttyMark) { throw .privateKey(at: file.place(line: 1)) }
        if let position = position(of: pemMark, in: file.bytes) {
            let line = file.bytes[..<position].count { $0 == UInt8(ascii: "\n") } + 1
            throw .privateKey(at: file.place(line: line))
        }
        guard file.text == nil else { return }
        switch DERShape(file.bytes) {
        case .privateKey: throw .privateKey(at: file.place)
        case .keyStore:
            throw PinFormatError(
                .privateKey, at: file.place, "a PKCS #12 store, which holds a private key; it was not used",
                remedy: "take the certificates out of it:"
                    + " openssl pkcs12 -in \(file.shellWord) -nokeys -out certificates.pem")
        default: return
        }
    }

    private static func position(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var start = 0
            while start + mark.count <= buffer.count {
                if buffer[start] == mark[0], mark.indices.allSatisfy({ buffer[start + $0] == mark[$0] }) {
                    return start
                }
                start += 1
            }
            return nil
        }
    }
}
