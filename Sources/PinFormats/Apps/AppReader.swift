internal import Base
internal import Pinning

/// Reads the pins of an app as it ships: those of its Info.plist, and the certificate files that clients load from its bundle.
struct AppReader {
    private let files: any AppFiles
    private let isBundle: Bool

    /// The app in the archive at `path`.
    init(archive path: String) {
        files = ArchivedApp(path: path)
        isBundle = false
    }

    /// The app that the directory at `path` is, by the names directly in it; `nil` when it is none.
    init?(directory path: String, _ names: [String]) {
        let folder = path.hasSuffix("/") ? path.dropLast() : path[...]
        isBundle = folder.hasSuffix(".app") && (names.contains("Info.plist") || names.contains("Contents"))
        guard
            isBundle || names.contains("Payload") || names.contains(Self.manifest)
                || names.contains(where: { $0.hasSuffix(".app") })
        else { return nil }
        files = UnpackedApp(path: path)
    }

    static let manifest = "AndroidManifest.xml"
    private static let bundledManifest = "base/manifest/AndroidManifest.xml"

    func read(into reading: inout PinReading) throws(PinFormatError) {
        let place = PinPlace.at(files.path)
        let names = try files.names()
        let bundles = AppBundle.all(in: names, isBundle: isBundle)
        guard bundles.count <= AppBundle.most else {
            throw PinFormatError(
                .unreasonableDocument, at: place, "has more than \(AppBundle.most) apps",
                remedy: "name one of them, unpacked or in an archive of its own")
        }
        if bundles.isEmpty { try refuseOther(names, at: place, into: &reading) }
        for bundle in bundles { try read(bundle, names, into: &reading) }
        guard !bundles.isEmpty, reading.problems.isEmpty, reading.configurations.allSatisfy(\.entries.isEmpty) else {
            return
        }
        let text =
            "the app has no pin: neither NSPinnedDomains nor TSKConfiguration in its Info.plist, and no certificate "
            + "in its bundle that a client loads"
        guard reading.transportSecurity.isEmpty else { return reading.note(.nothingPinned, at: place, text) }
        throw PinFormatError(.noPinsInDirectory, at: place, text)
    }

    private func read(_ bundle: AppBundle, _ names: [String], into reading: inout PinReading) throws(PinFormatError) {
        let hasFramework = bundle.hasFramework("AFNetworking", names)
        for name in ["AFNetworking", "Alamofire"] where bundle.hasFramework(name, names) {
            reading.add(framework: name)
        }
        var loaders: [String: Set<BundleLoader>] = [:]
        var elsewhere: [String] = []
        for name in names where bundle.holds(name) && AppBundle.isNamedCertificate(name) {
            let own = bundle.loaders(of: name, framework: hasFramework)
            if own.isEmpty { elsewhere.append(name) } else { loaders[name] = own }
        }
        let wanted = names.contains(bundle.propertyList) ? [bundle.propertyList] : []
        let contents = try files.contents(of: Set(loaders.keys).union(wanted))
        if let bytes = contents[bundle.propertyList] {
            let file = PinFile(path: files.path(of: bundle.propertyList), bytes: bytes)
            try PropertyListFile.read(file, isInfo: true, into: &reading)
        } else {
            reading.note(.notFollowed, at: .at(files.path(of: bundle.propertyList)), "is missing")
        }
        var entries: [HostEntry] = []
        var known: [[UInt8]: Pin] = [:]
        for name in loaders.keys.sorted() {
            guard let bytes = contents[name], let own = loaders[name] else { continue }
            let file = PinFile(path: files.path(of: name), bytes: bytes, isInArchive: files is ArchivedApp)
            do throws(PinFormatError) {
                // Copies are read once: a certificate costs far more to read than to find again.
                let pin =
                    if let copy = known[bytes] { copy } else { try certificate(in: file, loaders: own, into: &reading) }
                if let pin {
                    known[bytes] = pin
                    let origin = file.place.description
                    let pin = Pin(pin.material, origin: origin)
                    var entry = HostEntry(hosts: nil, origin: origin, identities: .anywhere([pin]))
                    entry.loaders = own
                    entries.append(entry)
                }
            } catch { reading.report(error) }
        }
        if !entries.isEmpty { reading.add(PinConfiguration(.appBundle, entries: entries)) }
        elsewhere += names.filter { bundle.holds($0) && $0.hasSuffix(".pem") }
        note(entries, elsewhere, of: bundle, into: &reading)
    }

