internal import Base

extension PinFile {
    /// Whether it is a property list, in XML or binary, whatever it says.
    var isPropertyList: Bool { BinaryPropertyList.begins(bytes) || text.map { $0[...].holds("<plist") } == true }
}

/// Property lists in XML.
enum XMLPropertyList {
    /// The root value of `file`.
    static func root(of file: PinFile) throws(PinFormatError) -> DocumentNode {
        let plist = try XMLReader.root(of: file, mayHaveDocumentType: true)
        guard plist.name == "plist", let root = plist.children.first, plist.children.count == 1 else {
            throw PinFormatError(
                .brokenDocument, at: file.place(line: plist.line),
                "is not a property list: it is <plist> with one value")
        }
        return DocumentNode(root: try value(root, file), of: file)
    }

    private static func value(_ element: XMLElement, _ file: PinFile) throws(PinFormatError) -> DocumentValue {
        let content: DocumentValue.Content
        switch element.name {
        case "dict": content = .dictionary(try members(of: element, file))
        case "array":
            var elements: [DocumentValue] = []
            for child in element.children { elements.append(try value(child, file)) }
            content = .array(elements)
        case "string": content = .text(element.text)
        case "true": content = .flag(true)
        case "false": content = .flag(false)
        case "date": content = .date(String(element.text[...].trimmingWhitespace().prefix { $0 != "T" }))
        case "integer", "real", "data": content = .other
        default:
            throw PinFormatError(
                .brokenDocument, at: file.place(line: element.line),
                "is not a property list: it has no element <\(shortened(element.name, to: 60))>")
        }
        return DocumentValue(content: content, line: element.line)
    }

    private static func members(
        of element: XMLElement, _ file: PinFile
    ) throws(PinFormatError) -> [(key: String, value: DocumentValue)] {
        var members: [(key: String, value: DocumentValue)] = []
        var keys: Set<String> = []
        var key: String?
        for child in element.children {
            let place = file.place(line: child.line)
            if let name = key {
                guard child.name != "key" else {
                    throw PinFormatError(
                        .brokenDocument, at: place, "the key '\(shortened(name, to: 80))' has no value")
                }
                members.append((name, try value(child, file)))
                key = nil
            } else {
                guard child.name == "key" else {
                    throw PinFormatError(.brokenDocument, at: place, "a value in a <dict> has no <key> before it")
                }
                guard keys.insert(child.text).inserted else {
                    throw PinFormatError(
                        .duplicate, at: place,
                        "the key '\(shortened(child.text, to: 80))' is given twice, and readers keep only one of the two",
                        remedy: "put both together")
                }
                key = child.text
            }
        }
        if let key {
            throw PinFormatError(
                .brokenDocument, at: file.place(line: element.line), "the key '\(shortened(key, to: 80))' has no value")
        }
        return members
    }
}
