import COpenSSL
package import Pinning
import X509

/// A client certificate with its key.
///
/// Owns one reference to the `EVP_PKEY`; no description shows the key. Sendable because it never changes after `init`;
/// OpenSSL counts references atomically, and any number of threads may sign with one key.
package final class ClientIdentity: Hashable, @unchecked Sendable {
    /// The certificates, the client's own first; at least one.
    let certificates: [PathNode]
    let key: OpaquePointer
    package let leaf: Certificate

    /// Reads the client's certificate, its intermediates and its key; one PEM file may contain all of them.
    package init(certificates: [UInt8], key: [UInt8]) throws(ClientIdentityError) {
        let chain = try Self.chain(in: certificates)
        let privateKey = try Self.encodingOfKey(in: key)
        COpenSSL_learn_names()
        // OpenSSL's reason for a broken key is dropped, because it could quote the key.
        defer { ERR_clear_error() }
        let parsedKey = privateKey.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, bytes.count)
        }
        guard let parsedKey else {
            throw (try? CertificateReader.certificate(der: privateKey)) == nil ? .unreadableKey : .certificateAlone
        }
        (self.key, leaf) = (parsedKey, chain[0])
        self.certificates = chain.compactMap(\.node)
        guard let own = self.certificates.first, X509_check_private_key(own.pointer, parsedKey) == 1 else {
            throw .mismatch
        }
    }

    deinit { EVP_PKEY_free(key) }

    private static func chain(in certificates: [UInt8]) throws(ClientIdentityError) -> [Certificate] {
        let chain: [Certificate]
        do { chain = try CertificateReader.certificates(pemOrDER: certificates) } catch {
            // PFX ::= SEQUENCE { version INTEGER (3), … (RFC 7292).
            if certificates.first == 0x30,
                certificates.prefix(9).suffix(7).starts(with: [0x02, 0x01, 0x03])
                    || certificates.dropFirst(4).starts(with: [0x02, 0x01, 0x03])
            {
                throw .keyStore
            }
            throw .unreadableCertificate(error.description)
        }
        guard !chain.isEmpty else { throw .noCertificate }
        return chain
    }

    /// The reason why servers reject the certificate at `time` (RFC 5280, 4.1.2.5, 4.2.1.12); `nil` if there is none.
    package func unfitness(at time: Timestamp) -> String? {
        if leaf.notAfter < time { return "expired at \(leaf.notAfter)" }
        if time < leaf.notBefore { return "is not valid before \(leaf.notBefore)" }
        guard let uses = leaf.extendedKeyUsage, !uses.contains(where: Self.usesOfClients.contains) else { return nil }
        return "is not for clients: its extended key usage is \(uses.joined(separator: ", "))"
    }

    private static let usesOfClients: Set = ["clientAuth", "1.3.6.1.5.5.7.3.2", "anyExtendedKeyUsage", "2.5.29.37.0"]

    /// The key's DER: the contents of the PEM block of a private key, or the whole file.
    private static func encodingOfKey(in file: [UInt8]) throws(ClientIdentityError) -> [UInt8] {
        guard PEM.looksLikePEM(file) else { return file }
        let blocks: [PEMBlock]
        do { blocks = try PEM.blocks(in: file) } catch { throw .unreadableKey }
        guard let block = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else { throw .noKey }
        guard !block.isEncrypted, block.label != "ENCRYPTED PRIVATE KEY" else { throw .encryptedKey }
        guard block.label != "OPENSSH PRIVATE KEY" else { throw .sshKey }
        return block.der
    }

    package static func == (left: ClientIdentity, right: ClientIdentity) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The reason why a client certificate cannot be used; contains no part of the key.
package enum ClientIdentityError: Error, Hashable, CustomStringConvertible {
    case noCertificate
    case unreadableCertificate(String)
    case noKey
    case certificateAlone, keyStore, encryptedKey, sshKey, unreadableKey, mismatch

    /// The fact and its remedy, to follow the name of the file.
    package var description: String {
        switch self {
        case .noCertificate: "holds no certificate: give PEM certificates, the client's own first"
        case .unreadableCertificate(let reason): "holds no readable certificate: \(reason)"
        case .noKey: "holds no private key: give one in PEM, PKCS #8 or as openssl writes it"
        case .certificateAlone: "holds a certificate and no key: give it with --key"
        case .keyStore: "is PKCS #12, which is not read: openssl pkcs12 -in FILE -nodes -out client.pem"
        case .encryptedKey: "holds a key with a passphrase: remove it with 'openssl pkey'"
        case .sshKey: "holds a key in the form of OpenSSH: convert it with 'ssh-keygen -p -m PEM'"
        case .unreadableKey: "holds a private key that cannot be read: it is damaged or of an unknown kind"
        case .mismatch:
            "holds a key that does not belong to the client's certificate, which has to come first in its file"
        }
    }
}
