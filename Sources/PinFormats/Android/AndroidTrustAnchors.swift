internal import Base
internal import Pinning

/// The `<trust-anchors>` of a network security configuration.
struct AndroidTrustAnchors {
    private static let stores = ["system", "user"]

    let file: PinFile

    /// The sources of anchors that an element names.
    ///
    /// - Parameters:
    ///   - element: an element with settings.
    ///   - overridesPins: whether sources override pins that do not say, as those of `<debug-overrides>` do.
    ///   - reading: where wrong sources and notes go.
    /// - Returns: the sources, `nil` for an element that leaves it to what is around it.
    /// - Throws: ``PinFormatError`` for a source that Android throws for, or whose file cannot be read.
    func sources(
        _ element: XMLElement, overridesPins: Bool = false, into reading: inout PinReading
    ) throws(PinFormatError) -> [NetworkSecurityConfiguration.Source]? {
        let lists = element.children(named: "trust-anchors")
        guard let first = lists.first else { return nil }
        let elements = lists.flatMap { $0.children(named: "certificates") }
        if elements.isEmpty, element.name != AndroidStructure.Config.debug.rawValue {
            reading.note(
                .trustsNothing, at: place(first), "<trust-anchors> is empty: Android trusts no server for these hosts")
        }
        var sources: [NetworkSecurityConfiguration.Source] = []
        for element in elements {
            do throws(PinFormatError) {
                sources.append(try source(element, overridesPins: overridesPins, into: &reading))
            } catch { reading.report(error) }
        }
        return sources
    }

    private func source(
        _ element: XMLElement, overridesPins isOverriding: Bool, into reading: inout PinReading
    ) throws(PinFormatError) -> NetworkSecurityConfiguration.Source {
        let text = try text(of: element)
        let given = try AndroidStructure(file: file).flag("overridePins", of: element)
        if given == true {
            reading.note(
                .pinsOverridden, at: place(element),
                "overridePins=\"true\": a chain that ends at '\(shortened(text, to: 80))' is accepted without a pin")
        }
        let overridesPins = given ?? isOverriding
        switch text {
        case "system": return .init(.system, overridesPins: overridesPins)
        case "user": return .init(.user, overridesPins: overridesPins)
        default:
            let certificates = try certificates(ofResource: text, of: element)
            return .init(.resource(name: shortened(text, to: 80), certificates), overridesPins: overridesPins)
        }
    }

    /// What a source names.
    private func text(of source: XMLElement) throws(PinFormatError) -> String {
        let known = "it is src=\"system\", \"user\" or \"@raw/name\""
        guard let text = source.attributes["src"] else {
            throw PinFormatError(
                .missingValue, at: place(source), "<certificates> has no src, and Android throws for it", remedy: known)
        }
        guard text.hasPrefix("@") || Self.stores.contains(text) else {
            throw PinFormatError(
                .wrongValue, at: place(source),
                "src=\"\(shortened(text, to: 80))\" is not a source that Android knows, and it throws",
                remedy: Suggestion.nearest(to: text, in: Self.stores).map { "did you mean '\($0)'?" } ?? known)
        }
        return text
    }

    private func certificates(ofResource text: String, of source: XMLElement) throws(PinFormatError) -> [Certificate] {
        guard let path = try AndroidResource(text, beside: file).path else {
            throw PinFormatError(
                .missingFile, at: place(source), "the resource '\(shortened(text, to: 80))' is not there",
                remedy: "put its file beside the configuration, or into ../raw as in an app's res")
        }
        return try AndroidResource.certificates(inFileAt: path)
    }

    private func place(_ element: XMLElement) -> PinPlace { file.place(line: element.line) }
}
