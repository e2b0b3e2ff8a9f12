import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Files that configure hosts: what is read of them, with its place.
@Suite struct ConfigurationFormatTests {
    private func only(_ text: String) throws -> PinConfiguration {
        let reading = try reading(ofFile: "source", text)
        #expect(reading.pins.isEmpty)
        #expect(reading.configurations.count == 1)
        return try #require(reading.configurations.first)
    }

    /// The line an origin names, after the path of the file.
    private func line(_ origin: String) -> String { String(origin.split(separator: ":").last ?? "") }

    @Test func android() throws {
        let configuration = try only(Samples.android)
        #expect(configuration.kind == .android)
        let entry = try #require(configuration.entries.first)
        #expect(configuration.entries.count == 1)
        #expect(entry.hosts == HostPattern(text: "api.example.com", .anyNumber))
        #expect(entry.pins.map(\.spkiSHA256) == [first, second])
        #expect(entry.pins.map { line($0.origin) } == ["8", "10"])
        #expect(entry.expiration?.date == "2040-06-01")
        #expect(entry.enforcesPinning == nil)
        let notes = try reading(ofFile: "source", Samples.android).notes
        #expect(notes.map(\.kind) == [.trustKitConfig, .debugOverrides])
    }

    @Test func anAndroidManifestLeadsToItsConfiguration() throws {
        let manifest = """
            <manifest xmlns:android="http://schemas.android.com/apk/res/android">
            <application android:networkSecurityConfig="@xml/net"/>
            </manifest>
            """
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array(manifest.utf8), to: "AndroidManifest.xml")
        #expect(try failure(path).id == .missingFile)
        _ = try directory.write(Array(Samples.android.utf8), to: "net.xml")
        #expect(try PinSource(path).read().configurations.first?.entries.first?.pins.count == 2)
    }

    @Test func propertyListsInXMLAndBinary() throws {
        let text = try reading(ofFile: "source", Samples.infoPlist)
        let binary = try reading(ofFile: "source", try Samples.binaryInfoPlist())
        for reading in [text, binary] {
            let configuration = try #require(reading.configurations.first)
            #expect(configuration.kind == .nsPinnedDomains)
            let entry = try #require(configuration.entries.first)
            #expect(entry.hosts == HostPattern(text: "example.com", .upToOneLabel))
            guard case .positions(nil, let authorities?) = entry.identities else {
                return #expect(Bool(false), "not authority identities")
            }
            #expect(authorities.map(\.spkiSHA256) == [first])
        }
        #expect(text.configurations.first?.entries.first?.pins.map { line($0.origin) } == ["13"])
        let origin = try #require(binary.configurations.first?.entries.first?.pins.first?.origin)
        #expect(
            origin.hasSuffix(
                "NSAppTransportSecurity.NSPinnedDomains.example.com.NSPinnedCAIdentities[0].SPKI-SHA256-BASE64"))
    }

    @Test func trustKit() throws {
        let configuration = try only(Samples.trustKit)
        #expect(configuration.kind == .trustKit)
        #expect(configuration.entries.map(\.isExcluded) == [false, true])
        let entry = try #require(configuration.entries.first)
        #expect(entry.enforcesPinning == true)
        #expect(entry.expiration?.date == "2040-06-01")
        #expect(entry.pins.map { line($0.origin) } == ["7", "8"])
        #expect(try reading(ofFile: "source", Samples.trustKit).notes.map(\.kind) == [.ignored])
        let plist = """
            <plist version="1.0"><dict><key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict>
            <key>example.com</key><dict><key>TSKEnforcePinning</key><integer>0</integer>
            <key>TSKExpirationDate</key><string>2040-06-01</string>
            <key>TSKPublicKeyHashes</key><array><string>\(Samples.a)</string></array></dict>
            </dict></dict></dict></plist>
            """
        let own = try only(plist)
        #expect(own.kind == .trustKit)
        #expect(own.entries.map(\.enforcesPinning) == [false])
        #expect(own.entries.first?.expiration?.date == "2040-06-01")
        // TrustKit hands the value to a reader of texts, and asks a number for its boolValue.
        for (written, instead, id, words) in [
            (
                "<string>2040-06-01</string>", "<date>2040-06-01T00:00:00Z</date>", FindingID.badDate,
                "throws for a <date>; write <string>2040-06-01</string>"
            ), ("<integer>0<", "<integer>2<", .wrongValue, "is not true or false"),
        ] {
            let error = try failure(ofFile: "source", plist.replacing(written, with: instead))
            #expect(error.id == id && error.description.contains(words), "\(error)")
        }
    }

    @Test func whatExpoPutsIntoTheInfoPlist() throws {
        func app(_ infoPlist: String) -> String {
            "{\n\"expo\": {\"name\": \"App\", \"ios\": {\"infoPlist\": {\n\(infoPlist)}}, \"plugins\": [\"x\"]}}"
        }
        let apple = """
            "NSAppTransportSecurity": {"NSPinnedDomains": {"example.com": {"NSIncludesSubdomains": true,
            "NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": "\(Samples.a)"}]}}}
            """
        let trustKit = """
            "TSKConfiguration": {"TSKPinnedDomains": {"example.com":
            {"TSKPublicKeyHashes": ["\(Samples.a)", "\(Samples.b)"]}}}
            """
        let both = try reading(ofFile: "app.json", app("\(apple), \(trustKit)"))
        #expect(both.configurations.map(\.kind) == [.nsPinnedDomains, .trustKit])
        #expect(both.configurations.first?.entries.first?.pins.map { line($0.origin) } == ["4"])
        #expect(both.transportSecurity.map(\.isStated) == [true])
        #expect(try only(app(trustKit)).kind == .trustKit)
        let error = try failure(ofFile: "app.json", app("\"UIBackgroundModes\": []"))
        #expect(error.id == .notAPin)
        #expect(error.reason.contains("neither NSPinnedDomains (in NSAppTransportSecurity) nor"), "\(error)")
        let exception = "\"NSAppTransportSecurity\": {\"NSExceptionDomains\": {\"a.b\": {\"NSPinnedDomains\": {}}}}"
        for text in ["\"NSPinnedDomains\": {}", exception] {
            #expect(try failure(ofFile: "app.json", app(text)).id == .unknownKey)
        }
        for plugin in ["\"sha256/a\"", "[\"x\", {\"a.b\": {\"publicKeyHashes\": [\"\(Samples.a)\"]}}]"] {
            let error = try failure(ofFile: "app.json", app(trustKit).replacing("[\"x\"]", with: "[\(plugin)]"))
            #expect(error.reason == "a pin stands outside of 'expo.ios.infoPlist' here, where it is not read")
        }
        #expect(try failure(ofFile: "app.json", app(apple.replacing(Samples.a, with: "AAAA"))).id == .wrongLength)
    }

    @Test func theJSONOfReactNative() throws {
        let reactNative = try only(Samples.reactNative)
        #expect(reactNative.kind == .reactNative)
        #expect(reactNative.entries.map(\.hosts) == [HostPattern(text: "example.com", .anyNumber)])
        #expect(reactNative.entries.first?.pins.map { line($0.origin) } == ["2", "2"])
    }

    @Test func okHttpInSourceAndLists() throws {
        let kotlin = try only(Samples.kotlin)
        #expect(kotlin.kind == .okHttp)
        #expect(
            kotlin.entries.map { $0.hosts?.description } == ["api.example.com", "example.net and all names below it"])
        #expect(kotlin.entries.map { line($0.origin) } == ["5", "7"])
        #expect(kotlin.entries.first?.pins.map(\.spkiSHA256) == [first, second])
        let list = try only(Samples.okHttpList)
        #expect(list.entries.map { $0.hosts?.description } == ["api.example.com", "*.example.net"])
        #expect(list.entries.map(\.pins.count) == [2, 1])
        let international = try only("σkhttp.com sha256/\(Samples.a)\n")
        #expect(international.entries.first?.hosts?.name == "xn--khttp-fde.com")
    }

    /// How each client looks a host up the vectors say; a user may ask for all entries that cover it.
    @Test func allEntriesThatCoverAHostMayCount() throws {
        let specific = try only(
            """
            {"good.com": {"includeSubdomains": true, "publicKeyHashes": ["\(Samples.a)"]},
             "www.good.com": {"includeSubdomains": true, "publicKeyHashes": ["\(Samples.b)"]}}
            """)
        let counts = [nil, .union].map { lookup in
            specific.policy(
                for: "sub.www.good.com", by: lookup, publicSuffix: { $0.split(separator: ".").last.map(String.init) })?
                .count
        }
        #expect(counts == [1, 2])
    }

    @Test func aListWhosePinsAreAllWrongIsNotAlsoCalledEmpty() throws {
        let text = Samples.infoPlist.replacing(Samples.a, with: Samples.a.dropLast())
        let reading = try inspection(ofFile: "Info.plist", text)
        #expect(reading.problems.map(\.id) == [.padding])
        #expect(reading.notes.isEmpty)
    }

    @Test func anEmptyListPinsToNothingAndSaysSo() throws {
        let empty = Samples.infoPlist.replacing(
            "<dict><key>SPKI-SHA256-BASE64</key><string>\(Samples.a)</string></dict>", with: "")
        let reading = try reading(ofFile: "Info.plist", empty)
        #expect(reading.notes.map(\.kind) == [.pinnedToNothing])
        guard case .positions(nil, let list?) = reading.configurations.first?.entries.first?.identities else {
            return #expect(Bool(false), "the key is there")
        }
        #expect(list.isEmpty)
    }
}
