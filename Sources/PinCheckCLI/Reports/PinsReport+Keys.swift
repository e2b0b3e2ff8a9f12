// The keys of the document.

extension PinsReport {
    static let fields: DocumentFields<PinsReport> = [
        DocumentField("schema", { _ in PinsReport.schema }, as: .constant(PinsReport.schema)),
        DocumentField("evaluated_at", \.evaluatedAt, as: .time), DocumentField("results", \.results),
        DocumentField("exit", \.exit, as: .exits([.pass, .fail, .unreachable])),
    ]
}

extension PinsReport.Source {
    static let definition: String? = "source"

    static let fields: DocumentFields<PinsReport.Source> = [
        DocumentField("target", \.target, "The target or file as it was named."),
        DocumentField("host", \.host, "The host the keys are for; null when that is not known."),
        DocumentField("port", \.port, as: .within(1...65_535)),
        DocumentField("rules", \.rules, "What a configuration says of the host; null for keys that were in none."),
        DocumentField("endpoint", \.endpoint, "What was connected to; null for a file."),
        DocumentField(
            "key_type", \.keyType, "The type of key that was asked for; null for what an ordinary client gets."),
        DocumentField(
            "verified", \.verified,
            "Whether the chain is trusted and valid for the name; null when nothing was verified."),
        DocumentField("reason", \.reason, "What was found of the server; null for a file."),
        DocumentField("warnings", \.warnings), DocumentField("keys", \.keys, "The leaf's first."),
        DocumentField("also_sent", \.alsoSent, "The subjects of certificates that were sent and are not on the chain."),
        DocumentField("recommendation", \.recommendation, "Which pins to ship; null where that was not asked."),
    ]
}

extension PinsReport.Rules {
    static let definition: String? = "rules"

    static let fields: DocumentFields<PinsReport.Rules> = [
        DocumentField("kind", \.kind, "Whose configuration it is."),
        DocumentField("origin", \.origin, "Where in the source it stands."),
        DocumentField("subdomains", \.subdomains, as: .words(["none", "one-label", "up-to-one-label", "any-number"])),
        DocumentField("position", \.position, as: .words(["anywhere", "leaf", "authority", "both"])),
        DocumentField("enforced", \.enforced, "Whether a mismatch blocks the connection; null where nothing is said."),
        DocumentField("expires", \.expires, "From when on the pins no longer apply."),
        DocumentField("excluded", \.excluded), DocumentField("report_uris", \.reportUris),
    ]
}

extension PinsReport.Key {
    static let definition: String? = "key"

    static let fields: DocumentFields<PinsReport.Key> = [
        DocumentField(
            "role", \.role,
            as: .words(["leaf", "intermediate", "root", "authority", "public-key", "request", "private-key"])),
        DocumentField("pinned", \.pinned, "Whether a block for a client pins it."),
        DocumentField("source", \.source, "presented, system, anchors, device lists, or the file and line."),
        DocumentField("key", \.key, "The algorithm and its size."), DocumentField("subject", \.subject),
        DocumentField("issuer", \.issuer), DocumentField("serial", \.serial),
        DocumentField("not_before", \.notBefore, as: .time), DocumentField("not_after", \.notAfter, as: .time),
        DocumentField("days_left", \.daysLeft, "Whole days to the end of validity, negative after it."),
        DocumentField("cert_sha256", \.certSha256, as: .sha256),
        DocumentField("pins", \.pins, "The pin in every notation."),
        DocumentField("saved_as", \.savedAs, "The file the certificate was saved in."),
    ]
}

extension PinsReport.Pins {
    static let fields: DocumentFields<PinsReport.Pins> = [
        DocumentField("okhttp", \.okhttp, as: .matching(.pin)),
        DocumentField("curl", \.curl, as: .matching(.base64SHA256(behind: "sha256//"))), DocumentField("hpkp", \.hpkp),
        DocumentField("base64", \.base64, as: .matching(.base64SHA256(behind: ""))),
    ]
}
