import Base
import Pinning

/// A built Android app: its manifest, and the resources that the manifest names.
struct AndroidPackage {
    /// The limit in bytes of a manifest, configuration or certificate.
    private static let mostBytes = 1 << 20
    /// The limits of an archive of apps: their number, and the bytes of each.
    private static let (mostApps, mostAppBytes) = (60, 128 << 20)
    static let manifest = "AndroidManifest.xml"
    static let bundledManifest = "base/manifest/AndroidManifest.xml"

    private let files: any AppFiles
    private let names: [String]
    private let manifest: PinFile
    private let root: XMLElement

    /// Reads the manifest of `files`; `nil` if they have none in built form.
    private init?(_ files: any AppFiles, _ names: [String]) throws(Problem) {
        guard let name = [Self.manifest, Self.bundledManifest].first(where: names.contains) else { return nil }
        guard let manifest = try Self.file(name, in: files), manifest.text == nil else { return nil }
        self.manifest = manifest
        (self.files, self.names, root) = (files, names, try BuiltXML.root(of: manifest))
    }

    /// Reads the app in `files`, or the base app of an archive of apps; `false` if there is none.
    static func read(
        _ files: any AppFiles, _ names: [String], into reading: inout PinReading, _ code: inout CodePins
    ) throws(Problem) -> Bool {
        if let app = try AndroidPackage(files, names) {
            if let split = app.root.attributes["split"] {
                throw Problem(
                    .otherKind, at: .at(files.path), "is the split '\(shortened(split, to: 60))' of an app",
                    "give the base .apk, or the .apks")
            }
            try app.read(into: &reading)
            try code.scan(files, names)
            return true
        }
        let apps = names.filter { PinFile.fileExtension(of: $0) == "apk" }
        guard !apps.isEmpty, !names.contains(where: { $0.hasSuffix(manifest) }) else { return false }
        guard apps.count <= mostApps else {
            throw .tooMuch("\(mostApps) apps", at: .at(files.path)).advising("unpack it and name the base .apk")
        }
        try readBase(of: apps, in: files, into: &reading, &code)
        return true
    }

    /// Reads the one of `apps` that is not a split; if there are several, their configurations must be equal.
    private static func readBase(
        of apps: [String], in files: any AppFiles, into reading: inout PinReading, _ code: inout CodePins
    ) throws(Problem) {
        var base: (name: String, said: [[UInt8]])?
        for name in apps {
            let bytes = try files.contents(of: [name], limit: mostAppBytes)[name] ?? []
            let inner = ArchivedApp(path: files.path(of: name), bytes: bytes)
            let names = try inner.names(leavingOut: &code.closed)
            try code.scan(inner, names)
            guard let app = try AndroidPackage(inner, names), app.root.attributes["split"] == nil else { continue }
            var own = PinReading()
            let said = try app.read(into: &own)
            if base == nil { reading.add(own) }
            let known = base ?? (name, said)
            base = known
            guard known.said == said else {
                let both = [known.name, name].map { "'\(shortened($0, isPublic: true))'" }.joined(separator: " and ")
                throw Problem(
                    .duplicate, at: .at(files.path), "has two apps that are configured differently: \(both)",
                    "unpack it and name the base .apk that is meant")
            }
        }
        guard base != nil else {
            let reason = "has splits of an app alone"
            throw Problem(.otherKind, at: .at(files.path), reason, "give the base .apk, or the .apks")
        }
    }

    /// Reads the manifest's configuration; returns the bytes of the files read and of targetSdkVersion, for comparison.
    @discardableResult private func read(into reading: inout PinReading) throws(Problem) -> [[UInt8]] {
        let resources = try BuiltResources(files, names, isBundle: manifest.path.hasSuffix(Self.bundledManifest))
        try AndroidFile.follow(root, in: manifest, resources, into: &reading)
        return resources.used.sorted { $0.reference < $1.reference }.map(\.file.bytes) + [
            (root["uses-sdk"].first?.attributes["android:targetSdkVersion"] ?? "").bytes
        ]
    }

