import Dispatch
import Foundation
import LoopbackLab
import Synchronization
import Testing

/// What `openssl x509` says of a certificate.
private func text(of certificate: LabCertificate) async throws -> String {
    try await OpenSSLCommand.run("x509 -noout -text -nameopt RFC2253,esc_ctrl,esc_msb", input: certificate.pem).text
}

/// What `openssl verify` says of a path given from the leaf to the root: `nil` when it is good, else the error's number.
private func verificationError(_ path: LabCertificate..., options: String...) async throws -> Int? {
    let directory = try TemporaryDirectory()
    let root = try directory.write(path[path.count - 1].pem, to: "root.pem")
    let between = try directory.write(pem(of: Array(path.dropFirst().dropLast())), to: "untrusted.pem")
    let leaf = try directory.write(path[0].pem, to: "leaf.pem")
    let untrusted = path.count > 2 ? ["-untrusted", between] : []
    let outcome = try await OpenSSLCommand.run(
        (["verify -x509_strict -CAfile", root] + untrusted + options + [leaf]).joined(separator: " "))
    guard outcome.status != 0 else { return nil }
    let number = outcome.text.firstMatch(of: /error ([0-9]+)/)?.1
    return number.flatMap { Int($0) } ?? -1
}

@Suite(.enabled(if: OpenSSLCommand.isAvailable), .timeLimit(.minutes(5))) struct CertificateIssuingTests {
    @Test func standardPathsAreWhatTheDiagramSays() async throws {
        let world = try StandardPKI.shared()
        #expect(try await verificationError(world.leaf, world.interA, world.rootA) == nil)
        #expect(try await verificationError(world.leafRe, world.interA2, world.rootA) == nil)
        #expect(try await verificationError(world.leaf2, world.interA, world.rootA) == nil)
        #expect(try await verificationError(world.leaf, world.interAxB, world.rootB) == nil)
        #expect(try await verificationError(world.rogue, world.rogueI, world.rootB) == nil)
        #expect(try await verificationError(world.junk, world.junk) == nil)
        #expect(try await verificationError(world.leafExp, world.interA, world.rootA) == 10)
        #expect(try await verificationError(world.leaf, world.interAexp, world.rootA) == 10)
        #expect(try await verificationError(world.leaf, world.interA, world.rootAexp) == 10)
        #expect(try await verificationError(world.leaf, world.interA, world.rootB) == 20)
        #expect(try await verificationError(world.rogue, world.rogueI, world.rootA) == 20)
    }

    @Test func reissuingAndCrossSigningKeepTheKeyAndRenewingDoesNot() throws {
        let world = try StandardPKI.shared()
        for (first, second) in [
            (world.interA, world.interA2), (world.interA, world.interAexp), (world.interA, world.interAxB),
            (world.leaf, world.leafRe), (world.leaf, world.leafExp), (world.rootA, world.rootAexp),
        ] {
            #expect(first.der != second.der)
            #expect(first.sha256 != second.sha256)
            #expect(first.subject == second.subject)
            #expect(first.key.publicKeyInfo == second.key.publicKeyInfo)
            #expect(first.publicKeySHA256 == second.publicKeySHA256)
        }
        #expect(world.leaf.key.publicKeyInfo != world.leaf2.key.publicKeyInfo)
        #expect(world.leaf.subject == world.leaf2.subject)
        #expect(world.leaf.key.publicKeyInfo != world.rogue.key.publicKeyInfo)
    }

    @Test(arguments: [
        LabKey.Algorithm.p256, .p384, .p521, .ed25519, .rsa(bits: 1_024), .rsa(bits: 2_048), .rsa(bits: 3_072),
    ]) func everyKindOfKeySignsAndIsSignedFor(algorithm: LabKey.Algorithm) async throws {
        let key = try LabKey.shared(algorithm, label: "issuing tests")
        let root = try LabCertificate.selfSigned(.authority("Root"), key: key)
        let leaf = try root.issue(.leaf("a.example"), key: key)
        #expect(try await verificationError(leaf, root) == nil)

        let ofKey = try await OpenSSLCommand.run("pkey -pubout", input: key.privateKeyPEM())
        #expect(ofKey.text == key.publicKeyPEM)
        let ofCertificate = try await OpenSSLCommand.run("x509 -noout -pubkey", input: leaf.pem)
        #expect(ofCertificate.text == key.publicKeyPEM)
    }

    @Test func aSharedKeyIsMadeOnceForEachLabel() throws {
        let first = try LabKey.shared(.p256, label: "one")
        #expect(try LabKey.shared(.p256, label: "one") === first)
        #expect(try LabKey.shared(.p256, label: "two") != first)
        #expect(try LabKey.shared(.p384, label: "one") != first)
    }

    @Test(arguments: [
        (SignatureDigest.sha256, "sha256WithRSAEncryption", "ecdsa-with-SHA256" as String?),
        (.sha384, "sha384WithRSAEncryption", "ecdsa-with-SHA384"),
        (.sha512, "sha512WithRSAEncryption", "ecdsa-with-SHA512"), (.sha1, "sha1WithRSAEncryption", "ecdsa-with-SHA1"),
        (.md5, "md5WithRSAEncryption", nil),
    ]) func signsWithTheDigestAskedFor(digest: SignatureDigest, rsaName: String, ecName: String?) async throws {
        let template = CertificateTemplate.authority("Root").with { $0.digest = digest }
        let rsa = try LabCertificate.selfSigned(template, key: .shared(.rsa(bits: 2_048), label: "digests"))
        #expect(try await text(of: rsa).contains("Signature Algorithm: \(rsaName)\n"))
        #expect(try await verificationError(rsa, rsa, options: "-check_ss_sig", "-auth_level 0") == nil)
        if let ecName {
            let ec = try LabCertificate.selfSigned(template)
            #expect(try await text(of: ec).contains("Signature Algorithm: \(ecName)\n"))
            #expect(try await verificationError(ec, ec, options: "-check_ss_sig", "-auth_level 0") == nil)
        } else {
            #expect(throws: LabError.self) { try LabCertificate.selfSigned(template) }
        }
    }

    @Test func everyFieldOfTheTemplateReachesTheCertificate() async throws {
        let root = try LabCertificate.selfSigned(.authority("Root", pathLength: 3))
        let template = CertificateTemplate.leaf("a.example", "192.0.2.1", "2001:db8::1").with {
            $0.subject = DistinguishedName(commonName: "a.example", organization: "Example")
            $0.alternativeNames += [.uri("https://a.example/"), .email("a@a.example"), .directory("Somebody")]
            $0.serialNumber = [0xca, 0xfe]
            $0.keyUsage = [.digitalSignature, .keyAgreement, .cRLSign]
            $0.extendedKeyUsage = [.serverAuth, .clientAuth, OID(1, 2, 3, 4_567_890)]
            $0.basicConstraints = .init(isAuthority: true, pathLength: 0)
            $0.nameConstraints = .init(
                permitted: [.dns("a.example"), .ip([192, 0, 2, 0, 255, 255, 255, 0])], excluded: [.dns("b.example")])
            $0.subjectKeyIdentifier = .bytes([1, 2, 3])
            $0.authorityKeyIdentifier = .bytes([4, 5, 6])
            $0.additionalExtensions = [.init(OID(1, 3, 6, 1, 4, 1, 99_999), isCritical: true, value: [5, 0])]
        }
        let read = try await text(of: root.issue(template))
        for line in [
            "Serial Number: 51966 (0xcafe)", "Issuer: CN=Root\n", "Subject: CN=a.example,O=Example\n",
            "X509v3 Subject Alternative Name: \n", "DNS:a.example, IP Address:192.0.2.1, ",
            "IP Address:2001:DB8:0:0:0:0:0:1, URI:https://a.example/, email:a@a.example, DirName:", "Somebody",
            "X509v3 Key Usage: critical\n                Digital Signature, Key Agreement, CRL Sign\n",
            "X509v3 Extended Key Usage: \n",
            "TLS Web Server Authentication, TLS Web Client Authentication, 1.2.3.4567890\n",
            "X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0\n",
            "X509v3 Name Constraints: critical\n", "DNS:a.example\n", "IP:192.0.2.0/255.255.255.0\n", "DNS:b.example\n",
            "X509v3 Subject Key Identifier: \n                01:02:03\n",
            "X509v3 Authority Key Identifier: \n                04:05:06\n", "1.3.6.1.4.1.99999: critical\n",
        ] { #expect(read.contains(line), "\(line) in \(read)") }
        #expect(try await text(of: root).contains("CA:TRUE, pathlen:3\n"))
    }

    @Test func aTemplateWithoutAnythingMakesACertificateWithoutExtensions() async throws {
        let bare = try LabCertificate.selfSigned(
            CertificateTemplate.leaf(subject: .empty, names: []).with {
                $0.basicConstraints = nil
                $0.keyUsage = nil
                $0.extendedKeyUsage = nil
                $0.subjectKeyIdentifier = .absent
                $0.authorityKeyIdentifier = .absent
            })
        let read = try await text(of: bare)
        #expect(read.contains("Subject: \n"))
        #expect(!read.contains("X509v3"))
    }

    @Test func anIssuerThatIsNotTheSignerCanBeNamed() async throws {
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let leaf = try root.issue(.leaf("a.example").with { $0.issuer = "Somebody Else" })
        #expect(try await text(of: leaf).contains("Issuer: CN=Somebody Else\n"))
    }

    @Test(arguments: [
        (Int64(-3_000_000_000), "Dec  7 18:40:00 1874 GMT"), (-600_000_000, "Dec 27 13:20:00 1950 GMT"),
        (0, "Jan  1 00:00:00 1970 GMT"), (2_524_607_999, "Dec 31 23:59:59 2049 GMT"),
        (2_524_608_000, "Jan  1 00:00:00 2050 GMT"), (253_402_300_799, "Dec 31 23:59:59 9999 GMT"),
    ]) func datesFarAwayAreWritten(seconds: Int64, expected: String) async throws {
        let certificate = try LabCertificate.selfSigned(.authority("Root").valid(from: seconds, to: seconds))
        let read = try await text(of: certificate)
        #expect(read.contains("Not Before: \(expected)\n"))
        #expect(read.contains("Not After : \(expected)\n"))
    }

    @Test func hostileTextGoesInAsItIs() async throws {
        let hostile: [UInt8] = Array("a\u{1b}[31m\n\u{202e}b".utf8) + [0x00, 0xff]
        let certificate = try LabCertificate.selfSigned(
            CertificateTemplate.leaf(
                subject: DistinguishedName(commonNameBytes: hostile, encoding: .printable), names: []))
        let place = certificate.der.indices.filter { certificate.der[$0...].starts(with: hostile) }
        // In the issuer and the subject.
        #expect(place.count == 2)
        #expect(try await text(of: certificate).contains(#"Subject: CN=a\1B[31m\0A"#))
    }

    @Test func tenThousandNamesMake280Kilobytes() async throws {
        let certificate = try LabCertificate.selfSigned(.leaf("a.example").withManyNames(10_000))
        #expect(certificate.der.count > 275_000)
        #expect(try await text(of: certificate).contains("DNS:name-9999.many.example.com\n"))
    }

    @Test func nameConstraintsBind() async throws {
        let root = try LabCertificate.selfSigned(
            .authority("Root").with { $0.nameConstraints = .init(permitted: [.dns("a.example")]) })
        #expect(try await verificationError(root.issue(.leaf("www.a.example")), root) == nil)
        #expect(try await verificationError(root.issue(.leaf("www.b.example")), root) == 47)
    }

    @Test func aRequestForAKeyVerifies() async throws {
        let key = try LabKey.generate(.p384)
        let request = pem(try key.certificationRequest(for: "a.example"), label: "CERTIFICATE REQUEST")
        let read = try await OpenSSLCommand.run("req -verify -noout -subject -pubkey", input: request)
        #expect(read.status == 0)
        #expect(read.text.contains("verify OK"))
        #expect(read.text.contains(key.publicKeyPEM))
        #expect(read.text.contains("CN = a.example") || read.text.contains("CN=a.example"))
    }

    @Test func hashesAreThoseOpenSSLComputes() async throws {
        let leaf = try StandardPKI.shared().leaf
        let expected = leaf.sha256.map { String(format: "%02X", $0) }.joined(separator: ":")
        let read = try await OpenSSLCommand.run("x509 -noout -fingerprint -sha256", input: leaf.pem)
        #expect(read.text.contains(expected))
        let directory = try TemporaryDirectory()
        let file = try directory.write(leaf.key.publicKeyInfo, to: "spki.der")
        let digest = try await OpenSSLCommand.run("dgst -sha256 -r \(file)")
        #expect(digest.text.hasPrefix(leaf.publicKeySHA256.map { String(format: "%02x", $0) }.joined()))
    }
}

/// The `openssl` command line: the opinion of a program that is not the lab and not the code under test.
///
/// Started with posix_spawn, because Foundation's Process leaks what the leak sanitizer then reports as ours.
enum OpenSSLCommand {
    /// Whether this machine has the command.
    static let isAvailable = path != nil

    private static let path: String? = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { $0 + "/openssl" }.first
    { access($0, X_OK) == 0 }

    /// What a run came to.
    struct Outcome: Sendable {
        let status: Int32
        /// What it wrote to both of its outputs.
        let text: String
    }

    /// Runs `openssl` with these arguments, separated by spaces, and with `input` on its standard input, which ends there.
    static func run(_ arguments: String, input: String = "") async throws -> Outcome {
        // On a thread of its own, because it blocks.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try runAndWait(arguments, Array(input.utf8)) })
            }
        }
    }

    /// Held from the making of the pipes until the program has its ends: no other program is to inherit them.
    private static let spawning = Mutex(())

    private static func runAndWait(_ arguments: String, _ input: [UInt8]) throws -> Outcome {
        // A program that ends without reading its input must not end the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        let (process, incoming, outgoing) = try spawning.withLock { _ in try start(arguments) }
        var written = 0
        while written < input.count {
            let count = input[written...].withUnsafeBytes { write(incoming, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            written += count
        }
        close(incoming)
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(outgoing, &buffer, buffer.count)
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        close(outgoing)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // An exit status is in the second byte; a program that was killed has none.
        return Outcome(status: status & 0x7f == 0 ? status >> 8 : -1, text: String(decoding: output, as: UTF8.self))
    }

    private static func start(_ arguments: String) throws -> (process: pid_t, incoming: Int32, outgoing: Int32) {
        var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            throw LabError.system(operation: "make a pipe", code: errno)
        }
        for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        posix_spawn_file_actions_adddup2(&actions, output[1], 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = ["openssl"] + arguments.split(separator: " ").map(String.init)
        let vector = words.map { strdup($0) } + [nil]
        defer { for word in vector { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, path ?? "/usr/bin/openssl", &actions, nil, vector, environ)
        close(input[0])
        close(output[1])
        guard status == 0 else {
            close(input[1])
            close(output[0])
            throw LabError.system(operation: "start openssl", code: status)
        }
        return (process, input[1], output[0])
    }
}
