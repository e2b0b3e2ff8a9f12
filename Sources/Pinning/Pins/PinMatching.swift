extension PinSet {
    /// The pins whose certificate is on the chain, byte for byte, nearest to the leaf first.
    public func certificateMatches(on chain: BuiltChain) -> [PinMatch] {
        matches(on: chain) { pin, certificate in pin.certificate == certificate }
    }

    /// The pins whose public key is on the chain, nearest to the leaf first.
    public func publicKeyMatches(on chain: BuiltChain) -> [PinMatch] {
        matches(on: chain) { pin, certificate in pin.spkiSHA256 == certificate.publicKey.spkiSHA256 }
    }

    /// The pins that are on the chain by a rule of a client's own, nearest to the leaf first.
    func matches(on chain: BuiltChain, where isEqual: (Pin, Certificate) -> Bool) -> [PinMatch] {
        chain.certificates.enumerated().flatMap { depth, certificate in
            pins.enumerated().compactMap { index, pin in
                isEqual(pin, certificate) ? PinMatch(pinIndex: index, depth: depth) : nil
            }
        }
    }
}
