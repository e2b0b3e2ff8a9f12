import Base
import Pinning

extension Findings {
    mutating func certificates() {
        for set in linter.comparesCertificates ? source.sets : [] { validity(set) }
        for set in linter.comparesCertificates ? source.sets : [] { leaves(set) }
        applesLimits()
        for set in source.sets { authorityBesideLeaf(set) }
        for pin in source.sets.flatMap(\.pins) { weakCryptography(pin) }
    }

    private mutating func validity(_ set: PinnedSet) {
        let certificates = set.certificates
        guard let last = certificates.max(by: { $0.certificate.notAfter < $1.certificate.notAfter }) else { return }
        let end = last.certificate.notAfter
        for (certificate, place) in certificates { validity(certificate, place, isLast: certificate.notAfter == end) }
        if set.kind == nil, !linter.isPast(end), !linter.isNearEnd(of: last.certificate) {
            let of = certificates.count > 1 ? ", with the last of \(certificates.count) certificates" : ""
            add(
                .certificateModeEnds, at: last.place, "an app in certificate mode stops working on \(end.date)\(of)",
                "ship its successor before")
        }
    }

    private mutating func validity(_ certificate: Certificate, _ place: PinPlace, isLast: Bool) {
        let name = shortened(certificate.description)
        let end = certificate.notAfter
        if linter.isPast(end) {
            add(
                .pinnedCertificateExpired, isLast ? .error : .warning, at: place,
                "\(name) expired on \(end.date)"
                    + (isLast ? ": an app in certificate mode has stopped working" : ", and others are still valid"),
                isLast ? "pin its successor, or keys" : "remove it")
        } else if linter.isNearEnd(of: certificate) {
            add(
                .pinnedCertificateExpiresSoon, at: place,
                isLast
                    ? "an app in certificate mode stops working on \(end.date), when \(name) expires"
                    : "\(name) expires on \(end.date)", "ship its successor as well")
        } else if linter.now < certificate.notBefore {
            add(
                .pinnedCertificateNotYetValid, at: place, "\(name) is valid from \(certificate.notBefore.date) on",
                "keep its predecessor until then")
        }
    }

    private mutating func leaves(_ set: PinnedSet) {
        let leaves = set.certificates.filter { !$0.certificate.isAuthority }
        for leaf in leaves {
            add(
                .leafCertificatePinned, of: set, at: leaf.place,
                "\(shortened(leaf.certificate.description)) is a leaf certificate: "
                    + "a client that compares certificates refuses the renewed one, even with the same key",
                "pin its key, or compare keys only")
        }
        guard leaves.count > 1, leaves.count == set.pins.count else { return }
        add(
            .onlyLeafPins, of: set,
            "\(leaves.count == 2 ? "both" : "all \(leaves.count)") pins\(set.forHost) are leaf certificates",
            "pin the key of a CA or a key in reserve beside them")
    }

    private mutating func authorityBesideLeaf(_ set: PinnedSet) {
        // NSPinnedDomains is exempt, because its lists of leaves and CAs must both match.
        guard !set.isExcluded, set.kind != .nsPinnedDomains,
            set.certificates.contains(where: { !$0.certificate.isAuthority }),
            let authority = set.certificates.first(where: { $0.certificate.isAuthority })
        else { return }
        add(
            .authorityBesideLeaf, of: set, at: authority.place,
            "\(shortened(authority.certificate.description)) is a CA, pinned beside a server's own key: "
                + "every certificate it issues for the name is accepted",
            "leave the CA out, and pin a key of your own in reserve, unless this is meant")
    }

    /// Reports pinned server certificates that Apple's platforms never accept, even if the app makes them anchors.
    ///
    /// The stricter limits below public roots are not checked, because public CAs keep them.
    private mutating func applesLimits() {
        let clients = linter.clients
        guard clients.isEmpty || clients.contains(where: { $0.platform == .apple }) else { return }
        for set in source.sets where set.kind == nil || set.kind == .appBundle {
            for (leaf, place) in set.certificates where !leaf.isAuthority {
                for failure in Platform.apple().objections(toLeaf: leaf, endingAt: .own) {
                    let rule: (FindingID, String)? =
                        switch failure.reason {
                        case .lifetimeTooLong(_, let limit): (.lifetimeTooLong, "issue it for \(limit) days or fewer")
                        case .noServerAuth: (.noServerAuth, "issue it with extendedKeyUsage = serverAuth")
                        case .keyUsage(let lacking): (.keyUsage, "issue it with keyUsage = \(lacking)")
                        default: nil
                        }
                    guard let (kind, remedy) = rule else { continue }
                    add(
                        kind, of: set, at: place, "\(failure): apps on Apple's platforms fail from the first day on",
                        remedy)
                }
            }
        }
    }

    private mutating func weakCryptography(_ pin: Pin) {
        let certificate = pin.certificate
        let key = publicKeys[pin.spkiSHA256]?.algorithm
        let reason: String? =
            switch key {
            case .rsa(let bits) where bits < 2048, .rsaPSS(let bits) where bits < 2048: "clients want 2048 bits"
            case .ec(_, let bits) where bits < 256: "clients want 256 bits"
            case .other(let name, _) where name.uppercased() == "DSA": "clients no longer take DSA"
            default: nil
            }
        if let key, let reason {
            let owner = certificate.map { "of \(shortened($0.description)) " } ?? ""
            add(
                .weakKey, at: pin.place, "the key \(owner)is \(key): \(reason)",
                "replace it by EC P-256 or RSA with 2048 bits")
        }
        // Clients do not verify the signature of a root.
        guard let certificate, !certificate.isSelfIssued else { return }
        let algorithm = certificate.signatureAlgorithm
        let folded = algorithm.lowercased().filter { $0 != "-" }
        guard let hash = ["md2", "md4", "md5", "sha1"].first(where: { folded.contains($0) }) else { return }
        add(
            .weakSignature, at: pin.place,
            "\(shortened(certificate.description)) is signed with \(shortened(algorithm)): "
                + "clients refuse \(hash == "sha1" ? "SHA-1" : hash.uppercased())", "have it issued again with SHA-256")
    }
}

extension Certificate {
    /// `true` if it is a CA; without basicConstraints, if it is self-issued and has no alternative names.
    var isAuthority: Bool { isCertificateAuthority ?? (isSelfIssued && names.isEmpty) }
}
