internal import COpenSSL
internal import Pinning

extension KeyAlgorithm {
    /// The names people know the curves by (OpenSSL says `prime256v1` for P-256).
    private static let curveNames = ["prime256v1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"]

    /// Describes the key of an `X509`, also one that OpenSSL cannot use.
    init(ofCertificate certificate: OpaquePointer) {
        if let key = X509_get0_pubkey(certificate) {
            self.init(of: key)
        } else {
            self = .unknown(name: Self.algorithmName(of: certificate))
        }
    }

    /// Describes an `EVP_PKEY`.
    init(of key: OpaquePointer) {
        let bits = Int(EVP_PKEY_get_bits(key))
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
        switch name {
        case "RSA", "RSA-PSS": self = .rsa(bits: bits)
        case "EC":
            var group = [CChar](repeating: 0, count: 80)
            let known = EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1
            let curve = group.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
            self = .ec(curve: known ? Self.curveNames[curve] ?? curve : "with explicit parameters", bits: bits)
        default: self = .other(name: name, bits: bits)
        }
    }

    private static func algorithmName(of certificate: OpaquePointer) -> String {
        var object: OpaquePointer?
        X509_PUBKEY_get0_param(&object, nil, nil, nil, X509_get_X509_PUBKEY(certificate))
        guard let object else { return "unknown algorithm" }
        let number = OBJ_obj2nid(object)
        if number != NID_undef, let name = OBJ_nid2sn(number) { return String(cString: name) }
        // OpenSSL has no name for it: its number, as in 1.3.6.1.4.1.
        var text = [CChar](repeating: 0, count: 128)
        guard OBJ_obj2txt(&text, Int32(text.count), object, 1) > 0 else { return "unknown algorithm" }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? "unknown algorithm"
    }
}
