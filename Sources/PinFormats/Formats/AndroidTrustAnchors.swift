internal import Pinning
internal import Text

/// The `<trust-anchors>` of a network security configuration.
struct AndroidTrustAnchors {
    private static let stores = ["system", "user"]

    let file: PinFile

    /// The anchors of `element` that are exempt from pinning; `nil` when it has none of its own, exempt or not.
    func exemption(
        _ element: XMLElement,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> AnchorExemption? {
        let lists = element.children(named: "trust-anchors")
        guard !lists.isEmpty else { return nil }
        var exemption = AnchorExemption()
        var unreadable: PinFormatError?
        for source in lists.flatMap({ $0.children(named: "certificates") }) {
            let text: String
            do throws(PinFormatError) {
                text = try self.text(of: source)
            } catch {
                try collector.gather(error)
                continue
            }
            let overridesPins = try AndroidStructure(file: file).flag("overridePins", of: source) ?? false
            if text.hasPrefix("@") {
                try add(resource: text, of: source, overridesPins, to: &exemption, &unreadable, into: &collector)
            } else {
                if overridesPins, let store = AnchorExemption.Store(rawValue: text) { exemption.stores.insert(store) }
                if text == "user" {
                    collector.note(
                        .notFollowed,
                        at: place(source),
                        "the app trusts the 'user' store" + (overridesPins ? ", whose roots override pins" : "")
                            + "; to judge by it use a client's setting user-roots with --extra-root"
                    )
                }
            }
            if overridesPins {
                collector.note(
                    .pinsOverridden,
                    at: place(source),
                    "overridePins=\"true\": a chain that ends at '\(shortened(text, to: 80))' is accepted without a pin"
                )
            }
        }
        // A root of the app's own would else pass for one of the exempt store. Without such a store it exempts nothing.
        if let unreadable, !exemption.stores.isEmpty { throw unreadable }
        return exemption
    }

    /// Looks for sources that Android throws for.
    func checkSources(_ element: XMLElement, into collector: inout PinCollector) throws(PinFormatError) {
        for source in element.children(named: "trust-anchors").flatMap({ $0.children(named: "certificates") }) {
            do throws(PinFormatError) {
                _ = try text(of: source)
            } catch {
                try collector.gather(error)
            }
        }
    }

    /// What a source names.
    private func text(of source: XMLElement) throws(PinFormatError) -> String {
        let known = "it is src=\"system\", \"user\" or \"@raw/name\""
        guard let text = source.attributes["src"] else {
            throw PinFormatError(
                .missingValue,
                at: place(source),
                "<certificates> has no src, and Android throws for it",
                remedy: known
            )
        }
        guard text.hasPrefix("@") || Self.stores.contains(text) else {
            throw PinFormatError(
                .wrongValue,
                at: place(source),
                "src=\"\(shortened(text, to: 80))\" is no source that Android knows, and it throws",
                remedy: Suggestion.nearest(to: text, in: Self.stores).map { "did you mean '\($0)'?" } ?? known
            )
        }
        return text
    }

    private func add(
        resource text: String,
        of source: XMLElement,
        _ overridesPins: Bool,
        to exemption: inout AnchorExemption,
        _ unreadable: inout PinFormatError?,
        into collector: inout PinCollector
    ) throws(PinFormatError) {
        guard let path = AndroidResource(text, beside: file).path else {
            throw PinFormatError(
                .missingFile,
                at: place(source),
                "the resource '\(shortened(text, to: 80))' is not there",
                remedy: "put its file beside the configuration, or into ../raw as in an app's res"
            )
        }
        if overridesPins {
            exemption.certificates += try AndroidResource.certificates(inFileAt: path)
        } else {
            do throws(PinFormatError) {
                exemption.otherCertificates += try AndroidResource.certificates(inFileAt: path)
            } catch {
                unreadable = unreadable ?? error
            }
        }
        collector.note(
            .notFollowed,
            at: place(source),
            "the app trusts '\(shortened(text, to: 80))'; to judge by it give --anchors " + PinFile.shellWord(path)
        )
    }

    private func place(_ element: XMLElement) -> PinPlace { file.place(line: element.line) }
}
