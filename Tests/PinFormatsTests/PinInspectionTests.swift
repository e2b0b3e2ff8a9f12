import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Inspecting a source gathers everything that is wrong where reading it stops at the first.
@Suite struct PinInspectionTests {
    private static let short = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="

    /// What is wrong with a file: problems with the part of their place that follows the file's name.
    private func problems(_ text: String, name: String = "source") throws -> [String] {
        let directory = try TemporaryDirectory()
        let path = try directory.write(text, to: name)
        return PinSource(path).inspect().problems.map { error in
            "\(error.problem.rawValue) \(error.place.description.dropFirst(path.utf8.count))"
        }
    }

    @Test func everyBadPinOfAListIsNamedAndTheGoodOnesCount() throws {
        let directory = try TemporaryDirectory()
        let text = "sha256/\(Samples.a)\nsha256/AAAA\nsha1/AAAA\nsha256/\(Samples.b)\nsha256:\(Samples.b)\n"
        let inspection = PinSource(try directory.write(text, to: "pins.txt")).inspect()
        #expect(inspection.problems.map(\.problem) == [.wrongLength, .wrongAlgorithm, .notation])
        #expect(
            inspection.problems.map { inspection.place(ofOrigin: $0.place.description) == $0.place } == [
                true, true, true,
            ])
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
        let directory = try TemporaryDirectory()
        let text = Samples.okHttpList.replacing("sha256/\(Samples.a),", with: "sha256/AAAA,")
        let inspection = PinSource(try directory.write(text, to: "list")).inspect()
        let entries = try #require(inspection.configurations.first?.entries)
        #expect(entries.map { inspection.incompleteEntries.contains($0.origin) } == [true, false])
    }

    @Test func aSourceWithoutAPinHasAProblem() throws {
        let directory = try TemporaryDirectory()
        #expect(PinSource(directory.path).inspect().problems.map(\.problem) == [.noPinsInDirectory])
        #expect(PinSource(directory.path + "/gone").inspect().problems.map(\.problem) == [.missingFile])
        #expect(PinSource("").inspect().problems.map(\.problem) == [.empty])
        let path = try directory.write("prose", to: "a: b:3")
        #expect(PinSource(path).inspect().problems.map(\.place) == [.file(path)])
        #expect(PinSource(path).inspect().place(ofOrigin: path) == .file(path))
    }

    @Test func theKeysBehindPinsAreKept() throws {
        let directory = try TemporaryDirectory()
        let inspection = PinSource(try directory.write(leaf.key.publicKeyPEM, to: "k.pub")).inspect()
        #expect(
            inspection.publicKeys[try #require(inspection.pins.first).spkiSHA256]?.algorithm.description == "EC P-256")
    }
}
