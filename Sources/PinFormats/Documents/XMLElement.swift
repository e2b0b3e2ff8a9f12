/// An element of an XML document, with the line it begins on.
final class XMLElement {
    let name: String
    let attributes: [String: String]
    /// From 1.
    let line: Int
    fileprivate(set) var children: [XMLElement] = []
    /// The text directly in it, as it stands.
    fileprivate(set) var text = ""

    fileprivate init(name: String, attributes: [String: String], line: Int) {
        self.name = name
        self.attributes = attributes
        self.line = line
    }

    /// The elements of one name directly in it.
    func children(named name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

/// Puts the elements of a document together, within bounds that no configuration comes near.
final class XMLTree {
    /// How many elements may stand in each other.
    static let mostDepth = 40
    /// How many elements and attributes there may be.
    static let mostElements = 50_000

    /// Why the document was left before its end.
    enum Refusal {
        case tooDeep
        case tooManyElements
        case documentType
    }

    private(set) var root: XMLElement?
    private(set) var refusal: Refusal?
    private let mayHaveDocumentType: Bool
    private var open: [XMLElement] = []
    private var count = 0

    /// A tree to be; a document type that only names a DTD is no harm, and one that declares something never is taken.
    init(mayHaveDocumentType: Bool) { self.mayHaveDocumentType = mayHaveDocumentType }

    /// Takes the start of an element; returns whether to go on.
    func start(_ name: String, _ attributes: [String: String], line: Int) -> Bool {
        count += 1
        if open.count >= Self.mostDepth { refusal = refusal ?? .tooDeep }
        count += attributes.count
        if count > Self.mostElements { refusal = refusal ?? .tooManyElements }
        guard refusal == nil else { return false }
        let element = XMLElement(name: name, attributes: attributes, line: line)
        if let parent = open.last { parent.children.append(element) } else { root = element }
        open.append(element)
        return true
    }

    /// Takes the end of the innermost element.
    func end() { open.removeLast() }

    /// Takes text within the innermost element.
    func append(_ text: String) { open.last?.text += text }

    /// Takes the document type; returns whether to go on.
    func documentType(declares: Bool) -> Bool {
        if declares || !mayHaveDocumentType { refusal = refusal ?? .documentType }
        return refusal == nil
    }
}
