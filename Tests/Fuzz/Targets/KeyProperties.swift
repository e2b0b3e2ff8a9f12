import PinFormats
import Pinning

/// What holds for the keys that pins are made of.
enum KeyProperties {
    /// Reads `bytes` as certificates, requests and keys, and writes pins of them.
    static func check(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        let path = scratch.write(bytes, to: "key")
        var items: [PinItem] = []
        let input = try read { () throws(PinFormatError) in try PinInput.read(bytes, name: "source") }
        if case .items(let found)? = input { items = found }
        // OpenSSL tries one kind of private key after the other, which takes as long as all the rest.
        let isKey = scratch.choice.isMultiple(of: 8)
        let own = try !isKey ? nil : read { () throws(PinFormatError) in try KeyFile.publicHalf(ofKeyFile: path) }
        for item in items + [own].compactMap(\.self) {
            let hash = item.certificate?.publicKey.spkiSHA256 ?? item.publicKey?.spkiSHA256
            try Violation.unless(hash == item.spkiSHA256, "a key with the hash of another one")
            guard let certificate = item.certificate else { continue }
            let name = CertificateFileName.name(of: certificate, role: item.role)
            try Violation.unless(
                name.utf8.count < 200 && !name.contains("/") && !name.contains("..") && name.hasSuffix(".cer"),
                "a file named \(name.debugDescription)")
        }
        try RoundTrip.check(items, in: scratch)
    }

    /// What `read` gives, `nil` for an error with a good message.
    private static func read<Value>(_ read: () throws(PinFormatError) -> Value) throws(Violation) -> Value? {
        let result = Result(catching: read)
        if case .failure(let error) = result { try Violation.unlessMessage(error.description) }
        return try? result.get()
    }
}