    /// The certificate that a file of the bundle is; `nil` for what the clients pass over in silence.
    private func certificate(
        in file: PinFile, loaders: Set<BundleLoader>, into reading: inout PinReading
    ) throws(PinFormatError) -> Pin? {
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        var own = PinReading()
        do throws(PinFormatError) {
            // A file named .cer that is text is an error whatever the text is.
            try PinFileKind(file).read(file, into: &own)
            _ = try own.orThrow()
            guard !KeyFile.isPEM(file), let pin = own.pins.first, pin.certificate != nil else {
                throw PinFormatError(.cerNotDER, at: file.place, "is not a certificate in DER")
            }
            return pin
        } catch {
            guard loaders.contains(.afNetworking4) || loaders.contains(.afNetworking3) else {
                reading.note(.notAPinFile, at: file.place, "is not a certificate in DER, and Alamofire passes over it")
                return nil
            }
            throw error
        }
    }

    private func note(
        _ entries: [HostEntry], _ elsewhere: [String], of bundle: AppBundle, into reading: inout PinReading
    ) {
        let place = PinPlace.at(bundle.root.isEmpty ? files.path : String(files.path(of: bundle.root).dropLast()))
        if !entries.isEmpty {
            let parts = BundleLoader.allCases.map { loader in
                let own = entries.filter { $0.loaders?.contains(loader) == true }.map { PathParts($0.origin).name }
                let names = listed(own.lazy.map { "'\(shortened($0, isPublic: true))'" })
                return "\(loader.rawValue): \(own.isEmpty ? "none" : names)"
            }
            reading.note(.loadedFromBundle, at: place, "loaded from the bundle by \(parts.joined(separator: "; "))")
        }
        guard !elsewhere.isEmpty else { return }
        let names = listed(elsewhere.lazy.map { "'\(shortened($0.dropFirst(bundle.root.count), isPublic: true))'" })
        reading.note(
            .notAPinFile, at: place,
            "no client loads by itself what is not in the main bundle, or is named .pem: \(names)")
    }

    // MARK: What is no bundle

    /// Reads a project of Android, and says of everything else why it is not read.
    private func refuseOther(
        _ names: [String], at place: PinPlace, into reading: inout PinReading
    ) throws(PinFormatError) {
        if names.contains(Self.bundledManifest) {
            throw PinFormatError(
                .otherKind, at: place, "is an Android App Bundle, whose XML is in Google's protocol buffers",
                remedy: "name the project's res/xml/network_security_config.xml")
        }
        guard names.contains(Self.manifest) else {
            throw PinFormatError(
                .noPinsInDirectory, at: place,
                files is ArchivedApp ? "is a zip archive without an app in it" : "has no app in it",
                remedy: "an .ipa has Payload/NAME.app; of anything else name the files")
        }
        let contents = try files.contents(of: [Self.manifest])
        let file = PinFile(path: files.path(of: Self.manifest), bytes: contents[Self.manifest] ?? [])
        guard !AndroidFile.isBinary(file.bytes), files is UnpackedApp else { throw AndroidFile.binary(at: file.place) }
        guard case .android? = try? PinFileKind(file) else {
            throw PinFormatError(
                .noPinsInDirectory, at: file.place,
                "names no network security configuration, so the app pins nothing by one")
        }
        try AndroidFile.read(file, into: &reading)
    }
}

/// Where an app of Apple's systems has its files.
struct AppBundle {
    /// The path of the bundle within the archive or directory, with a slash at its end; empty for the whole.
    let root: String
    private let contents: String

    /// How many bundles an archive or directory may have: each of them is another pass through it.
    static let most = 20

    /// The bundles among `names`: `Payload/NAME.app` of an `.ipa`, a bundle by itself, or the whole when `isBundle`.
    ///
    /// With more than ``most`` of them the rest is left out, and one more than that is given.
    static func all(in names: [String], isBundle: Bool) -> [AppBundle] {
        if isBundle { return [AppBundle("", names)] }
        var roots: [String] = []
        for name in names where roots.count <= most {
            let parts = name.split(separator: "/", maxSplits: 2)
            let root: String
            if parts.count == 3, parts[0] == "Payload", parts[1].hasSuffix(".app") {
                root = "Payload/\(parts[1])/"
            } else if parts.count > 1, parts[0].hasSuffix(".app") {
                root = "\(parts[0])/"
            } else {
                continue
            }
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
