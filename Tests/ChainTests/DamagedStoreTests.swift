import COpenSSL
import LoopbackLab
import Pinning
import Testing
import X509

/// What comes of a store with a broken block, beside what OpenSSL makes of the same files.
@Suite("Nothing is trusted by a store with a broken block that OpenSSL rejects, or that the block may distrust")
struct DamagedStoreTests {
    private static let stranger = try! LabCertificate.strangers(1)[0]
    private static let rejecting = TrustSettings(rejected: [.serverAuth])

    enum Damage: CaseIterable {
        case none, noCertificate, trailingBytes, badBase64, truncated, noEnd, noEndOfSettings, unknownLabel,
            commentedOut
        case brokenRevocationList, settingsWithTail, brokenSettings, bareEnd, manyBegins, byteOrderMark

        var text: String {
            let lines = stranger.pem.split(separator: "\n").map(String.init)
            func joined(_ lines: some Sequence<String>) -> String { lines.map { $0 + "\n" }.joined() }
            return switch self {
            case .none: stranger.pem
            case .noCertificate: pem([0, 0, 0], label: "CERTIFICATE")
            case .trailingBytes: pem(stranger.der + [0, 0, 0], label: "CERTIFICATE")
            case .badBase64: joined(lines.prefix(3) + ["!!!!"] + lines.dropFirst(3))
            case .truncated: joined(lines.prefix(3) + lines.suffix(1))
            case .noEnd: joined(lines.dropLast())
            case .noEndOfSettings:
                String(stranger.pem(rejecting).split(separator: "\n").dropLast().joined(separator: "\n") + "\n")
            case .unknownLabel: stranger.pem.replacing("CERTIFICATE", with: "FANCY THING")
            case .commentedOut: joined(lines.map { "# " + $0 })
            case .brokenRevocationList: "-----BEGIN X509 CRL-----\n!!!\n-----END X509 CRL-----\n"
            case .settingsWithTail: pem(stranger.der + rejecting.der + [0], label: "TRUSTED CERTIFICATE")
            case .brokenSettings: pem(stranger.der + [0x30, 3, 2, 1, 5], label: "TRUSTED CERTIFICATE")
            case .bareEnd: "-----END CERTIFICATE-----\n"
            case .byteOrderMark: "\u{FEFF}"
            case .manyBegins: String(repeating: "-----BEGIN CERTIFICATE-----\n", count: 50)
            }
        }
    }

    enum Position: CaseIterable { case before, after, between }

    enum Form: CaseIterable { case plain, carriageReturns, glued }

    enum Place: CaseIterable { case bundle, directory, directoryAndDamagedBundle }

