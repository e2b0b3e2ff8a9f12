import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct PrivateKeyTests {
    /// What a message may not hold: any eight characters in a row of the key's text.
    private func expectNothing(of key: String, in error: Problem, at place: SourceLocation = #_sourceLocation) {
        let body = Array(key.split(separator: "\n").dropFirst().dropLast().joined())
        let message = error.description
        let shown = (0..<max(0, body.count - 8)).filter { message.contains(String(body[$0..<$0 + 8])) }
        #expect(shown.isEmpty, sourceLocation: place)
    }

    @Test func aPrivateKeyIsRefusedInEveryFormAndNeverShown() throws {
        for algorithm in [LabKey.Algorithm.p256, .ed25519, .rsa(bits: 2048)] {
            let key = try LabKey.shared(algorithm, label: "PinFormats")
            let text = try key.privateKeyPEM()
            let body = text.split(separator: "\n").dropFirst().dropLast()
            var sources = [text, body.joined(), "sha256/" + body.joined(), body.joined(separator: " ")]
            var directories: [TemporaryDirectory] = []
            for (name, contents) in [
                ("key.pem", text), ("key.cer", text), ("key", text), ("chain.pem", leaf.pem + text),
                ("crlf.pem", text.replacing("\n", with: "\r\n")),
                ("damaged.pem", text.replacing("-----BEGIN", with: "-BEGIN")),
                ("body.txt", body.joined(separator: "\n")), ("pin.txt", "sha256/" + body.joined()),
            ] {
                let files = try TemporaryDirectory()
                try files.write(leaf.pem, to: "a.pem")
                sources += [try files.write(contents, to: name), files.path]
                directories.append(files)
            }
            for source in sources {
                let error = try failure(source)
                #expect(error.id == .privateKey, "\(source)")
                expectNothing(of: text, in: error)
            }
        }
    }

    @Test(
        arguments: [
            // PKCS #8, PKCS #1 and SEC 1 after their first fields, encrypted PKCS #8.
            [0x30, 0x0A, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70],
            [0x30, 0x82, 0x04, 0xA3, 0x02, 0x01, 0x00, 0x02, 0x82, 0x01, 0x01, 0x00],
            [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20, 0x00],
            [
                0x30, 0x81, 0xEC, 0x30, 0x57, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D, 0x30,
                0x4A,
            ],
            // PKCS #12.
            [0x30, 0x82, 0x0A, 0x2F, 0x02, 0x01, 0x03, 0x30, 0x82, 0x09],
        ] as [[UInt8]]) func privateKeysInDERAreRefusedByHowTheyBegin(der: [UInt8]) throws
    { #expect(try failure(ofFile: "key.der", der).id == .privateKey) }

    @Test func anArgumentThatIsNeitherFileNorPinIsNotShownWhenItCouldHoldAKey() throws {
        let key = try LabKey.shared(.rsa(bits: 2048), label: "PinFormats").privateKeyPEM()
        let body = key.split(separator: "\n").dropFirst().dropLast().joined()
        for argument in [
            "{\"d\":\"FW4IxJPwL4SkFzrjVFj_sMOixaLy4GxuwMttO0hpJ9w\"}", "{\"key\":\"\(body)\"}",
            "d = " + String(repeating: "0fA9", count: 16),
        ] {
            let error = try failure(argument)
            #expect(error.id == .missingFile)
            expectNothing(of: "\n\(body)\n", in: error)
            #expect(error.description.contains(": the text (\(argument.count) characters): there is no such file"))
        }
    }

    @Test func theMessageSaysWhatToDoInstead() throws {
        let files = try TemporaryDirectory()
        let path = try files.write("# mine\n-----BEGIN EC PRIVATE KEY-----\n", to: "key.pem")
        #expect(
            try failure(path).description
                == "\(path):2: this is a private key; it was not used and no part of it is shown; "
                + "pins are made of public keys (openssl pkey -in KEY -pubout); take the private key out of here "
                + "and replace it if others could read it")
    }
}

/// Inspecting a source gathers everything that is wrong where reading it stops at the first.
@Suite struct PinInspectionTests {
    private static let short = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="

