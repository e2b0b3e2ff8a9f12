import Base
import PinFormats

/// Findings that are not to be told, by their ids; what rejects or ends too soon stays.
extension Finding {
    /// Every id of a warning or note of a check.
    package static let knownIDs: [String] = Set(
        PinNote.ID.allCases.map(\.rawValue)
            + """
            addresses-differ addresses-incomplete ats-exception-needed authority-pin bare-key-pin breaks-at-renewal certificate-revoked
            client-certificate-required client-not-set-up configured-anchors everything-accepted expiration-time-zone
            expires-soon hash-pins-ignored host-not-configured host-not-evaluated interceptor intermediate-not-presented
            issuer-would-be-fetched key-types-differ leaf-only name-not-checked needs-allow-invalid next-assumed next-root-missing
            no-forward-secrecy no-sni-differs no-system-roots not-enforced nothing-pinned old-device-data only-backup-left path-dependent
            pin-expired pin-only-presented pins-end pins-expire pins-expired pins-not-compared pins-overridden platform-rule private-root
            root-not-everywhere system-pins error-answer unusable-staple validity-not-checked weak-key-exchange
            """.split(whereSeparator: \.isWhitespace).map(String.init)
    ).sorted()

    package static func ids(in lists: [String]) throws(CheckError) -> Set<String> {
        let ids = lists.words
        for id in ids where !knownIDs.contains(id) {
            throw .request(
                "\(quoted(id)) is the id of no warning: "
                    + (Suggestion.nearest(to: id, in: knownIDs).map { "did you mean '\($0)'?" }
                        ?? "the ids stand in the JSON of a check, under warnings and notes"))
        }
        return Set(ids)
    }
}
