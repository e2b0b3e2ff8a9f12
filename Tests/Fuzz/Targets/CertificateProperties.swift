import PinChecking
import PinFormats
import Pinning
import X509

/// A moment at which the certificates of the corpus are valid.
private let time = Timestamp(secondsSinceEpoch: 1_800_000_000)

extension ArraySlice<UInt8> {
    /// Takes the next of certificates that stand one after the other; `nil` at the first that is none.
    fileprivate mutating func takeCertificate() -> Certificate? {
        guard count >= 4, first == 0x30, self[startIndex + 1] == 0x82 else { return nil }
        let length = 4 + Int(self[startIndex + 2]) << 8 + Int(self[startIndex + 3])
        defer { self = dropFirst(length) }
        return try? CertificateReader.certificate(der: Array(prefix(length)))
    }
}

enum ChainProperties {
    /// So many certificates are one more than any real chain has.
    private static let most = 6

    /// Reads certificates, one after the other, and looks for paths from the first to the last.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        var (certificates, rest): ([Certificate], _) = ([], bytes[...])
        while certificates.count < most, let next = rest.takeCertificate() { certificates.append(next) }
        guard let leaf = certificates.first, let anchor = certificates.last else { return }
        for policy in [TrustPolicy.sslServer(name: ReferenceName("api.example.com")), .basicX509] {
            let others = Array(certificates.dropFirst())
            let findings = try findings(leaf, others, [anchor], policy)
            for path in findings.validPaths {
                try Violation.unless(path.first == leaf && path.last == anchor, "a path between others")
                try Violation.unless(path.allSatisfy(certificates.contains), "a path through others")
            }
            for failure in findings.failures { try Violation.unlessMessage(failure.description) }
            let reversed = try self.findings(leaf, others.reversed(), [anchor], policy)
            try Violation.unless(
                findings.validPaths.isEmpty == reversed.validPaths.isEmpty, "the order of the certificates counts")
        }
    }

    private static func findings(
        _ leaf: Certificate, _ others: [Certificate], _ anchors: [Certificate], _ policy: TrustPolicy
    ) throws(Violation) -> PathFindings {
        guard let presented = PresentedChain([leaf] + others) else { throw Violation("no chain") }
        let findings = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [])).findPaths(
            PathQuestion(presented: presented, anchors: .only(anchors), policy: policy, time: time))
        try Violation.unless(
            findings.validPaths.isEmpty != findings.failures.isEmpty,
            "\(findings.validPaths.count) paths and \(findings.failures.count) failures")
        return findings
    }
}

enum DeviceDataProperties {
    /// Reads `bytes` as JSON, beside which there is the file `root.cer`.
    static func check(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        _ = scratch.write(DeviceData.builtIn.certificates.first ?? [], to: "root.cer")
        let data: DeviceData
        do throws(Problem) {
            data = try DeviceData(DeviceLists(PinFile(path: "\(scratch.directory)/devices.json", bytes: bytes)))
        } catch { return try Violation.unlessMessage(error.description) }
        for device in data.devices {
            let roots = data.roots(of: device)
            try Violation.unless(
                roots.count == device.rootCount && !roots.isEmpty, "\(device.name) has \(roots.count) roots")
            for root in roots {
                try Violation.unless(data.lists(root, for: device), "a root of \(device.name) that is not on its list")
            }
            let found = try? data.device(named: device.name)
            try Violation.unless(found == device, "\(device.name) is not found by its name")
        }
    }
}

/// What holds for the keys that pins are made of.
enum KeyProperties {
    /// Reads `bytes` as certificates, requests and keys, and writes pins of them.
    static func check(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        let path = scratch.write(bytes, to: "key")
        _ = try? AnchorBundle(pemOrDER: bytes)
        var items: [PinItem] = []
        let input = try read { () throws(Problem) in try PinInput.read(PinFile(path: "source", bytes: bytes)) }
        if case .items(let found)? = input { items = found }
        // OpenSSL tries one kind of private key after the other, which takes as long as all the rest.
        let isKey = scratch.choice.isMultiple(of: 8)
        let own = try !isKey ? nil : read { () throws(Problem) in try KeyFile.publicHalf(ofKeyFile: path) }
        for item in items + [own].compactMap(\.self) {
            let hash = item.certificate?.publicKey.spkiSHA256 ?? item.publicKey?.spkiSHA256
            try Violation.unless(hash == item.spkiSHA256, "a key with the hash of another one")
            guard let certificate = item.certificate else { continue }
            let name = CertificateFileName.name(of: certificate, role: item.role)
            try Violation.unless(
                name.utf8.count < 200 && !name.contains("/") && !name.contains("..") && name.hasSuffix(".cer"),
                "a file named \(name.debugDescription)")
        }
    }

    /// What `read` gives, `nil` for an error with a good message.
    private static func read<Value>(_ read: () throws(Problem) -> Value) throws(Violation) -> Value? {
        let result = Result(catching: read)
        if case .failure(let error) = result { try Violation.unlessMessage(error.description) }
        return try? result.get()
    }
}

/// What holds for what comes beside a certificate or inside of it: signed certificate timestamps, places, OCSP responses.
enum TransparencyProperties {
    static func checkTimestamps(_ bytes: [UInt8]) throws(Violation) {
        let timestamps = EmbeddedTimestamps.timestamps(in: bytes)
        try Violation.unless(timestamps.count <= EmbeddedTimestamps.limit, "\(timestamps.count) timestamps")
        let evidence = LeafEvidence(timestamps: timestamps, at: time)
        try Violation.unless(evidence.logs <= timestamps.count, "\(evidence.logs) logs")
        guard let certificate = try? CertificateReader.certificate(der: bytes) else { return }
        _ = EmbeddedTimestamps.of(certificate)
        let tried = Platform.triedPlaces(of: IssuerPlaces.all(in: certificate))
        try Violation.unless(tried.count <= 3 && tried.allSatisfy { $0.hasPrefix("http://") }, "places \(tried)")
    }

    static func checkStaple(_ bytes: [UInt8]) throws(Violation) {
        var rest = bytes[...]
        guard let leaf = rest.takeCertificate(), let issuer = rest.takeCertificate() else { return }
        let staple = StapleReader.read(Array(rest), leaf: leaf, issuer: issuer, time: time)
        if case .unusable(let why) = staple { try Violation.unlessMessage(why) }
    }
}
