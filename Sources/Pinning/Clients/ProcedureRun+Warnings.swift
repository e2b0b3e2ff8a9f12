import Base

extension ProcedureRun {
    /// Warns if a pinned key is presented but is not on the built chain: its presence proves nothing (CVE-2016-2402).
    mutating func warnOfPresentedPins(_ built: BuiltChain) {
        guard let pins else { return }
        let unused = view.presented.certificates.filter { !built.certificates.contains($0) }
        guard let certificate = unused.first(where: { pins.isPinned($0) }) else { return }
        warn(
            .pinOnlyPresented,
            "a pinned key is presented in \(certificate) but is not on the built chain: presenting a certificate proves nothing"
        )
    }

    mutating func warnOfPathDependence(_ result: TrustResult, holds: (BuiltChain) -> some Equatable) {
        let paths = result.validPaths
        guard paths.count > 1, let first = paths.first else { return }
        let isFirst = holds(.verified(first))
        guard paths.dropFirst().contains(where: { holds(.verified($0)) != isFirst }) else { return }
        warn(
            .pathDependent,
            "the pins hold on one valid path and not on another: the verdict depends on the path a device builds")
    }

    mutating func warnOfMissingIntermediates(_ built: BuiltChain) {
        let pinned = pins?.certificates ?? []
        // A server need not send an anchor. No issuer is fetched for a certificate without a caIssuers place.
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

    /// Warns if the expiration, midnight on the device, has passed in some time zones and not in others.
    mutating func warnOfTimeZone(of expiration: Timestamp?) {
        guard let expiration else { return }
        let distance = view.time.secondsSinceEpoch - expiration.secondsSinceEpoch
        // A day begins 14 hours before UTC's at the earliest, and 12 hours after it at the latest.
        guard (-14 * 3_600...12 * 3_600).contains(distance) else { return }
        warn(
            .expirationTimeZone,
            "the pins expire at midnight in the device's time zone; judged as of UTC (\(expiration)), some devices "
                + (distance > 0 ? "still enforce them" : "no longer enforce them"))
    }

    /// Notes that a CA is pinned; warns if the leaf is pinned as well, which then protects nothing, even if the path
    /// ends at the leaf and lacks the CA; `matches` begin nearest to the leaf.
    mutating func warnOfAuthorityPin(_ matches: [PinMatch]) {
        let pinned = pins?.certificates ?? []
        let consequence = "any certificate this CA issues \(isNameGiven ? "for the name " : "")is accepted"
        guard let match = matches.first(where: { $0.depth > 0 }) else {
            // A self-signed certificate may pin the leaf's key, and OpenSSL marks it as a CA.
            let matched = matches.compactMap { pins?.pins[$0.pinIndex].certificate }
            guard let authority = pinned.first(where: { $0.isCA && !matched.contains($0) }) else { return }
            return warn(.authorityPin, "a CA is pinned beside the leaf (\(authority)): \(consequence)")
        }
        if matches.contains(where: { $0.depth == 0 }) || !pinned.allSatisfy(\.isCA) {
            warn(.authorityPin, "a CA pin matched beside the leaf's (depth \(match.depth)): \(consequence)")
        } else {
            note(.authorityPin, "only a CA pin matched (depth \(match.depth)): \(consequence)")
        }
    }

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
