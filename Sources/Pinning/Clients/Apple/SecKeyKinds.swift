extension KeyAlgorithm {
    /// Whether Apple's system hands out keys of this kind as `SecKey`: RSA and ECDSA, and no others (`SecTrustCopyKey` is nil for them).
    public var hasSecKey: Bool {
        switch self {
        case .rsa, .ec: true
        case .other, .unknown: false
        }
    }
}

extension PinSet {
    /// The positions of the pins that are keys an app can hold as `SecKey`.
    ///
    /// - Returns: the positions, none when no pin is such a key.
    func indicesOfSecKeys(besides certificates: [Certificate]) -> Set<Int> {
        let others = Set(
            (self.certificates + certificates).map(\.publicKey).filter { !$0.algorithm.hasSecKey }.map(\.spkiSHA256))
        return Set(pins.indices.filter { !others.contains(pins[$0].spkiSHA256) })
    }
}
