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
    init(in root: XMLElement, of file: PinFile, into reading: inout PinReading) {
        if let element = root.children(named: Self.name).first {
            reading.note(
                .debugOverrides, at: file.place(line: element.line),
                "<debug-overrides> is for debuggable builds, where its anchors override pins; it counts with the setting "
                    + "debuggable alone")
            read(element, of: file, notingIn: &reading)
        } else if let path = Self.path(beside: file) {
            readFile(at: path, notingIn: &reading)
        }
    }

    private static let name = AndroidStructure.Config.debug.rawValue

    /// The file that a debuggable build looks for, `nil` where there is none.
    private static func path(beside file: PinFile) -> String? {
        guard !file.isInArchive, file.name.hasSuffix(".xml") else { return nil }
        let path = String(file.path.dropLast(".xml".count)) + "_debug.xml"
        return FileKind(at: path) == .regular ? path : nil
    }

    private mutating func readFile(at path: String, notingIn reading: inout PinReading) {
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
            if let element = elements.first { read(element, of: file, notingIn: &reading) }
        } catch { note(error, in: &reading) }
    }

    private mutating func read(_ element: XMLElement, of file: PinFile, notingIn reading: inout PinReading) {
        var own = PinReading()
        do throws(PinFormatError) {
            // Gathering throws nothing.
            try AndroidStructure(file: file).check(element, as: .debug, into: &own)
            sources = try AndroidTrustAnchors(file: file).sources(element, overridesPins: true, into: &own)
        } catch { own.report(error) }
        for problem in own.problems { note(problem, in: &reading) }
    }

    private mutating func note(_ problem: PinFormatError, in reading: inout PinReading) {
        obstacle = obstacle ?? "\(problem)"
        reading.note(.debugBuildThrows, at: problem.place, "in debuggable builds: \(problem.reason)")
    }
}
