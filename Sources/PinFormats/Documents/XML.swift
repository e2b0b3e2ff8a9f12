internal import Base
internal import CLibraries

/// Reads XML with expat, which expands no entity here: a document that declares any is refused.
enum XMLReader {
    /// Loaded when the first document is read, and kept for the rest of the run (`dlopen`).
    private static let expat: CExpat = {
        var functions = CExpat()
        if let reason = CExpat_load(&functions) {
            MissingLibrary.end("Expat", packages: "Debian: libexpat1, Fedora: expat", reason: String(cString: reason))
        }
        return functions
    }()

    /// The root element of `file`.
    ///
    /// - Throws: ``PinFormatError`` with the line for what is no XML, is too deep, has too many elements or a document type.
    static func root(of file: PinFile, mayHaveDocumentType: Bool) throws(PinFormatError) -> XMLElement {
        let tree = XMLTree(mayHaveDocumentType: mayHaveDocumentType)
        guard let parser = expat.ParserCreate(nil) else {
            throw PinFormatError(.brokenDocument, at: file.place, "there is no memory to read it")
        }
        defer { expat.ParserFree(parser) }
        let state = State(tree: tree, parser: parser)
        expat.SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
        setHandlers(parser)
        let status = withExtendedLifetime(state) {
            file.bytes.withUnsafeBytes { bytes in
                expat.Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count), 1)
            }
        }
        let place = file.place(line: Int(expat.GetCurrentLineNumber(parser)))
        if let refusal = tree.refusal { throw refused(refusal, at: place) }
        guard status == CExpat_OK, let root = tree.root else {
            let reason = expat.ErrorString(expat.GetErrorCode(parser)).map { String(cString: $0) } ?? "it is broken"
            throw PinFormatError(.brokenDocument, at: place, "is not well-formed XML: \(reason)")
        }
        return root
    }

    /// What the callbacks need; alive as long as the parser works.
    private final class State {
        let tree: XMLTree
        let parser: OpaquePointer

        init(tree: XMLTree, parser: OpaquePointer) {
            self.tree = tree
            self.parser = parser
        }

        func goOn(_ isWanted: Bool) { if !isWanted { _ = XMLReader.expat.StopParser(parser, 0) } }

        static func from(_ pointer: UnsafeMutableRawPointer?) -> State? {
            pointer.map { Unmanaged<State>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private static func setHandlers(_ parser: OpaquePointer) {
        expat.SetElementHandler(
            parser,
            { pointer, name, attributes in
                guard let state = State.from(pointer), let name else { return }
                var values: [String: String] = [:]
                var next = attributes
                while values.count <= XMLTree.mostElements, let key = next?[0], let value = next?[1] {
                    values[String(cString: key)] = String(cString: value)
                    next = next?.advanced(by: 2)
                }
                let line = Int(XMLReader.expat.GetCurrentLineNumber(state.parser))
                state.goOn(state.tree.start(String(cString: name), values, line: line))
            },
            { pointer, _ in
                guard let state = State.from(pointer), state.tree.refusal == nil else { return }
                state.tree.end()
            })
        expat.SetCharacterDataHandler(parser) { pointer, text, length in
            guard let text, length > 0 else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
            State.from(pointer)?.tree.append(String(decoding: bytes, as: UTF8.self))
        }
        expat.SetStartDoctypeDeclHandler(parser) { pointer, _, _, _, hasInternalSubset in
            guard let state = State.from(pointer) else { return }
            state.goOn(state.tree.documentType(declares: hasInternalSubset != 0))
        }
    }

    private static func refused(_ refusal: XMLTree.Refusal, at place: PinPlace) -> PinFormatError {
        switch refusal {
        case .tooDeep:
            PinFormatError(
                .unreasonableDocument, at: place,
                "has more than \(XMLTree.mostDepth) elements in each other, no configuration is that deep")
        case .tooManyElements:
            PinFormatError(
                .unreasonableDocument, at: place,
                "has more than \(XMLTree.mostElements) elements, no configuration is that long")
        case .documentType:
            PinFormatError(
                .unreasonableDocument, at: place,
                "has a document type (DOCTYPE) that no configuration needs; it was not followed", remedy: "remove it")
        }
    }
}
