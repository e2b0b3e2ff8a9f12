import Base
package import X509

/// What `--anchors` and `--and-system` come to.
package enum TrustAnchors {
    /// The anchors that were given, `nil` for none.
    static func given(_ trust: CheckRequest.Trust) throws(CheckError) -> [AnchorBundle]? {
        guard !trust.anchors.isEmpty else {
            guard !(trust.includesSystem ?? RequestDefaults.includesSystem) else {
                throw CheckError(.request, .nothingToAddTheSystemTo)
            }
            return nil
        }
        var bundles: [AnchorBundle] = []
        for path in trust.anchors { bundles += try AnchorFiles.bundles(at: path) }
        return bundles
    }

    /// What stands for a device's roots, and what it is called in reports.
    static func store(
        _ given: [AnchorBundle]?, _ trust: CheckRequest.Trust, beside own: @autoclosure () -> TrustStore,
        selected selection: AnchorSelection? = nil
    ) -> (TrustStore, HostPolicy.Trust) {
        guard let given else { return (own(), selection == nil ? .system : .device) }
        guard trust.includesSystem ?? RequestDefaults.includesSystem else {
            return (TrustStore(anchors: given, insteadOf: selection), .anchors)
        }
        return (TrustStore(anchors: given, and: own()), selection == nil ? .both : .anchorsAndDevice)
    }

    /// The trust store of this machine, what it is called in reports, and those of its roots that were given.
    package static func read(
        _ trust: CheckRequest.Trust, environment: [String: String]
    ) throws(CheckError) -> (store: TrustStore, name: HostPolicy.Trust, given: TrustStore?) {
        let given = try given(trust)
        let (store, name) = store(given, trust, beside: .system(environment: environment))
        return (store, name, given.map { TrustStore(anchors: $0) })
    }
}

/// Reads certificates that paths may end at or pass through.
enum AnchorFiles {
    /// The anchors in a file, or in every file of a directory that holds certificates.
    ///
    /// - Throws: ``CheckError`` for a file that is missing, or holds none.
    static func bundles(at path: String, as role: String = "anchors") throws(CheckError) -> [AnchorBundle] {
        // The name alone does not say for what it was given.
        if case .absent = FileKind(at: path) {
            throw .said(.missing, "\(role): \(quoted(path)): there is no such file")
        }
        guard let names = fileNames(inDirectory: path) else { return [try bundle(inFile: path, as: role)] }
        var bundles: [AnchorBundle] = []
        for name in names {
            let bytes = try FileReader.contents(ofFile: name, inDirectory: path)
            // A directory of certificates often holds a note or a list of revocations too.
            guard CertificateReader.areForCertificates(bytes) else { continue }
            bundles.append(try bundle(bytes, from: "\(path)/\(String(fileName: name))", as: role))
        }
        guard !bundles.isEmpty else {
            throw .said(.missing, "the directory \(quoted(path)) holds no certificate: name one with DER or PEM files")
        }
        return bundles
    }

    private static func bundle(inFile path: String, as role: String) throws(CheckError) -> AnchorBundle {
        let bundle = try bundle(try FileReader.contents(ofFile: path), from: path, as: role)
        guard bundle.count > 0 else {
            throw .said(.data, "\(quoted(path)) holds no certificate: give \(role) as DER or PEM certificates")
        }
        return bundle
    }

    private static func bundle(_ bytes: [UInt8], from path: String, as role: String) throws(CheckError) -> AnchorBundle
    {
        do { return try AnchorBundle(pemOrDER: bytes) } catch {
            throw .said(.data, "\(quoted(path)) cannot be used as \(role): \(error)")
        }
    }

    /// The names of the files in a directory as the system has them, sorted; `nil` when the path names no directory.
    ///
    /// A name need not be UTF-8: as text it would be another.
    private static func fileNames(inDirectory path: String) -> [[CChar]]? {
        try? DirectoryListing.names(in: path) { $0.regularFile != nil }
    }
}

/// Whether the OpenSSL of this machine can be used at all.
package enum OpenSSLHealth {
    /// Throws when OpenSSL's configuration leaves it without algorithms, which would otherwise show as a crash.
    ///
    /// It sets OpenSSL up: only for commands that are about to read certificates anyway.
    package static func require() throws(CheckError) {
        guard !Hashing.isAvailable else { return }
        throw .said(
            .software,
            "OpenSSL offers no SHA-256: its default provider is not active; check the file that OPENSSL_CONF names")
    }
}
