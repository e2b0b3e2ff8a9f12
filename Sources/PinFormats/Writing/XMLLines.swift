/// Lines of XML, each indented by its depth.
struct XMLLines {
    private(set) var lines: [String]
    private var depth = 0

    /// A document that begins with these lines.
    init(_ prologue: [String]) { lines = prologue }

    /// A property list, as a file of its own.
    static func propertyList(_ contents: (inout XMLLines) -> Void) -> [String] {
        var xml = XMLLines([
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
            "<plist version=\"1.0\">",
        ])
        xml.element("dict", contents)
        return xml.lines + ["</plist>"]
    }

    /// A line of markup; whatever comes from outside in it is escaped already.
    mutating func line(_ markup: String) { lines.append(String(repeating: "    ", count: depth) + markup) }

    /// A comment with text of any kind.
    mutating func comment(_ text: String) { line("<!-- \(GeneratedText.comment(text)) -->") }

    /// An element with others in it; `attributes` are escaped already.
    mutating func element(_ name: String, attributes: String = "", _ contents: (inout XMLLines) -> Void) {
        line("<\(name)\(attributes)>")
        depth += 1
        contents(&self)
        depth -= 1
        line("</\(name)>")
    }

    /// A key of a property list and its value on one line.
    mutating func entry(_ key: String, _ value: String) {
        line("<key>\(GeneratedText.xml(key))</key>")
        line(value)
    }
}
