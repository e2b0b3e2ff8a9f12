import LoopbackLab
import Pinning
import Testing
import X509

@Suite("Anchors are found by name, wherever they are kept") struct TrustStoreTests {
    private static func isTrusted(_ store: TrustStore) throws -> Bool { try !paths(store).isEmpty }

    private static func system(file: String = "/nonexistent", directory: String = "/nonexistent") -> TrustStore {
        .system(environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": directory])
    }

    @Test func missingAndBrokenStoresHoldNothing() throws {
        let files = try TemporaryDirectory()
        let file = try files.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "b.pem")
        let pipe = files.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [file, files.path + "/none", files.path, pipe] {
            #expect(try !Self.isTrusted(Self.system(file: path)))
        }
    }

    private static func directory(_ contents: [(name: String, text: String)], in files: TemporaryDirectory) throws
        -> TrustStore
    {
        for (name, text) in contents { try files.write(text, to: name) }
        return system(directory: files.path)
    }

    private static func paths(_ store: TrustStore, _ presented: [LabCertificate] = served) throws -> [[Certificate]] {
        try find(presented, in: store).validPaths
    }

    @Test(arguments: [true, false]) func aHashedFileYieldsTheCertificateOfItsNameAndNoOther(inOneFile: Bool) throws {
        let stem = pki.rootA.hashedFileName.dropLast()
        let files = try TemporaryDirectory()
        let contents =
            inOneFile
            ? [("\(stem)0", pki.rootA.pem + pki.rootB.pem)]
            : [("\(stem)0", pki.rootA.pem), ("\(stem)1", pki.rootB.pem)]
        let store = try Self.directory(contents, in: files)
        // What one question loaded is no anchor of the next, asked in any order.
        for _ in 0..<2 {
            #expect(try Self.paths(store, [pki.rogue, pki.rogueI]).isEmpty)
            #expect(try Self.paths(store).count == 1)
        }
    }

    @Test func aCertificateUnderTheHashOfItsIssuerIsNoAnchor() throws {
        let files = try TemporaryDirectory()
        let store = try Self.directory([(pki.interA.hashedFileName, pki.leaf.pem)], in: files)
        #expect(try Self.paths(store, [pki.leaf]).isEmpty)
    }

    @Test func whatIsNoFileUnderAHashedNameIsPassedOverAndNotWaitedFor() throws {
        let stem = pki.rootA.hashedFileName.dropLast()
        let files = try TemporaryDirectory()
        #expect(mkfifo("\(files.path)/\(stem)0", 0o600) == 0)
        try files.makeDirectory("\(stem)1")
        #expect(symlink("/dev/zero", "\(files.path)/\(stem)2") == 0)
        let contents = [("\(stem)3", "Some notes.\n"), ("\(stem)4", pki.rootA.pem)]
        #expect(try Self.isTrusted(Self.directory(contents, in: files)))
    }

    @Test func aDirectoryThatCannotBeLookedIntoIsNotDamaged() throws {
        let files = try TemporaryDirectory()
        #expect(symlink("loop", files.path + "/loop") == 0)
        let store = Self.system(directory: files.path + "/loop")
        let leaf = try x509(pki.leaf)
        #expect(try Self.paths(store, [pki.leaf]).isEmpty)
        #expect(store.damage(concerning: [leaf], whenMissing: true) == nil)
    }

    @Test func allOfAThousandFilesOfOneHashAreRead() throws {
        let stem = pki.rootA.hashedFileName.dropLast()
        let files = try TemporaryDirectory()
        let root = try files.write(pki.rootA.pem, to: "root.pem")
        let other = try files.write(pki.rootB.pem, to: "other.pem")
        for number in 0..<1_000 {
            #expect(symlink(number == 999 ? root : other, "\(files.path)/\(stem)\(number)") == 0)
        }
        #expect(try Self.isTrusted(Self.directory([], in: files)))
    }

    @Test func aHashedFileThatIsHugeIsNotRead() throws {
        let files = try TemporaryDirectory()
        let text = pki.rootA.pem + String(repeating: "#\n", count: 33 << 20)
        let store = try Self.directory([(pki.rootA.hashedFileName, text)], in: files)
        #expect(try !Self.isTrusted(store))
    }

    @Test func givenAnchorsReplaceTheSystemsOrAddToThem() throws {
        let files = try TemporaryDirectory()
        let bundle = pem(of: try LabCertificate.strangers(20) + [pki.rootA])
        let system = Self.system(file: try files.write(bundle, to: "bundle.pem"))
        let other = try AnchorBundle(pemOrDER: Array(pki.rootB.pem.utf8))
        #expect(try !Self.isTrusted(TrustStore(anchors: [other])))
        #expect(try Self.isTrusted(TrustStore(anchors: [other], and: system)))
    }

    @Test(
        arguments: [
            ("ROOT 9 of  the lab ", 0x0c, 1), (" rOOt 9 of the lab", 0x13, 1), ("Root 9 of the lab", 0x14, 1),
            ("Root 9 of the lab", 0x16, 1), ("root 9 OF the lab", 0x1e, 2), ("Root 9 of the lab", 0x1c, 4),
        ] as [(String, UInt8, Int)]) func aRootInABundleIsFoundByItsNameInAnyForm(text: String, tag: UInt8, width: Int)
        throws
    {
        func name(_ text: [UInt8], _ tag: UInt8) -> DistinguishedName {
            DistinguishedName([.init(.country, Array("DE".utf8), tag: 0x13), .init(.commonName, text, tag: tag)])
        }
        let root = try LabCertificate.selfSigned(.authority(name(Array("Root 9 of the lab".utf8), 0x0c)))
        var template = CertificateTemplate.leaf(serverName)
        template.issuer = name(text.utf8.flatMap { [UInt8](repeating: 0, count: width - 1) + [$0] }, tag)
        let leaf = try root.issue(template)
        let bundle = try AnchorBundle(pemOrDER: Array(pem(of: LabCertificate.strangers(40) + [root]).utf8))
        #expect(try Self.paths(TrustStore(anchors: [bundle]), [leaf]).count == 1)
    }

    @Test func aBrokenCertificateAmongAFewAnchorsIsAnErrorWithItsLine() throws {
        let text = pki.rootA.pem + "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n"
        let line = pki.rootA.pem.count { $0 == "\n" } + 1
        let error = #expect(throws: X509Error.self) { try AnchorBundle(pemOrDER: Array(text.utf8)) }
        #expect(error?.line == line)
    }
}