    /// What is wrong with a file: problems with the part of their place that follows the file's name.
    private func problems(_ text: String) throws -> [String] {
        try inspection(ofFile: "source", text).problems.map { error in
            "\(error.id?.word ?? "") \("\(error.place ?? .option)".dropFirst(error.place?.path?.utf8.count ?? 0))"
        }
    }

    @Test func everyBadPinOfAListIsNamedAndTheGoodOnesCount() throws {
        let text = "sha256/\(Samples.a)\nsha256/AAAA\nsha1/AAAA\nsha256/\(Samples.b)\nsha256:\(Samples.b)\n"
        let inspection = try inspection(ofFile: "pins.txt", text)
        #expect(inspection.problems.map(\.id) == [.wrongLength, .wrongAlgorithm, .notation])
        #expect(inspection.pins.map(\.spkiSHA256) == [first, second])
        #expect(inspection.omittedProblemCount == 0)
    }

    @Test func everyBadHostAndPinOfAConfigurationIsNamed() throws {
        let android = Samples.android.replacing(" API.example.com", with: "*.example.com").replacing(
            "2040-06-01", with: "soon"
        ).replacing(Samples.b, with: Self.short)
        #expect(try problems(android) == ["wrong-length :10", "bad-date :7", "bad-host :5"])
        let reactNative = """
            {"https://example.com": {"publicKeyHashes": ["\(Samples.a)"]},
             "b.example.com": {"publicKeyHashes": []},
             "c.example.com": {"publicKeyHashes": ["\(Self.short)", "\(Samples.a)"],
                               "expirationDate": "1.6.2040"}}
            """
        #expect(try problems(reactNative) == ["bad-host :1", "missing-value :2", "wrong-length :3", "bad-date :4"])
        let list = "example.com:443 sha256/\(Samples.a)\nexample.com\n*.a.*.com sha256/\(Samples.a)\n"
        #expect(try problems(list) == ["bad-host :1", "missing-value :2", "bad-host :3"])
    }

    @Test func everyRuleOfTrustKitThatIsBrokenIsNamedAtItsDomain() throws {
        let text = """
            {"TSKPinnedDomains": {
              "a.example.com": {"TSKPublicKeyHashes": ["\(Samples.a)"]},
              "localhost": {"TSKPublicKeyHashes": ["\(Samples.a)", "\(Samples.b)"]},
              "co.uk": {"TSKIncludeSubdomains": true, "TSKPublicKeyHashes": ["\(Samples.a)", "\(Samples.b)"]},
              "b.example.com": {"kSKExcludeSubdomainFromParentPolicy": true},
              "c.example.com": {"TSKPublicKeyHashes": ["\(Samples.a)", "\(Self.short)"]}
            }}
            """
        #expect(
            try problems(text) == [
                "wrong-length :6", "trustkit-too-few-pins :2", "trustkit-no-registered-suffix :3",
                "trustkit-public-suffix :4", "trustkit-exclusion-without-parent :5",
            ])
    }

    @Test func anEntryWhosePinWasWrongSaysSo() throws {
        let text = Samples.okHttpList.replacing("sha256/\(Samples.a),", with: "sha256/AAAA,")
        let inspection = try inspection(ofFile: "list", text)
        let entries = try #require(inspection.configurations.first?.entries)
        #expect(entries.map { inspection.incompleteEntries.contains($0.origin) } == [true, false])
    }

    @Test func aSourceWithoutAPinHasAProblem() throws {
        let files = try TemporaryDirectory()
        #expect(PinSource(files.path).inspect().problems.map(\.id) == [.noPinsInDirectory])
        #expect(PinSource(files.path + "/gone").inspect().problems.map(\.id) == [.missingFile])
        #expect(PinSource("").inspect().problems.map(\.id) == [.empty])
        let path = try files.write("prose", to: "a: b:3")
        #expect(PinSource(path).inspect().problems.map(\.place) == [.file(path)])
    }

    @Test func theKeysBehindPinsAreKept() throws {
        let inspection = try inspection(ofFile: "k.pub", leaf.key.publicKeyPEM)
        #expect(
            inspection.publicKeys[try #require(inspection.pins.first).spkiSHA256]?.algorithm.description == "EC P-256")
    }
}
