import Base
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
        let files = try TemporaryDirectory()
        let path = try files.write(manifest.bytes, to: "AndroidManifest.xml")
        #expect(try failure(path).id == .missingFile)
        try files.write(Samples.android.bytes, to: "net.xml")
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
        #expect(kotlin.entries.map { line($0.origin.description) } == ["5", "7"])
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
        #expect(reading.configurations.first?.entries.first?.identities == .positions(leaf: nil, authorities: []))
    }
}

/// Each mistake in a configuration has its own message, with its place and a remedy.
@Suite struct ConfigurationMistakeTests {
    private static let samples = [
        "android": Samples.android, "infoPlist": Samples.infoPlist, "trustKit": Samples.trustKit,
        "reactNative": Samples.reactNative, "list": Samples.okHttpList, "kotlin": Samples.kotlin,
    ]
    private static let (a, b) = (Samples.a, Samples.b)
    private static let short = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="

    /// A sample, what is replaced in it and by what, the problem, its line, and words of the message.
    private static let mistakes = """
        // Vector 130.
        android | SHA-256">\(a) | SHA-1">\(a) | wrongAlgorithm | 8 | does not know the digest 'SHA-1'
        android | \(a) | \(short) | wrongLength | 8 | has 31 bytes instead of 32
        android | </pin-set> | </pin-set>⏎<pin-set/> | duplicate | 12 | two <pin-set>s
        android | <domain includeSubdomains="true"> API.example.com⏎        </domain> |  | missingValue | 4 | has no <domain>
        android | <pin-set ex | <domain>api.example.com</domain><pin-set ex | duplicate | 7 | given twice
        android | </base | <trust-anchors/></base | duplicate | 3 | two <trust-anchors>s
        android | </base | <domain>a.b</domain></base | wrongValue | 3 | <domain> is not allowed in <base-config>
        android | </base | <domain-config/></base | wrongValue | 3 | <domain-config> is not allowed in
        android | <base-config> | <base-config/><base-config> | duplicate | 3 | two <base-config>s
        android | <debug-overrides> | <debug-overrides/><debug-overrides> | duplicate | 16 | two <debug-overrides>s
        android | src="system" | src="sytem" | wrongValue | 3 | it throws; it is src="system",
        android | src="system" | source="system" | missingValue | 3 | has no src
        android |  API.example.com | <b/>api.example.com | wrongValue | 5 | <domain> holds <b>
        android |  API.example.com |  *.example.com | badHost | 5 | give one host name, without scheme, port, wildcard
        android |  API.example.com | .example.com | badHost | 5 | remove the leading or doubled dot
        android |  API.example.com | example.com:443 | badHost | 5 | holds ':': give one host name
        android | 2040-06-01 | 2040-06-31 | badDate | 7 | write it as 2027-06-01
        android | 2040-06-01 | 01.06.2040 | badDate | 7 | write it as 2027-06-01
        android | "true"> | "yes"> | wrongValue | 5 | neither true nor false
        android | <base-config> | <base-config><pin-set/> | wrongValue | 3 | <pin-set> is not allowed
        android | src="system" | src="@raw/gone" | missingFile | 3 | '@raw/gone' is not there
        android | <network-s | <!DOCTYPE x><network-s | unreasonableDocument | 2 | DOCTYPE
        android | </domain-config> |  | brokenDocument | 17 | not well-formed XML
        infoPlist | \(a) | sha256/\(a) | notation | 13 | write \(a)
        infoPlist | example.com | *.example.com | badHost | 10 | holds '*': give one host name
        infoPlist | SPKI-SHA256-BASE64 | SPKI-SHA256 | missingValue | 13 | has no SPKI-SHA256-BASE64
        infoPlist | <true/>⏎            <key>NSPinnedCA | <string>maybe</string>⏎            <key>NSPinnedCA | \
        wrongValue | 11 | is not true or false
        infoPlist | PropertyList-1.0.dtd"> | PropertyList-1.0.dtd" [<!ENTITY a "b">]> | unreasonableDocument | 2 | DOCTYPE
        trustKit | 2040-06-01 | June | badDate | 11 | the pins never expire
        trustKit | "kSKExclude | "TSKExclude | trustKitTooFewPins | 13 | did you mean 'kSKExcludeSubdomainFromParentPolicy'?
        trustKit | "TSKSwizzle | "a.b": {"publicKeyHashes": ["\(b)"]},"TSKSwizzle | notation | 2 | a pin stands \
        outside of 'TSKPinnedDomains' here
        trustKit | "TSKPublic | "kTSKPublic | trustKitTooFewPins | 4 | did you mean 'TSKPublicKeyHashes'?
        trustKit | "TSKPinned | "kTSKPinned | missingValue |  | did you mean 'TSKPinnedDomains' by 'kTSKPinnedDomains'?
        // The other rules of its start: `TrustKitConfigurationVectors` for the words, `PinInspectionTests` for the places.
        trustKit | Policy": true | Policy": true, "TSKEnforcePinning": true | trustKitExclusionNotAlone | 13 | is not the only key
        trustKit | Subdomains": true | Subdomains": 3 | wrongValue | 5 | is not true or false
        trustKit | "static.example.com" | "example.com" | duplicate | 13 | given twice
        trustKit | true, | true | brokenDocument | 6 | a ',' is missing
        reactNative | ['\(a)', '\(b)'] | [] | missingValue | 2 | has no pin
        reactNative | example.com | Example.com. | badHost | 2 | write example.com: TrustKit compares names as text
        list | *.example.net | *.*.example.net | badHost | 3 | holds '*'
        list | sha256/\(a) | sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA= | wrongAlgorithm | 2 | is a SHA-1 pin, which OkHttp \
        alone still takes: here only SHA-256 is compared; replace it by the sha256/ pin
        list | sha256/\(a) | md5/AAAAAAAAAAAAAAAAAAAAAA== | wrongAlgorithm | 2 | is a hash of md5, and OkHttp throws for it
        list | sha256/\(a) | sha256//\(a) | notation | 2 | write sha256/\(a)
        kotlin | add(HOST | add(host() | wrongValue | 5 | is not a literal text
        kotlin | **.example.net | a.**.example.net | badHost | 7 | holds '*'
        """

    @Test(arguments: table(mistakes)) func aMistakeIsNamedWithItsPlace(row: [String]) throws {
        let sample = try #require(Self.samples[row[0]])
        let text = sample.replacing(row[1], with: row[2], maxReplacements: 1)
        try #require(text != sample)
        let error = try failure(ofFile: "source", text)
        #expect("\(error.id!)" == row[3], "\(error)")
        #expect(error.description.contains(row[5]), "\(error)")
        #expect(!error.description.contains { $0.isNewline })
        if !row[4].isEmpty { #expect("\(error.place ?? .option)".hasSuffix(":\(row[4])"), "\(error)") }
    }
}
