import Pinning

struct AppBundle {
    /// The path of the bundle in the archive or directory, with a slash at its end; empty if the bundle is all of it.
    let root: String
    private let contents: String

    /// The limit of bundles, because each one costs a pass through the archive or directory.
    static let most = 20

    /// The bundles among `names`, at most one more than ``most``: `Payload/NAME.app`, `NAME.app`, or all if `isBundle`.
    static func all(in names: [String], isBundle: Bool) -> [Self] {
        if isBundle { return [Self("", names)] }
        var roots: [String] = []
        for name in names where roots.count <= most {
            let parts = name.split(separator: "/", maxSplits: 2)
            let depth = parts[0] == "Payload" ? 2 : 1
            guard parts.count > depth, parts[depth - 1].hasSuffix(".app") else { continue }
            let root = parts[..<depth].joined(separator: "/") + "/"
            if roots.last != root { roots.append(root) }
        }
        return roots.map { Self($0, names) }
    }

    private init(_ root: String, _ names: [String]) {
        self.root = root
        // Bundles of macOS have their files in `Contents`.
        contents = names.contains("\(root)Contents/Info.plist") ? "\(root)Contents/" : root
    }

    var propertyList: String { contents + "Info.plist" }
    private var resources: String { contents == root ? root : contents + "Resources/" }

    /// `true` if the app has `library` as a framework: AFNetworking 2 and 3 search the bundle of their own framework.
    func hasFramework(_ library: String, _ names: [String]) -> Bool {
        names.contains { $0.hasPrefix(framework(library)) }
    }

    private func framework(_ library: String) -> String { "\(contents)Frameworks/\(library).framework/" }

    static func isNamedCertificate(_ name: String) -> Bool {
        ["cer", "crt", "der"].contains(PinFile.fileExtension(of: name))
    }

    func holds(_ name: String) -> Bool { name.utf8.starts(with: root.utf8) }

    func loaders(of name: String, framework hasFramework: Bool) -> Set<BundleLoader> {
        // The searches are case-sensitive; Alamofire's code names these six endings.
        let isCER = name.hasSuffix(".cer")
        if isDirectly(name, in: framework("AFNetworking")) { return isCER ? [.afNetworking3] : [] }
        guard isDirectly(name, in: resources) else { return [] }
        var loaders: Set<BundleLoader> = []
        if isCER { loaders.formUnion(hasFramework ? [.afNetworking4] : [.afNetworking4, .afNetworking3]) }
        if [".cer", ".CER", ".crt", ".CRT", ".der", ".DER"].contains(where: name.hasSuffix) {
            loaders.insert(.alamofire)
        }
        return loaders
    }

    private func isDirectly(_ name: String, in folder: String) -> Bool {
        name.utf8.starts(with: folder.utf8) && !name.utf8.dropFirst(folder.utf8.count).contains(UInt8(ascii: "/"))
    }
}
