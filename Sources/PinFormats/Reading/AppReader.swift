import Base
import Pinning
import X509

/// Reads the pins of an app as it ships: those of its configuration, and certificate files that clients load.
struct AppReader {
    private let files: any AppFiles
    private let isBundle: Bool

    init(archive path: String, bytes: [UInt8]? = nil) {
        files = ArchivedApp(path: path, bytes: bytes)
        isBundle = false
    }

    /// The app in the directory at `path`, which contains `names`; `nil` if it is not an app.
    init?(directory path: String, _ names: [String]) {
        let folder = path.hasSuffix("/") ? path.dropLast() : path[...]
        isBundle = folder.hasSuffix(".app") && (names.contains("Info.plist") || names.contains("Contents"))
        // bundletool and app stores put a table of contents next to split apps.
        let isSet =
            names.contains { ["toc.pb", "manifest.json"].contains($0) }
            && names.contains { $0.hasSuffix(".apk") || ["splits", "standalones"].contains($0) }
        guard
            isBundle || isSet || names.contains("Payload") || names.contains(AndroidPackage.manifest)
                || names.contains(where: { $0.hasSuffix(".app") })
                || names.contains("base") && FileKind(at: "\(folder)/\(AndroidPackage.bundledManifest)") == .regular
        else { return nil }
        files = UnpackedApp(path: path)
    }

    func read(into reading: inout PinReading) throws(Problem) {
        let place = PinPlace.at(files.path)
        var (own, code) = (PinReading(), CodePins(of: place))
        let names = try files.names(leavingOut: &code.closed)
        let bundles = names.contains(AndroidPackage.manifest) ? [] : AppBundle.all(in: names, isBundle: isBundle)
        guard bundles.count <= AppBundle.most else {
            throw .tooMuch("\(AppBundle.most) apps", at: place).advising(
                "name one of them, unpacked or in an archive of its own")
        }
        for bundle in bundles { try read(bundle, names, into: &own) }
        if !bundles.isEmpty {
            try code.scan(files, names, configuration: Set(bundles.map(\.propertyList)))
        } else if try !AndroidPackage.read(files, names, into: &own, &code) {
            return try readProject(names, at: place, into: &reading)
        }
        code = code.beside(own)
        code.privateKeys.removeAll { key in own.problems.contains { $0.place?.path == key.path } }
        if own.problems.isEmpty, own.configurations.allSatisfy(\.entries.isEmpty) {
            let file = bundles.isEmpty ? AndroidPackage.manifest : "Info.plist"
            let words = "no pin was found in \(file)\(code.nothingFound(isOfApple: !bundles.isEmpty))"
            // No system starts an app without an Info.plist.
            guard bundles.isEmpty || !own.transportSecurity.isEmpty else {
                throw Problem(.noPinsInDirectory, at: place, words)
            }
            own.note(.nothingPinned, at: place, words)
        }
        if let gaps = code.gaps { own.note(.notFollowed, at: place, gaps) }
        for store in code.stores {
            own.note(.notAPinFile, .note, at: store.place, "is a store of \(store.count) certificates, not of pins")
        }
        reading.add(own)
        reading.code.append(code)
    }

    private func read(_ bundle: AppBundle, _ names: [String], into reading: inout PinReading) throws(Problem) {
        let hasFramework = bundle.hasFramework("AFNetworking", names)
        for name in ["AFNetworking", "Alamofire"] where bundle.hasFramework(name, names) {
            reading.frameworks.insert(name)
        }
        var loaders: [String: Set<BundleLoader>] = [:]
        for name in names where bundle.holds(name) && AppBundle.isNamedCertificate(name) {
            let own = bundle.loaders(of: name, framework: hasFramework)
            if !own.isEmpty { loaders[name] = own }
        }
        let wanted = names.contains(bundle.propertyList) ? [bundle.propertyList] : []
        let contents = try files.contents(of: Set(loaders.keys).union(wanted), limit: RegularFile.mostBytes)
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
            reading.attempt { (reading) throws(Problem) in
                // A certificate is parsed once, because parsing a copy costs far more than a lookup.
                var pin = known[bytes]
                if pin == nil { pin = try certificate(in: file, loaders: own, into: &reading) }
                guard let pin else { return }
                known[bytes] = pin
                let identities = HostEntry.Identities.anywhere([Pin(pin.material, at: file.place)])
                var entry = HostEntry(hosts: nil, origin: file.place, identities: identities)
                entry.loaders = own
                entries.append(entry)
            }
        }
        guard !entries.isEmpty else { return }
        reading.add(.appBundle, entries)
        let parts = BundleLoader.allCases.map { loader in
            let own = entries.filter { $0.loaders?.contains(loader) == true }.map { PathParts("\($0.origin)").name }
            let names = listed(own.lazy.map { "'\(shortened($0, isPublic: true))'" })
            return "\(loader.rawValue): \(own.isEmpty ? "none" : names)"
        }
        let place = PinPlace.at(bundle.root.isEmpty ? files.path : String(files.path(of: bundle.root).dropLast()))
        reading.note(.loadedFromBundle, at: place, "loaded from the bundle by \(parts.joined(separator: "; "))")
    }

    /// The certificate in a file of the bundle; `nil` if clients ignore the file.
    private func certificate(
        in file: PinFile, loaders: Set<BundleLoader>, into reading: inout PinReading
    ) throws(Problem) -> Pin? {
        var own = PinReading()
        do throws(Problem) {
            try file.refusePrivateKeys()
            // Text in a file named .cer is always an error.
            try PinFileKind(file).read(file, into: &own)
            _ = try own.orThrow()
            guard !KeyFile.isPEM(file), let pin = own.pins.first, pin.certificate != nil else {
                throw file.problem(.cerNotDER, "is not a certificate in DER")
            }
            return pin
        } catch {
            guard loaders != [.alamofire] || DERShape(file.bytes) == .keyStore else {
                reading.note(.notAPinFile, at: file.place, "is not a certificate in DER, and Alamofire ignores it")
                return nil
            }
            throw error
        }
    }

    /// Reads an Android project, whose manifest is text.
    private func readProject(_ names: [String], at place: PinPlace, into reading: inout PinReading) throws(Problem) {
        let isArchive = files is ArchivedApp
        guard names.contains(AndroidPackage.manifest), !isArchive || !names.contains("classes.jar") else {
            let kinds: KeyValuePairs = [
                "classes.jar": "an Android library (.aar)", "META-INF/MANIFEST.MF": "a Java library (.jar)",
            ]
            if isArchive, let kind = kinds.first(where: { names.contains($0.key) })?.value {
                throw Problem(.otherKind, at: place, "is \(kind), not an app", "give the app that it is built into")
            }
            throw Problem(
                .noPinsInDirectory, at: place, isArchive ? "is a zip archive without an app in it" : "has no app in it",
                "an .ipa has Payload/NAME.app, an .apk an AndroidManifest.xml; of anything else name the files")
        }
        guard !isArchive else {
            throw Problem(
                .otherKind, at: place, "is a zip archive of an Android project, not a built app",
                "name the .apk, or unpack it and name its directory")
        }
        let file = try AndroidPackage.file(AndroidPackage.manifest, in: files, limit: RegularFile.mostBytes)
        guard let file, case .android? = try? PinFileKind(file) else {
            let reason = "names no network security configuration, so the app pins nothing by one"
            throw Problem(.noPinsInDirectory, at: .at(files.path(of: AndroidPackage.manifest)), reason)
        }
        try AndroidFile.read(file, into: &reading)
    }
}
