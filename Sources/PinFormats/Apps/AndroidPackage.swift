internal import Base
internal import Pinning

/// A built app of Android: its manifest, and the resources that it names.
struct AndroidPackage {
    /// The bytes that a manifest, a configuration or a certificate may have, and the table of resources.
    private static let (mostBytes, mostTableBytes) = (1 << 20, 64 << 20)
    /// The apps that an archive of apps may have, and the bytes of each.
    private static let (mostApps, mostAppBytes) = (60, 128 << 20)

    static let manifest = "AndroidManifest.xml"
    static let bundledManifest = "base/manifest/AndroidManifest.xml"

    private let files: any AppFiles
    private let names: [String]
    private let manifest: PinFile
    private let root: XMLElement

    /// The app that `files` are; `nil` if they have no manifest in a built form.
    private init?(_ files: any AppFiles, _ names: [String]) throws(Problem) {
        guard let name = [Self.manifest, Self.bundledManifest].first(where: names.contains) else { return nil }
        let contents = try files.contents(of: [name], limit: Self.mostBytes)
        manifest = PinFile(path: files.path(of: name), bytes: contents[name] ?? [], isInArchive: files is ArchivedApp)
        guard manifest.text == nil else { return nil }
        (self.files, self.names, root) = (files, names, try BuiltXML.root(of: manifest))
    }

    /// Reads the app in `files`, or the base of the apps in it.
    ///
    /// - Returns: whether there is one.
    static func read(
        _ files: any AppFiles, _ names: [String], into reading: inout PinReading, _ code: inout CodePins
    ) throws(Problem) -> Bool {
        if let app = try AndroidPackage(files, names) {
            if let split = app.root.attributes["split"] {
                throw Problem(
                    .otherKind, at: .at(files.path), "is the split '\(shortened(split, to: 60))' of an app",
                    remedy: "give the base .apk, or the .apks")
            }
            try app.read(into: &reading)
            try code.scan(files, names)
            return true
        }
        let apps = names.filter { PinFile.fileExtension(of: $0) == "apk" }
        guard !apps.isEmpty, !names.contains(where: { $0.hasSuffix(manifest) }) else { return false }
        guard apps.count <= mostApps else {
            throw Problem(
                .unreasonableDocument, at: .at(files.path), "has more than \(mostApps) apps", remedy: "name one of them"
            )
        }
        try readBase(of: apps, in: files, into: &reading, &code)
        return true
    }

    /// Reads the app among `apps` that is no split; several of them have to say the same.
    private static func readBase(
        of apps: [String], in files: any AppFiles, into reading: inout PinReading, _ code: inout CodePins
    ) throws(Problem) {
        var base: (name: String, said: [[UInt8]])?
        for name in apps {
            let bytes = try files.contents(of: [name], limit: mostAppBytes)[name] ?? []
            let inner = ArchivedApp(path: files.path(of: name), bytes: bytes)
            let names = try inner.names()
            try code.scan(inner, names)
            guard let app = try AndroidPackage(inner, names), app.root.attributes["split"] == nil else { continue }
            var own = PinReading()
            let said = try app.read(into: &own)
            guard let known = base else {
                base = (name, said)
                reading.add(own)
                continue
            }
            guard known.said == said else {
                throw Problem(
                    .duplicate, at: .at(files.path),
                    "has two apps that are configured differently: '\(shortened(known.name, isPublic: true))' and "
                        + "'\(shortened(name, isPublic: true))'",
                    remedy: "unpack it and name the base .apk that is meant")
            }
        }
        guard base != nil else {
            throw Problem(
                .otherKind, at: .at(files.path), "has splits of an app alone",
                remedy: "give the base .apk, or the .apks")
        }
    }

    /// Reads the configuration that the manifest names.
    ///
    /// - Returns: the bytes of what was read, and the targetSdkVersion.
    @discardableResult
    private func read(into reading: inout PinReading) throws(Problem) -> [[UInt8]] {
        let resources: any BuiltResources =
            manifest.path.hasSuffix(Self.bundledManifest)
            ? BundleResources(files: files, names: names) : try TableResources(files: files, names: names)
        try AndroidFile.follow(root, in: manifest, resources, into: &reading)
        return resources.used.files.sorted { $0.key < $1.key }.map(\.value.bytes) + [
            Array((root.children(named: "uses-sdk").first?.attributes["android:targetSdkVersion"] ?? "").utf8)
        ]
    }

