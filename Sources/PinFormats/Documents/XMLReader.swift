internal import CExpat

/// Reads XML with expat, which expands no entity here: a document that declares any is refused.
enum XMLReader {
    /// The root element of `file`.
    ///
    /// - Throws: ``PinFormatError`` with the line for what is no XML, is too deep, has too many elements or a document type.
    static func root(of file: PinFile, mayHaveDocumentType: Bool) throws(PinFormatError) -> XMLElement {
        let tree = XMLTree(mayHaveDocumentType: mayHaveDocumentType)
        guard let parser = XML_ParserCreate(nil) else {
            throw PinFormatError(.brokenDocument, at: file.place, "there is no memory to read it")
        }
        defer { XML_ParserFree(parser) }
        let state = State(tree: tree, parser: parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
        setHandlers(parser)
        let status = withExtendedLifetime(state) {
            file.bytes.withUnsafeBytes { bytes in
                XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count), 1)
            }
        }
        let place = file.place(line: Int(XML_GetCurrentLineNumber(parser)))
        if let refusal = tree.refusal { throw refused(refusal, at: place) }
        guard status == XML_STATUS_OK, let root = tree.root else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is broken"
            throw PinFormatError(.brokenDocument, at: place, "is not well-formed XML: \(reason)")
        }
        return root
    }

    /// What the callbacks need; alive as long as the parser works.
    private final class State {
        let tree: XMLTree
        let parser: XML_Parser

        init(tree: XMLTree, parser: XML_Parser) {
            self.tree = tree
            self.parser = parser
        }

        func goOn(_ isWanted: Bool) {
            if !isWanted { XML_StopParser(parser, XML_Bool(0)) }
        }

        static func from(_ pointer: UnsafeMutableRawPointer?) -> State? {
            pointer.map { Unmanaged<State>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private static func setHandlers(_ parser: XML_Parser) {
        XML_SetElementHandler(
            parser,
            { pointer, name, attributes in
                guard let state = State.from(pointer), let name else { return }
                var values: [String: String] = [:]
                var next = attributes
                while values.count <= XMLTree.mostElements, let key = next?[0], let value = next?[1] {
                    values[String(cString: key)] = String(cString: value)
                    next = next?.advanced(by: 2)
                }
                let line = Int(XML_GetCurrentLineNumber(state.parser))
                state.goOn(state.tree.start(String(cString: name), values, line: line))
            },
            { pointer, _ in
                guard let state = State.from(pointer), state.tree.refusal == nil else { return }
                state.tree.end()
            }
        )
        XML_SetCharacterDataHandler(parser) { pointer, text, length in
            guard let text, length > 0 else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
            State.from(pointer)?.tree.append(String(decoding: bytes, as: UTF8.self))
        }
        XML_SetStartDoctypeDeclHandler(parser) { pointer, _, _, _, hasInternalSubset in
            guard let state = State.from(pointer) else { return }
            state.goOn(state.tree.documentType(declares: hasInternalSubset != 0))
        }
    }

    private static func refused(_ refusal: XMLTree.Refusal, at place: PinPlace) -> PinFormatError {
        switch refusal {
        case .tooDeep:
            PinFormatError(
                .unreasonableDocument,
                at: place,
                "has more than \(XMLTree.mostDepth) elements in each other, no configuration is that deep"
            )
        case .tooManyElements:
            PinFormatError(
                .unreasonableDocument,
                at: place,
                "has more than \(XMLTree.mostElements) elements, no configuration is that long"
            )
        case .documentType:
            PinFormatError(
                .unreasonableDocument,
                at: place,
                "has a document type (DOCTYPE) that no configuration needs; it was not followed",
                remedy: "remove it"
            )
        }
    }
}
