/// The names of a zone's file whose records its servers do not answer with (RFC 1034, 4.3.2; RFC 6672, 2.4).
struct ZoneCuts {
    /// Whether the file is a zone as servers load it, which begins with the SOA record; what `dig` prints holds parts of several.
    private(set) var isZone: Bool?
    private var apexes: Set<ZoneName> = []
    private var delegations: Set<ZoneName> = []
    private var redirections: Set<ZoneName> = []

    /// Takes note of a record, `name` being `nil` where it is not known in full.
    mutating func add(_ type: String, of name: ZoneName?) {
        isZone = isZone ?? (type == "SOA" && name != nil)
        guard let name else { return }
        switch type {
        case "SOA": apexes.insert(name)
        case "NS": delegations.insert(name)
        case "DNAME": redirections.insert(name)
        default: break
        }
    }

    /// Where a name stands that no server answers for from this file, `nil` where one does.
    func obstacle(_ name: ZoneName) -> String? {
        let isZone = isZone == true
        guard isZone || !redirections.isEmpty else { return nil }
        for above in name.andAbove {
            if above != name, redirections.contains(above) { return "below the DNAME of \(above)" }
            guard isZone else { continue }
            if apexes.contains(above) { return nil }
            if delegations.contains(above) { return "below the delegation of \(above)" }
        }
        return isZone ? "outside of the zone" : nil
    }
}

/// The names of `$GENERATE`, which are not written out: `h$` is for `h1`, `h2` and so on.
struct ZoneGeneration {
    private let before: Substring
    private let behind: Substring
    private let isSimple: Bool
    /// Whether they are aliases.
    let areAliases: Bool
    let place: PinPlace

    /// `nil` for names that may have TLSA records; `words` are those behind the range.
    init?(_ words: ArraySlice<Substring>, below origin: ZoneName, at place: PinPlace) {
        let types = Set(words.dropFirst().map { $0.uppercased() })
        guard !words.contains(where: ZoneRecord.isTLSA), !types.contains("DNAME") else { return nil }
        areAliases = types.contains("CNAME")
        self.place = place
        guard areAliases else {
            (before, behind, isSimple) = ("", "", false)
            return
        }
        guard let text = words.first, let name = ZoneName(text, below: origin), let first = name.labels.first,
            !first.hasPrefix("_"), first != "*"
        else { return nil }
        let parts = name.description.split(separator: "$", omittingEmptySubsequences: false)
        before = parts[0]
        let last = parts.count > 1 ? parts[parts.count - 1] : ""
        behind = last.first == "{" ? last.drop { $0 != "}" }.dropFirst() : last
        isSimple = parts.count == 2
    }

    /// Whether a name is one of them, as far as can be told without their numbers.
    func mayHold(_ name: ZoneName) -> Bool {
        let text = name.description
        guard text.hasPrefix(before), text.dropFirst(before.count).hasSuffix(behind) else { return false }
        let middle = text.dropFirst(before.count).dropLast(behind.count)
        // Numbers may be those of base 16, with dots between their digits.
        return !isSimple || !middle.isEmpty && middle.allSatisfy { $0.isHexDigit || $0 == "." || $0 == "-" }
    }
}
