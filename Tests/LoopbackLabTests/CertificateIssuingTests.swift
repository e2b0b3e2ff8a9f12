import Foundation
import LoopbackLab
import Testing

/// What the `openssl` command says: the opinion of a program that is not the lab and not the code under test.
enum OpenSSLCommand {
    static let isAvailable = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
        access($0 + "/openssl", X_OK) == 0
    }

    /// Runs it with these arguments and with `input` on its standard input, and returns its status and what it wrote.
    static func run(_ arguments: String, input: String = "") throws -> (status: Int32, text: String) {
        let files = try TemporaryDirectory()
        let file = try files.write(input, to: "input")
        let pipe = try #require(popen("openssl \(arguments) <'\(file)' 2>&1", "r"))
        var (output, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer.prefix(count) }
        // An exit status is in the second byte.
        return (pclose(pipe) >> 8, String(decoding: output, as: UTF8.self))
    }
}

/// What `openssl x509` says of a certificate.
private func text(of certificate: LabCertificate) throws -> String {
    try OpenSSLCommand.run("x509 -noout -text -nameopt RFC2253,esc_ctrl,esc_msb", input: certificate.pem).text
}

/// What `openssl verify` says of a path given from the leaf to the root: `nil` when it is good, else the error's number.
private func verificationError(_ path: LabCertificate...) throws -> Int? {
    let directory = try TemporaryDirectory()
    let root = try directory.write(path[path.count - 1].pem, to: "root.pem")
    let between = try directory.write(pem(of: Array(path.dropFirst().dropLast())), to: "untrusted.pem")
    let leaf = try directory.write(path[0].pem, to: "leaf.pem")
    let untrusted = path.count > 2 ? "-untrusted \(between)" : ""
    let outcome = try OpenSSLCommand.run("verify -x509_strict -CAfile \(root) \(untrusted) \(leaf)")
    guard outcome.status != 0 else { return nil }
    return outcome.text.firstMatch(of: /error ([0-9]+)/).flatMap { Int($0.1) } ?? -1
}

/// What the lab issues, as another program reads it. What else certificates can hold is read by X509Tests.
@Suite(.enabled(if: OpenSSLCommand.isAvailable), .timeLimit(.minutes(5))) struct CertificateIssuingTests {
    @Test func standardPathsAreWhatTheDiagramSays() throws {
        let world = try StandardPKI.shared()
        for (path, error) in [
            ([world.leaf, world.interA, world.rootA], nil), ([world.leafRe, world.interA2, world.rootA], nil),
            ([world.leaf2, world.interA, world.rootA], nil), ([world.leaf, world.interAxB, world.rootB], nil),
            ([world.rogue, world.rogueI, world.rootB], nil), ([world.junk, world.junk], nil),
            ([world.leafExp, world.interA, world.rootA], 10), ([world.leaf, world.interAexp, world.rootA], 10),
            ([world.leaf, world.interA, world.rootAexp], 10), ([world.leaf, world.interA, world.rootB], 20),
            ([world.rogue, world.rogueI, world.rootA], 20),
        ] as [([LabCertificate], Int?)] {
            let found =
                try path.count == 3 ? verificationError(path[0], path[1], path[2]) : verificationError(path[0], path[1])
            #expect(found == error)
        }
        let root = try LabCertificate.selfSigned(.authority("Root").with { $0.permittedNames = [.dns("a.example")] })
        #expect(try verificationError(root.issue(.leaf("www.a.example")), root) == nil)
        #expect(try verificationError(root.issue(.leaf("www.b.example")), root) == 47)
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
    ]) func everyKindOfKeySignsAndIsSignedFor(algorithm: LabKey.Algorithm) throws {
        let key = try LabKey.shared(algorithm, label: "issuing tests")
        let root = try LabCertificate.selfSigned(.authority("Root"), key: key)
        let leaf = try root.issue(.leaf("a.example"), key: key)
        #expect(try verificationError(leaf, root) == nil)

        let ofKey = try OpenSSLCommand.run("pkey -pubout", input: key.privateKeyPEM())
        #expect(ofKey.text == key.publicKeyPEM)
        let ofCertificate = try OpenSSLCommand.run("x509 -noout -pubkey", input: leaf.pem)
        #expect(ofCertificate.text == key.publicKeyPEM)
    }

    @Test func everyFieldOfTheTemplateReachesTheCertificate() throws {
        let root = try LabCertificate.selfSigned(.authority("Root", pathLength: 3))
        let template = CertificateTemplate.leaf("a.example", "192.0.2.1", "2001:db8::1").with {
            $0.subject = DistinguishedName(commonName: "a.example", organization: "Example")
            $0.alternativeNames += [.uri("https://a.example/"), .email("a@a.example"), .directory("Somebody")]
            $0.serialNumber = [0xca, 0xfe]
            $0.keyUsage = [.digitalSignature, .keyAgreement, .cRLSign]
            $0.extendedKeyUsage = [.serverAuth, .clientAuth, OID(1, 2, 3, 4_567_890)]
            ($0.isAuthority, $0.pathLength) = (true, 0)
            $0.permittedNames = [.dns("a.example"), .ip([192, 0, 2, 0, 255, 255, 255, 0])]
            $0.excludedNames = [.dns("b.example")]
            $0.subjectKeyIdentifier = .bytes([1, 2, 3])
            $0.authorityKeyIdentifier = .bytes([4, 5, 6])
            $0.additionalExtensions = [.init(OID(1, 3, 6, 1, 4, 1, 99_999), isCritical: true, value: [5, 0])]
        }
        let read = try text(of: root.issue(template))
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
        #expect(try text(of: root).contains("CA:TRUE, pathlen:3\n"))
    }

    @Test(arguments: [
        (Int64(-3_000_000_000), "Dec  7 18:40:00 1874 GMT"), (-600_000_000, "Dec 27 13:20:00 1950 GMT"),
        (0, "Jan  1 00:00:00 1970 GMT"), (2_524_607_999, "Dec 31 23:59:59 2049 GMT"),
        (2_524_608_000, "Jan  1 00:00:00 2050 GMT"), (253_402_300_799, "Dec 31 23:59:59 9999 GMT"),
    ]) func datesFarAwayAreWritten(seconds: Int64, expected: String) throws {
        let certificate = try LabCertificate.selfSigned(.authority("Root").valid(from: seconds, to: seconds))
        let read = try text(of: certificate)
        #expect(read.contains("Not Before: \(expected)\n"))
        #expect(read.contains("Not After : \(expected)\n"))
    }

    @Test func aRequestForAKeyVerifies() throws {
        let key = try LabKey.generate(.p384)
        let request = pem(try key.certificationRequest(for: "a.example"), label: "CERTIFICATE REQUEST")
        let read = try OpenSSLCommand.run("req -verify -noout -subject -pubkey", input: request)
        #expect(read.status == 0)
        #expect(read.text.contains("verify OK"))
        #expect(read.text.contains(key.publicKeyPEM))
        #expect(read.text.contains("CN = a.example") || read.text.contains("CN=a.example"))
    }
}