    /// The file of an app, refused if it is a private key.
    fileprivate static func file(_ name: String, in files: any AppFiles) throws(Problem) -> PinFile {
        let bytes = try files.contents(of: [name], limit: mostBytes)[name] ?? []
        let file = PinFile(path: files.path(of: name), bytes: bytes, isInArchive: files is ArchivedApp)
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        return file
    }

    fileprivate static func table(in files: any AppFiles) throws(Problem) -> ResourceTable? {
        let name = "resources.arsc"
        let bytes = try files.contents(of: [name], limit: mostTableBytes)[name]
        return try bytes.map { (bytes) throws(Problem) in
            try ResourceTable(PinFile(path: files.path(of: name), bytes: bytes, isInArchive: true))
        }
    }
}

/// The files that were read, by their references.
private final class UsedFiles {
    /// The references that an app may have: each new one is a pass through the archive.
    static let most = 100

    var files: [String: PinFile] = [:]
}

private protocol BuiltResources: AndroidResources {
    var files: any AppFiles { get }
    var used: UsedFiles { get }
}

extension BuiltResources {
    /// The one file at `paths`, those of several kinds of devices; they have to be equal.
    fileprivate func only(_ paths: [String], for reference: String) throws(Problem) -> PinFile {
        if let known = used.files[reference] { return known }
        guard used.files.count < UsedFiles.most else {
            throw Problem(
                .unreasonableDocument, at: .at(files.path),
                "names more than \(UsedFiles.most) files, no app is like that")
        }
        var known: PinFile?
        for path in paths {
            let file = try AndroidPackage.file(path, in: files)
            if let known, known.bytes != file.bytes {
                throw Problem(
                    .duplicate, at: .at(files.path),
                    "\(shortened(reference, to: 80)) is \(shortened(paths[0], isPublic: true)) for some devices and "
                        + "\(shortened(path, isPublic: true)) for others",
                    remedy: "name one as text, res/xml/….xml of the project")
            }
            known = known ?? file
        }
        guard let known else { throw noFile(for: reference) }
        used.files[reference] = known
        return known
    }

    fileprivate func noFile(for reference: String) -> Problem {
        Problem(
            .wrongValue, at: .at(files.path), "the resource '\(shortened(reference, to: 80))' is no file in the app",
            remedy: "name the configuration as text, res/xml/….xml of the project")
    }
}

/// The resources of an `.apk`: a reference is an id, which the table leads to a path.
private struct TableResources: BuiltResources {
    let files: any AppFiles
    let used = UsedFiles()
    private let names: Set<String>
    private let table: ResourceTable?

    init(files: any AppFiles, names: [String]) throws(Problem) {
        (self.files, self.names, table) = (files, Set(names), try AndroidPackage.table(in: files))
    }

    func file(for reference: String) throws(Problem) -> PinFile? {
        guard reference.hasPrefix("@0x"), let id = UInt32(reference.dropFirst(3), radix: 16), id >> 24 != 0x01 else {
            throw noFile(for: reference)
        }
        let paths = try table?.paths(of: id) ?? []
        if let path = paths.first(where: { !names.contains($0) }) {
            throw Problem(
                .wrongValue, at: .at(files.path),
                "the resource \(reference) is '\(shortened(path, isPublic: true))', which is not in the app",
                remedy: "build the app again, or name its configuration as text")
        }
        return try only(paths, for: reference)
    }
}

/// The resources of an App Bundle: a reference is a name, as in a project.
private struct BundleResources: BuiltResources {
    let files: any AppFiles
    let names: [String]
    let used = UsedFiles()

    func file(for reference: String) throws(Problem) -> PinFile? {
        guard let parts = AndroidReference(reference) else { throw noFile(for: reference) }
        let paths = names.filter { name in
            let path = name.split(separator: "/", omittingEmptySubsequences: false)
            return path.count == 4 && path[0] == "base" && path[1] == "res" && parts.isNamed(path[3])
                && (path[2] == parts.type || path[2].hasPrefix("\(parts.type)-"))
        }
        return try only(paths, for: reference)
    }
}