    static func file(_ name: String, in files: any AppFiles, limit: Int = mostBytes) throws(Problem) -> PinFile? {
        try files.contents(of: [name], limit: limit)[name].map {
            PinFile(path: files.path(of: name), bytes: $0, isInArchive: files is ArchivedApp)
        }
    }
}

/// The resources of a built app; a reference is an id for the resource table, or a name in an App Bundle.
private final class BuiltResources: AndroidResources {
    /// The limit of references, because each new one costs a pass through the archive.
    private static let most = 100

    private let files: any AppFiles
    private let names: Set<String>
    private let isBundle: Bool
    private let table: ResourceTable?
    private(set) var used: [(reference: String, file: PinFile)] = []

    init(_ files: any AppFiles, _ names: [String], isBundle: Bool) throws(Problem) {
        (self.files, self.names, self.isBundle) = (files, Set(names), isBundle)
        let file = isBundle ? nil : try AndroidPackage.file("resources.arsc", in: files, limit: 64 << 20)
        table = try file.map(ResourceTable.init)
    }

    /// The file of a reference; the files of several kinds of devices must be equal.
    func file(for reference: String) throws(Problem) -> PinFile? {
        if let known = used.first(where: { $0.reference == reference }) { return known.file }
        guard used.count < Self.most else {
            let reason = "names more than \(Self.most) files, no app is like that"
            throw Problem(.unreasonableDocument, at: .at(files.path), reason)
        }
        var known: PinFile?
        let paths = try paths(of: reference)
        for path in paths {
            guard names.contains(path), let file = try AndroidPackage.file(path, in: files) else {
                throw Problem(
                    .wrongValue, at: .at(files.path),
                    "the resource \(reference) is '\(shortened(path, isPublic: true))', which is not in the app",
                    "build the app again, or name its configuration as text")
            }
            try file.refusePrivateKeys()
            if let known, known.bytes != file.bytes {
                throw Problem(
                    .duplicate, at: .at(files.path),
                    "\(shortened(reference, to: 80)) is \(shortened(paths[0], isPublic: true)) for some devices and "
                        + "\(shortened(path, isPublic: true)) for others",
                    "name one as text, res/xml/….xml of the project")
            }
            known = known ?? file
        }
        guard let known else {
            throw Problem(
                .wrongValue, at: .at(files.path),
                "the resource '\(shortened(reference, to: 80))' is no file in the app",
                "name the configuration as text, res/xml/….xml of the project")
        }
        used.append((reference, known))
        return known
    }

    private func paths(of reference: String) throws(Problem) -> [String] {
        guard !isBundle else { return bundledPaths(of: reference) }
        return try id(reference).flatMap { (id) throws(Problem) in try table?.paths(of: id) } ?? []
    }

    private func id(_ reference: String) -> UInt32? {
        guard reference.hasPrefix("@0x"), let id = UInt32(reference.dropFirst(3), radix: 16) else { return nil }
        return id >> 24 == 0x01 ? nil : id
    }

    private func bundledPaths(of reference: String) -> [String] {
        guard let parts = AndroidReference(reference) else { return [] }
        return names.filter { name in
            let path = name.parts(at: "/")
            return path.count == 4 && path[0] == "base" && path[1] == "res" && parts.isNamed(path[3])
                && (path[2] == parts.type || path[2].hasPrefix("\(parts.type)-"))
        }.sorted()
    }

    func debugTwin(of file: PinFile) throws(Problem) -> String? {
        guard let reference = used.first(where: { $0.file.path == file.path })?.reference else { return nil }
        guard isBundle else {
            return try id(reference).flatMap { (id) throws(Problem) in try table?.debugTwin(of: id) }
        }
        return bundledPaths(of: reference + "_debug").first.map { PathParts($0).name }
    }
}