    private func text(_ blocks: [String], _ damage: Damage, _ position: Position, _ form: Form) -> String {
        var all = blocks
        switch position {
        case .before: all.insert(damage.text, at: 0)
        case .after: all.append(damage.text)
        case .between:
            all.insert(damage.text, at: 1)
            all.append(Self.stranger.pem)
        }
        return switch form {
        case .plain: all.joined()
        case .carriageReturns: all.joined().replacing("\n", with: "\r\n")
        case .glued: all.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }.joined()
        }
    }

    @Test(arguments: Damage.allCases, Form.allCases) func asTheSameStoreInOpenSSL(damage: Damage, form: Form) throws {
        for position in Position.allCases {
            for place in form == .plain ? Place.allCases : [.bundle] {
                for rejects in [false, true] {
                    let where_: Comment = "\(position), \(place), \(rejects ? "with" : "without") distrust"
                    let files = try TemporaryDirectory()
                    try write(place, damage, position, form, rejects: rejects, in: files)
                    let (ours, isTrustedByOpenSSL) = try Self.compare(files)
                    if rejects {
                        #expect(ours.validPaths.isEmpty, where_)
                        #expect(ours.failures.contains { $0.id == "distrusted" }, where_)
                    } else {
                        #expect(ours.validPaths.isEmpty || isTrustedByOpenSSL, where_)
                    }
                    let isWhole = [.none, .unknownLabel, .bareEnd].contains(damage) && form != .glued
                    if !rejects, isWhole { #expect(ours.validPaths.isEmpty == !isTrustedByOpenSSL, where_) }
                }
            }
        }
    }

    private func write(
        _ place: Place, _ damage: Damage, _ position: Position, _ form: Form, rejects: Bool,
        in files: TemporaryDirectory
    ) throws {
        let distrust = pki.interA.pem(Self.rejecting)
        func write(_ blocks: [String], to name: String) throws {
            try files.write(text(blocks, damage, position, form), to: name)
        }
        switch place {
        case .bundle: try write([pki.rootA.pem] + (rejects ? [distrust] : []), to: "bundle.pem")
        case .directory:
            try write([pki.rootA.pem], to: "certs/\(pki.rootA.hashedFileName)")
            if rejects { try write([distrust], to: "certs/\(pki.interA.hashedFileName)") }
        case .directoryAndDamagedBundle:
            try files.write(pki.rootA.pem, to: "certs/\(pki.rootA.hashedFileName)")
            try write([rejects ? distrust : pki.rootB.pem], to: "bundle.pem")
        }
    }

    /// What is found with the files as the system's store, and what `X509_verify_cert` comes to with the same ones.
    private static func compare(_ files: TemporaryDirectory) throws -> (ours: PathFindings, isTrustedByOpenSSL: Bool) {
        let (bundle, directory) = (files.path + "/bundle.pem", files.path + "/certs")
        let store = TrustStore.system(environment: ["SSL_CERT_FILE": bundle, "SSL_CERT_DIR": directory])
        let question = try PathQuestion([pki.leaf, pki.interA], name: ReferenceName(serverName))
        let error = openSSLError(of: pki.leaf.der, through: [pki.interA.der]) { store, _ in
            X509_STORE_load_file(store, bundle)
            X509_STORE_load_path(store, directory)
            X509_STORE_load_store(store, directory)
        }
        return (OpenSSLPathVerifier(trustStore: store).findPaths(question), error == X509_V_OK)
    }

    @Test func distrustCountsBehindAByteOrderMarkAndBesideNULBytes() throws {
        let inter = pki.interA
        let distrust = inter.pem(Self.rejecting)
        let begin = "-----BEGIN TRUSTED CERTIFICATE-----"
        let texts = [
            "\u{FEFF}" + distrust, "# text\n\u{FEFF}" + distrust, "\0" + distrust, "\0\n" + distrust,
            "x\0y\n" + distrust, String(repeating: "x", count: 253) + "\0" + distrust,
            String(repeating: "x", count: 254) + "\0" + distrust, distrust.replacing(begin, with: begin + "\0x"),
            distrust.replacing(begin, with: begin + "\0junk-----"), distrust.replacing(begin, with: begin + " "),
            distrust + "\0\0\0",
        ]
        for (index, text) in texts.enumerated() {
            let (ours, _) = try compare(Array(text.utf8), under: inter)
            #expect(ours.failures.map(\.id) == ["distrusted"], "text \(index)")
        }
        // A blank of another alphabet at the end of the line.
        let odd = Array(distrust.utf8).split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        let (ours, _) = try compare(odd[0] + [0x80, UInt8(ascii: "\n")] + odd[1], under: inter)
        #expect(ours.failures.map(\.id) == ["distrusted"])
    }

    @Test func whatIsNotReadAsItStandsHoldsNoRoot() throws {
        let root = pki.rootA
        let settings = root.der + TrustSettings(trusted: [.serverAuth]).der
        for text in [
            root.pem + "\0\0\0\0", "\0x\n" + root.pem, "# " + root.pem, root.pem + "# -----BEGIN CERTIFICATE-----\n",
            pem(root.der + [0, 0], label: "CERTIFICATE"), pem(settings + [0, 0], label: "TRUSTED CERTIFICATE"),
            "-----BEGIN CERTIFICATE----- x\n" + root.pem,
        ] { #expect(try compare(Array(text.utf8), under: root, alone: true).ours.validPaths.isEmpty, "\(text)") }
    }

    private func compare(_ bytes: [UInt8], under certificate: LabCertificate, alone: Bool = false) throws -> (
        ours: PathFindings, isTrustedByOpenSSL: Bool
    ) {
        let files = try TemporaryDirectory()
        if !alone { try files.write(pki.rootA.pem, to: "certs/\(pki.rootA.hashedFileName)") }
        try files.write(bytes, to: "certs/\(certificate.hashedFileName)")
        return try Self.compare(files)
    }

    @Test func settingsCountUnderEveryLabelAlsoWithBytesBehindThem() throws {
        let inter = pki.interA
        for label in ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"] {
            for tail in [[], [0], [0x30, 0]] as [[UInt8]] {
                let text = pem(inter.der + Self.rejecting.der + tail, label: label)
                let (ours, isTrusted) = try compare(Array(text.utf8), under: inter)
                #expect(ours.failures.map(\.id) == ["distrusted"], "\(label), \(tail)")
                #expect(!isTrusted, "\(label), \(tail)")
            }
        }
    }

    @Test func aRootInDERUnderItsHashedNameIsOneAndABrokenOneIsNot() throws {
        let root = pki.rootA
        let whole = try compare(root.der, under: root, alone: true)
        #expect(whole.isTrustedByOpenSSL)
        #expect(whole.ours.validPaths.count == 1)
        let broken = try compare(Array(root.der.dropLast()), under: root, alone: true)
        #expect(!broken.isTrustedByOpenSSL)
        #expect(broken.ours.failures.map(\.id) == ["unknown-issuer"])
    }

    @Test func aFileOfBrokenBlocksIsReadInOneGo() throws {
        let text = String(repeating: "-----BEGIN CERTIFICATE-----\nAAAA\n", count: 60_000)
        let (ours, _) = try compare(Array((text + pki.interA.pem(Self.rejecting)).utf8), under: pki.interA)
        #expect(ours.failures.map(\.id) == ["distrusted"])
    }
}
