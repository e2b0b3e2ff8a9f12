/// A path as what stands before its last component and that component, by its bytes: a slash is one whatever follows it.
package struct PathParts: Sendable {
    /// The directory with a slash at its end, empty where the path names none.
    package let directory: String
    /// The last component, empty for a path that ends in a slash.
    package let name: String

    package init(_ path: String) {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        directory = String(path[..<end])
        name = String(path[end...])
    }

    /// The path of a file of a few bytes' longer name beside it: the longest name of most file systems is 255 bytes.
    func hidden(_ suffix: String) -> String {
        var name = name
        while name.utf8.count > 230 { name.unicodeScalars.removeLast() }
        return "\(directory).\(name)\(suffix)"
    }
}
