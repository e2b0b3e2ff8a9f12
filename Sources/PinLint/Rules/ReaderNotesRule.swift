internal import PinFormats
internal import Pinning

/// What readers remarked that has no rule of its own.
struct ReaderNotesRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.inspections.flatMap { inspection in
            inspection.notes.compactMap { note in
                id(of: note, scene).map { id in
                    LintFinding(id, at: LintPlace(note.place ?? .at(inspection.text), in: source.name), note.text)
                }
            } + unpinned(inspection, in: source)
        }
    }

    /// The kind of finding that a note is, `nil` where a rule looks at the same by itself.
    private func id(of note: PinNote, _ scene: LintScene) -> LintRuleID? {
        switch note.id {
        case .notLoadedByAFNetworking, .loadedFromBundle: nil
        case .request: .certificateRequest
        default: LintRuleID(rawValue: note.id.rawValue) ?? .notFollowed
        }
    }

    /// A configuration of hosts that pins none of them.
    private func unpinned(_ inspection: PinInspection, in source: LintSource) -> [LintFinding] {
        guard inspection.problems.isEmpty, inspection.pins.isEmpty, inspection.networkSecurity.allSatisfy(\.isEmpty)
        else { return [] }
        let entries = inspection.configurations.flatMap(\.entries)
        guard !entries.isEmpty, entries.allSatisfy(\.pins.isEmpty) else { return [] }
        guard !inspection.notes.contains(where: { $0.id == .pinnedToNothing || $0.id == .emptyPinSet }) else {
            return []
        }
        return [
            LintFinding(
                .hostNotPinned, at: LintPlace(.at(inspection.text), in: source.name),
                "the file configures hosts and pins none of them", remedy: "add pins, or leave the file out")
        ]
    }
}
