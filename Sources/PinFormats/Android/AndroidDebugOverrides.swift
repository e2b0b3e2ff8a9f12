internal import Base
internal import Pinning

/// The `<debug-overrides>` of a configuration, or of the file beside it that debuggable builds read for want of them.
///
/// Other builds pass over the element, whatever is in it: what is wrong with it is an obstacle to debuggable ones alone.
struct AndroidDebugOverrides {
    /// Its anchors, `nil` for none.
    private(set) var sources: [NetworkSecurityConfiguration.Source]?
    /// Why a debuggable build throws, `nil` when it does not.
    private(set) var obstacle: String?

    /// Reads the first `<debug-overrides>` of the document in `file`, else that of `NAME_debug.xml` beside it.
    init(in root: XMLElement, of file: PinFile, into collector: inout PinCollector) {
        if let element = root.children(named: Self.name).first {
            collector.note(
                .debugOverrides, at: file.place(line: element.line),
                "<debug-overrides> is for debuggable builds, where its anchors override pins; it counts with the setting "
                    + "debuggable alone")
            read(element, of: file, notingIn: &collector)
        } else if let path = Self.path(beside: file) {
            readFile(at: path, notingIn: &collector)
        }
    }

    private static let name = AndroidStructure.Config.debug.rawValue

    /// The file that a debuggable build looks for, `nil` where there is none.
    private static func path(beside file: PinFile) -> String? {
        guard !file.isInArchive, file.name.hasSuffix(".xml") else { return nil }
        let path = String(file.path.dropLast(".xml".count)) + "_debug.xml"
        return FileKind(at: path) == .regular ? path : nil
    }

    private mutating func readFile(at path: String, notingIn collector: inout PinCollector) {
        do throws(PinFormatError) {
            let file = try PinFile.load(path)
            let root = try XMLReader.root(of: file, mayHaveDocumentType: false)
            guard root.name == "network-security-config" else {
                throw PinFormatError(
                    .wrongValue, at: file.place(line: root.line), "begins with no <network-security-config>")
            }
            let elements = root.children(named: Self.name)
            guard elements.count < 2 else {
                throw PinFormatError(.duplicate, at: file.place(line: elements[1].line), "has two <\(Self.name)>")
            }
            if let element = elements.first { read(element, of: file, notingIn: &collector) }
        } catch { note(error, in: &collector) }
    }

    private mutating func read(_ element: XMLElement, of file: PinFile, notingIn collector: inout PinCollector) {
        var own = PinCollector(.gathered)
        do throws(PinFormatError) {
            // Gathering throws nothing.
            try AndroidStructure(file: file).check(element, as: .debug, into: &own)
            sources = try AndroidTrustAnchors(file: file).sources(element, overridesPins: true, into: &own)
        } catch { try? own.gather(error) }
        for problem in own.problems { note(problem, in: &collector) }
    }

    private mutating func note(_ problem: PinFormatError, in collector: inout PinCollector) {
        obstacle = obstacle ?? "\(problem)"
        collector.note(.debugBuildThrows, at: problem.place, "in debuggable builds: \(problem.reason)")
    }
}
