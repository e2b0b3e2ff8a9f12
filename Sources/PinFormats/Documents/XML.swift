import Base
import CLibraries
import Pinning

final class XMLElement {
    let name: String
    var attributes: [String: String]
    /// The attributes that are strings in a built app, which Android does not read as flags.
    var texts: Set<String> = []
    /// The line number, from 1.
    let line: Int
    fileprivate(set) var children: [XMLElement] = []
    fileprivate(set) var text = ""

    init(name: String, attributes: [String: String], line: Int) {
        (self.name, self.attributes, self.line) = (name, attributes, line)
    }

    subscript(name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

/// The tree that a reader builds, within the limits of a configuration.
struct XMLTree {
    /// The limits of the depth, and of the number of elements and attributes.
    static let (mostDepth, mostElements) = (40, 50_000)

    private(set) var root: XMLElement?
    private var open: [XMLElement] = []
    private var count = 0

    var isComplete: Bool { root != nil && open.isEmpty }

    /// Begins an element; returns the reason why the document cannot be a configuration, `nil` if it may be one.
    mutating func start(_ element: XMLElement) -> String? {
        count += 1 + element.attributes.count
        guard open.count < Self.mostDepth else {
            return "has more than \(Self.mostDepth) elements in each other, no configuration is that deep"
        }
        guard count <= Self.mostElements else {
            return "has more than \(Self.mostElements) elements, no configuration is that long"
        }
        if let parent = open.last { parent.children.append(element) } else { root = element }
        open.append(element)
        return nil
    }

    @discardableResult mutating func end() -> Bool { open.popLast() != nil }

    @discardableResult mutating func append(_ text: String) -> Bool {
        open.last?.text += text
        return !open.isEmpty
    }
}

/// Reads XML with expat; documents that declare entities are refused, so that none is expanded.
enum XMLReader {
    /// The root element of `file`; property lists may have a document type, if it only names a DTD.
    static func root(of file: PinFile, mayHaveDocumentType: Bool) throws(Problem) -> XMLElement {
        guard let parser = XML_ParserCreate(nil) else {
            throw file.problem(.brokenDocument, "there is no memory to read it")
        }
        defer { XML_ParserFree(parser) }
        let tree = Tree(parser, mayHaveDocumentType: mayHaveDocumentType)
        XML_SetUserData(parser, Unmanaged.passUnretained(tree).toOpaque())
        setHandlers(parser)
        let status = withExtendedLifetime(tree) {
            file.bytes.withUnsafeBytes { bytes in
                XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count), 1)
            }
        }
        let place = file.place(line: Int(XML_GetCurrentLineNumber(parser)))
        if let (reason, remedy) = tree.refusal {
            throw Problem(.unreasonableDocument, at: place, reason, remedy)
        }
        guard status == XML_STATUS_OK, let root = tree.tree.root else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is broken"
            throw Problem(.brokenDocument, at: place, "is not well-formed XML: \(reason)")
        }
        return root
    }

    private final class Tree {
        private let parser: OpaquePointer
        private let mayHaveDocumentType: Bool
        var tree = XMLTree()
        /// The reason for stopping before the end of the document, and a remedy.
        private(set) var refusal: (reason: String, remedy: String?)?

        init(_ parser: OpaquePointer, mayHaveDocumentType: Bool) {
            (self.parser, self.mayHaveDocumentType) = (parser, mayHaveDocumentType)
        }

        static func from(_ pointer: UnsafeMutableRawPointer?) -> Tree? {
            pointer.map { Unmanaged<Tree>.fromOpaque($0).takeUnretainedValue() }
        }

        private func refuse(_ reason: String, _ remedy: String? = nil) {
            refusal = refusal ?? (reason, remedy)
            _ = XML_StopParser(parser, 0)
        }

        func start(_ name: String, _ attributes: [String: String]) {
            let line = Int(XML_GetCurrentLineNumber(parser))
            if let reason = tree.start(XMLElement(name: name, attributes: attributes, line: line)) { refuse(reason) }
        }

        func end() { if refusal == nil { tree.end() } }

        func documentType(declares: Bool) {
            if declares || !mayHaveDocumentType {
                refuse("has a document type (DOCTYPE) that no configuration needs; it was not followed", "remove it")
            }
        }
    }

    private static func setHandlers(_ parser: OpaquePointer) {
        XML_SetElementHandler(
            parser,
            { pointer, name, attributes in
                guard let tree = Tree.from(pointer), let name else { return }
                var values: [String: String] = [:]
                var next = attributes
                while values.count <= XMLTree.mostElements, let key = next?[0], let value = next?[1] {
                    values[String(cString: key)] = String(cString: value)
                    next = next?.advanced(by: 2)
                }
                tree.start(String(cString: name), values)
            }, { pointer, _ in Tree.from(pointer)?.end() })
        XML_SetCharacterDataHandler(parser) { pointer, text, length in
            guard let text, length > 0 else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
            Tree.from(pointer)?.tree.append(String(utf8: bytes))
        }
        XML_SetStartDoctypeDeclHandler(parser) { pointer, _, _, _, hasInternalSubset in
            Tree.from(pointer)?.documentType(declares: hasInternalSubset != 0)
        }
    }
}
