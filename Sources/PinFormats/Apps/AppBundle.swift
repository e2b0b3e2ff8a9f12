internal import Pinning

struct AppBundle {
    /// The path of the bundle within the archive or directory, with a slash at its end; empty for the whole.
    let root: String
    private let contents: String

    /// The bundles that an archive or directory may have: each of them is another pass through it.
    static let most = 20

    /// The bundles among `names`, one more than ``most`` of them at most.
    ///
    /// These are `Payload/NAME.app` of an `.ipa`, a bundle by itself, or the whole if `isBundle`.
    static func all(in names: [String], isBundle: Bool) -> [AppBundle] {
        if isBundle { return [AppBundle("", names)] }
        var roots: [String] = []
        for name in names where roots.count <= most {
            let parts = name.split(separator: "/", maxSplits: 2)
            let depth = parts[0] == "Payload" ? 2 : 1
            guard parts.count > depth, parts[depth - 1].hasSuffix(".app") else { continue }
            let root = parts[..<depth].joined(separator: "/") + "/"
            if roots.last != root { roots.append(root) }
        }
        return roots.map { AppBundle($0, names) }
    }

    private init(_ root: String, _ names: [String]) {
        self.root = root
        // A bundle of macOS has everything one level below.
        contents = names.contains("\(root)Contents/Info.plist") ? "\(root)Contents/" : root
    }

    var propertyList: String { contents + "Info.plist" }
    private var resources: String { contents == root ? root : contents + "Resources/" }

    /// Whether a library is a framework of its own in the app: AFNetworking 2 and 3 look into the bundle of theirs.
    func hasFramework(_ library: String, _ names: [String]) -> Bool {
        names.contains { $0.hasPrefix(framework(library)) }
    }

    private func framework(_ library: String) -> String { "\(contents)Frameworks/\(library).framework/" }

    static func isNamedCertificate(_ name: String) -> Bool {
        ["cer", "crt", "der"].contains(PinFile.fileExtension(of: name))
    }

    func holds(_ name: String) -> Bool { name.utf8.starts(with: root.utf8) }

    func loaders(of name: String, framework hasFramework: Bool) -> Set<BundleLoader> {
        // The search minds the case, and Alamofire names these six endings.
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
