import PinFormats
import Pinning
import X509

/// Writes pins in a form that can be read, and reads them again.
enum RoundTrip {
    /// The forms that are read as files; AFNetworking's are the lines that load such files.
    private static let formats: [PinBlockFormat] = [.okhttp, .trustkit, .nspinned, .android]
    /// What TrustKit has against hosts and numbers of pins that others take.
    private static let rulesOfTrustKit: Set<PinProblem> = [
        .trustKitTooFewPins, .trustKitNoRegisteredSuffix, .trustKitPublicSuffix, .trustKitExclusionNotAlone,
        .trustKitExclusionWithoutParent,
    ]
    /// How many hosts and keys are tried: with more of them all would be more of the same.
    private static let most = 20

    /// Throws unless the form that the input chooses keeps the pins of `reading`.
    static func check(_ reading: PinReading, in scratch: Scratch) throws(Violation) {
        let groups = PinGroup.groups(of: reading, host: nil)
        guard groups.count <= most, groups.allSatisfy({ $0.items.count <= most }) else { return }
        let format = format(in: scratch)
        let conversion = PinConversion(groups, to: format, suffixes: SystemPublicSuffixList())
        for loss in conversion.losses { try Violation.unlessMessage(loss.description) }
        try check(conversion.groups, as: format, in: scratch)
    }

    /// Throws unless the form that the input chooses keeps the keys of `items`.
    static func check(_ items: [PinItem], in scratch: Scratch) throws(Violation) {
        let group = PinGroup(host: nil, port: 443, origins: [], items: items, chosen: Set(items.map(\.spkiSHA256)))
        try check([group], as: format(in: scratch), in: scratch)
    }

    private static func format(in scratch: Scratch) -> PinBlockFormat {
        formats[Int(scratch.choice.magnitude % UInt(formats.count))]
    }

    private static func check(_ groups: [PinGroup], as format: PinBlockFormat, in scratch: Scratch) throws(Violation) {
        let written = Set(groups.flatMap(\.items).map(\.spkiSHA256))
        guard !written.isEmpty else { return }
        let block = format.block(groups)
        let inspection = PinSource(scratch.write(Array(block.utf8), to: "block")).inspect()
        let problems = inspection.problems.filter { !rulesOfTrustKit.contains($0.problem) }
        try Violation.unless(problems.isEmpty, "what is written as \(format) is refused: \(problems)\n\(block)")
        let read = inspection.pins + inspection.configurations.flatMap(\.entries).flatMap(\.pins)
        let found = Set(read.map(\.spkiSHA256))
        // NSPinnedDomains would ask for the authority's key beside the server's.
        let isKept = format == .nspinned ? found.isSubset(of: written) : found == written
        try Violation.unless(isKept, "\(format) keeps \(found.count) of \(written.count) pins\n\(block)")
    }
}
