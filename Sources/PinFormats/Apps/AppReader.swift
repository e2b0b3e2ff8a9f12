internal import Base
internal import Pinning

/// Reads the pins of an app as it ships: those of its Info.plist, and the certificate files that clients load from its bundle.
struct AppReader {
    private let files: any AppFiles
    /// Whether the path itself is the bundle.
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

    private static let manifest = "AndroidManifest.xml"
    private static let bundledManifest = "base/manifest/AndroidManifest.xml"

    func read(into collector: inout PinCollector) throws(PinFormatError) {
        let place = PinPlace.at(files.path)
        let names = try files.names(&collector)
        let bundles = AppBundle.all(in: names, isBundle: isBundle)
        guard bundles.count <= AppBundle.most else {
            throw PinFormatError(
                .unreasonableDocument, at: place, "has more than \(AppBundle.most) apps",
                remedy: "name one of them, unpacked or in an archive of its own")
        }
        if bundles.isEmpty { try refuseOther(names, at: place, into: &collector) }
        for bundle in bundles { try read(bundle, names, into: &collector) }
        guard !collector.isUntouched else {
            let other = names.first { $0.hasSuffix(".pem") }
            throw PinFormatError(
                .noPinsInDirectory, at: place,
                "the app has no pin: neither NSPinnedDomains nor TSKConfiguration in its Info.plist, and no certificate "
                    + "in its bundle that a client loads",
                remedy: other.map { name in
                    "no client loads '\(shortened(name, isPublic: true))' by itself: convert it to DER and name it .cer"
                })
        }
    }

    private func read(_ bundle: AppBundle, _ names: [String], into collector: inout PinCollector) throws(PinFormatError)
    {
        let hasFramework = bundle.hasFramework(names)
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
            try PropertyListFile.readInfo(file, into: &collector)
        } else {
            collector.note(.notFollowed, at: .at(files.path(of: bundle.propertyList)), "is missing")
        }
        var entries: [HostEntry] = []
        var known: [[UInt8]: Pin] = [:]
        for name in loaders.keys.sorted() {
            guard let bytes = contents[name], let own = loaders[name] else { continue }
            let file = PinFile(path: files.path(of: name), bytes: bytes, isInArchive: files is ArchivedApp)
            do throws(PinFormatError) {
                // Copies are read once: a certificate costs far more to read than to find again.
                let pin =
                    if let copy = known[bytes] { copy } else {
                        try certificate(in: file, loaders: own, into: &collector)
                    }
                if let pin {
                    known[bytes] = pin
                    let origin = file.place.description
                    let pin = Pin(pin.material, origin: origin)
                    var entry = HostEntry(hosts: nil, origin: origin, identities: .anywhere([pin]))
                    entry.loaders = own
                    entries.append(entry)
                }
            } catch { try collector.skip(error) }
        }
        if !entries.isEmpty { collector.add(PinConfiguration(.appBundle, entries: entries)) }
        note(entries, elsewhere, of: bundle, into: &collector)
        noteText(names.filter { bundle.holds($0) && $0.hasSuffix(".pem") }, of: bundle, into: &collector)
    }

    /// The certificate that a file of the bundle is; `nil` for what the clients pass over in silence.
    private func certificate(
        in file: PinFile, loaders: Set<BundleLoader>, into collector: inout PinCollector
    ) throws(PinFormatError) -> Pin? {
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        var own = PinCollector(.refused)
        do throws(PinFormatError) {
            // A file named .cer that is text is an error whatever the text is.
            try PinFileKind(file).read(file, into: &own)
            guard !KeyFile.isPEM(file), let pin = own.pins.first, pin.certificate != nil else {
                throw PinFormatError(.cerNotDER, at: file.place, "is not a certificate in DER")
            }
            return pin
        } catch {
            guard loaders.contains(.afNetworking4) || loaders.contains(.afNetworking3) else {
                collector.note(
                    .notAPinFile, at: file.place, "is not a certificate in DER, and Alamofire passes over it")
                return nil
            }
            throw error
        }
    }

    private func note(
        _ entries: [HostEntry], _ elsewhere: [String], of bundle: AppBundle, into collector: inout PinCollector
    ) {
        func names(_ paths: [String]) -> String {
            listed(paths.lazy.map { "'\(shortened($0.split(separator: "/").last ?? $0[...], isPublic: true))'" })
        }
        let place = PinPlace.at(bundle.root.isEmpty ? files.path : String(files.path(of: bundle.root).dropLast()))
        if !entries.isEmpty {
            let parts = BundleLoader.allCases.map { loader in
                let own = entries.filter { $0.loaders?.contains(loader) == true }
                return "\(loader.rawValue): \(own.isEmpty ? "none" : names(own.map(\.origin)))"
            }
            collector.note(.loadedFromBundle, at: place, "loaded from the bundle by \(parts.joined(separator: "; "))")
        }
        if !elsewhere.isEmpty {
            collector.note(
                .notAPinFile, at: place,
                "no client loads by itself what is not in the main bundle: " + pathsInside(bundle, elsewhere))
        }
    }

    /// Some files by their paths in the bundle.
    private func pathsInside(_ bundle: AppBundle, _ names: [String]) -> String {
        listed(names.lazy.map { "'\(shortened($0.dropFirst(bundle.root.count), isPublic: true))'" })
    }

    /// Says of certificates in PEM that clients which load files by their names pass over them.
    private func noteText(_ names: [String], of bundle: AppBundle, into collector: inout PinCollector) {
        guard !names.isEmpty else { return }
        collector.note(
            .notAPinFile, at: .at(bundle.root.isEmpty ? files.path : String(files.path(of: bundle.root).dropLast())),
            "no client loads files named .pem by itself: " + pathsInside(bundle, names))
    }

    // MARK: What is no bundle

    /// Reads a project of Android, and says of everything else why it is not read.
    private func refuseOther(
        _ names: [String], at place: PinPlace, into collector: inout PinCollector
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
        guard case .android = try PinFileKind(file) else { throw .noPin(at: file.place) }
        try AndroidFile.read(file, into: &collector)
    }
}
