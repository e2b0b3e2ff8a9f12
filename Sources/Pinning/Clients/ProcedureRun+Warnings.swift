internal import Base

/// Warnings that every client needs.
extension ProcedureRun {
    /// Warns of pins among the presented certificates that are not on the built chain.
    ///
    /// Presenting a certificate proves nothing (CVE-2016-2402).
    mutating func warnOfPresentedPins(_ built: BuiltChain) {
        guard let pins else { return }
        let unused = view.presented.certificates.filter { !built.certificates.contains($0) }
        guard let certificate = unused.first(where: { pins.isPinned($0) }) else { return }
        warn(
            .pinOnlyPresented,
            "a pinned key is presented in \(certificate) but is not on the built chain: presenting a certificate proves nothing"
        )
    }

    /// Warns when the pins hold on one valid path and not on another, or end otherwise there.
    mutating func warnOfPathDependence(_ result: TrustResult, holds: (BuiltChain) -> some Equatable) {
        let paths = result.validPaths
        guard paths.count > 1, let first = paths.first else { return }
        let isFirst = holds(.verified(first))
        guard paths.dropFirst().contains(where: { holds(.verified($0)) != isFirst }) else { return }
        warn(
            .pathDependent,
            "the pins hold on one valid path and not on another: the verdict depends on the path a device builds")
    }

    /// Warns when a path exists only because a pinned certificate completes it.
    mutating func warnOfMissingIntermediates(_ built: BuiltChain) {
        let pinned = pins?.certificates ?? []
        // A verified path ends at an anchor, which no server need send; what says nothing of where its issuer is had none fetched.
        let links = zip(built.certificates, built.certificates.dropFirst().dropLast(built.isVerified ? 1 : 0))
        let missing = links.first { subject, issuer in
            (pinned.contains(issuer) || view.fetchable.contains(issuer))
                && !view.presented.certificates.contains(issuer)
                && !Platform.triedPlaces(of: verifier.issuerPlaces(of: subject)).isEmpty
        }?.1
        guard let missing else { return }
        let source = pinned.contains(missing) ? "taken from the pins" : "given beside it"
        warn(
            .intermediateNotPresented,
            "the chain lacks \(missing), which was \(source): clients that do not fetch it reject the chain")
    }

    /// Warns when a date that begins at midnight on the device has begun in some time zones and not in others.
    mutating func warnOfTimeZone(of expiration: Timestamp?) {
        guard let expiration else { return }
        let distance = view.time.secondsSinceEpoch - expiration.secondsSinceEpoch
        // The day begins fourteen hours before UTC's at the earliest, and twelve after at the latest.
        guard (-14 * 3_600...12 * 3_600).contains(distance) else { return }
        warn(
            .expirationTimeZone,
            "the pins expire at midnight in the device's time zone; judged as of UTC (\(expiration)), some devices "
                + (distance > 0 ? "still enforce them" : "no longer enforce them"))
    }

    /// Says that a CA is pinned: a note, and a warning beside the leaf's pin, which promises more than holds.
    ///
    /// `matches` are the pins that matched, the nearest to the leaf first. A path that ends at a pinned leaf leaves out the
    /// CA whose certificate is pinned beside it, which is as good as the leaf the next time.
    mutating func warnOfAuthorityPin(_ matches: [PinMatch]) {
        func isOfAuthority(_ certificate: Certificate) -> Bool {
            certificate.basicConstraints?.isCertificateAuthority == true
        }
        let pinned = pins?.certificates ?? []
        let consequence = "any certificate this CA issues \(isNameGiven ? "for the name " : "")is accepted"
        guard let match = matches.first(where: { $0.depth > 0 }) else {
            // The leaf's key may be pinned by a self-signed certificate, which OpenSSL makes one of a CA.
            let matched = matches.compactMap { pins?.pins[$0.pinIndex].certificate }
            guard let authority = pinned.first(where: { isOfAuthority($0) && !matched.contains($0) }) else { return }
            return warn(.authorityPin, "a CA is pinned beside the leaf (\(authority)): \(consequence)")
        }
        if matches.contains(where: { $0.depth == 0 }) || !pinned.allSatisfy(isOfAuthority) {
            warn(.authorityPin, "a CA pin matched beside the leaf's (depth \(match.depth)): \(consequence)")
        } else {
            note(.authorityPin, "only a CA pin matched (depth \(match.depth)): \(consequence)")
        }
    }

    /// Warns where the platform would fetch the issuer that is missing.
    mutating func warnOfFetching(_ failures: [TrustFailure]) {
        guard let platform, platform.fetchesIssuers else { return }
        for failure in failures where failure.reason == .unknownIssuer {
            guard view.time <= failure.certificate.notAfter,
                let place = Platform.triedPlaces(of: verifier.issuerPlaces(of: failure.certificate)).first
            else { continue }
            warn(
                .issuerWouldBeFetched,
                "\(platform.family.rawValue): the issuer of \(failure.certificate) would be fetched from \(TerminalText.escaped(place))",
                remedy: .giveIntermediate)
        }
    }
}
