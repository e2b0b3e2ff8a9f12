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

    func read(into reading: inout PinReading) throws(Problem) {
        let place = PinPlace.at(files.path)
        let names = try files.names()
        let bundles = AppBundle.all(in: names, isBundle: isBundle)
        guard bundles.count <= AppBundle.most else {
            throw Problem(
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
        throw Problem(.noPinsInDirectory, at: place, text)
    }

    private func read(_ bundle: AppBundle, _ names: [String], into reading: inout PinReading) throws(Problem) {
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
            do throws(Problem) {
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
    ) throws(Problem) -> Pin? {
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        var own = PinReading()
        do throws(Problem) {
            // A file named .cer that is text is an error whatever the text is.
            try PinFileKind(file).read(file, into: &own)
            _ = try own.orThrow()
            guard !KeyFile.isPEM(file), let pin = own.pins.first, pin.certificate != nil else {
                throw Problem(.cerNotDER, at: file.place, "is not a certificate in DER")
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
    ) throws(Problem) {
        if names.contains(Self.bundledManifest) {
            throw Problem(
                .otherKind, at: place, "is an Android App Bundle, whose XML is in Google's protocol buffers",
                remedy: "name the project's res/xml/network_security_config.xml")
        }
        guard names.contains(Self.manifest) else {
            throw Problem(
                .noPinsInDirectory, at: place,
                files is ArchivedApp ? "is a zip archive without an app in it" : "has no app in it",
                remedy: "an .ipa has Payload/NAME.app; of anything else name the files")
        }
        let contents = try files.contents(of: [Self.manifest])
        let file = PinFile(path: files.path(of: Self.manifest), bytes: contents[Self.manifest] ?? [])
        guard !AndroidFile.isBinary(file.bytes), files is UnpackedApp else { throw AndroidFile.binary(at: file.place) }
        guard case .android? = try? PinFileKind(file) else {
            throw Problem(
                .noPinsInDirectory, at: file.place,
                "names no network security configuration, so the app pins nothing by one")
        }
        try AndroidFile.read(file, into: &reading)
    }
}
