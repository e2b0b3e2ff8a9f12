import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct TransportSecurityReaderTests {
    private func plist(_ body: String) -> String {
        "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict>\n<key>NSAppTransportSecurity</key>\n<dict>\n\(body)\n"
            + "</dict></dict></plist>\n"
    }

    private static func exception(_ value: String, for name: String = "a.example") -> String {
        "<key>NSExceptionDomains</key><dict><key>\(name)</key>\(value)</dict>"
    }

    private func settings(_ body: String) throws -> TransportSecurity {
        try #require(try reading(ofFile: "Info.plist", plist(body)).transportSecurity.first)
    }

    @Test func everyKeyIsRead() throws {
        let settings = try settings(
            """
            <key>NSAllowsArbitraryLoads</key><true/>
            <key>NSAllowsLocalNetworking</key><false/>
            <key>NSExceptionDomains</key><dict>
            <key>example.com</key><dict>
            <key>NSIncludesSubdomains</key><true/>
            <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string>
            <key>NSExceptionRequiresForwardSecrecy</key><false/>
            <key>NSExceptionAllowsInsecureHTTPLoads</key><true/>
            <key>NSRequiresCertificateTransparency</key><true/></dict>
            <key>203.0.113.7</key><dict/>
            <key>10.0.0.0/8</key><dict/>
            <key>2001:db8::/32</key><dict/></dict>
            """)
        #expect(settings.isStated && settings.allowsArbitraryLoads && !settings.allowsLocalNetworking)
        // It narrows by being there, whatever it is.
        #expect(settings.narrowing == ["NSAllowsLocalNetworking"])
        #expect(settings.origin.description.hasSuffix("Info.plist:4"))
        let exception = try #require(settings.exceptions.first)
        #expect(exception.hosts == .names(HostPattern(text: "example.com", .upToOneLabel)))
        #expect(exception.minimumTLS == .tls11 && exception.requiresForwardSecrecy == false)
        #expect(exception.allowsInsecureLoads && exception.requiresTransparency)
        #expect(exception.origin!.description.hasSuffix("Info.plist:8"))
        let addresses = settings.exceptions.dropFirst().map { $0.hosts!.description }
        #expect(addresses == ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32"])
    }

    @Test(
        arguments: [
            ("<key>NSAllowsArbitraryLoads</key>\n<string>maybe</string>", 6, "NSAllowsArbitraryLoads"),
            ("<key>NSAllowsArbitraryLoads</key>\n<string>YES</string>", 6, "NSAllowsArbitraryLoads"),
            ("<key>NSAllowsArbitraryLoadsForMedia</key>\n<integer>1</integer>", 6, "NSAllowsArbitraryLoadsForMedia"),
            ("<key>NSExceptionDomains</key>\n<array/>", 6, "NSExceptionDomains"),
            (exception("\n<true/>"), 6, "a.example"),
            (
                exception("<dict>\n<key>NSExceptionMinimumTLSVersion</key>\n<string>TLSv1.4</string></dict>"), 7,
                "NSExceptionMinimumTLSVersion 'TLSv1.4' is not a version"
            ),
            (exception("<dict>\n<key>NSExceptionMinimumTLSVersion</key>\n<real>1.2</real></dict>"), 7, "is not a text"),
            (exception("<dict>\n<key>NSIncludesSubdomains</key>\n<dict/></dict>"), 7, "is not true or false"),
        ] as [(String, Int, String)]) func aWrongKindIsAnError(body: String, line: Int, words: String) throws
    {
        let error = try failure(ofFile: "Info.plist", plist(body))
        #expect(error.kind == .data && error.id == .wrongValue)
        #expect("\(error.place ?? .option)".hasSuffix("Info.plist:\(line)"), "\(error)")
        #expect(error.description.contains(words), "\(error)")
    }

    @Test func anythingButADictionaryIsNone() {
        let text = plist("").replacing("<dict>\n\n</dict></dict>", with: "<true/></dict>")
        #expect(throws: Problem.self) { try reading(ofFile: "Info.plist", text) }
    }

    @Test(arguments: [
        "EXAMPLE.com", "*.example.com", "https://example.com", "example.com:443", "example.com.", "10.0.0.0/33", "",
    ]) func aNameThatIsTheHostOfNoURLExceptsNothing(_ name: String) throws {
        let reading = try reading(ofFile: "Info.plist", plist(Self.exception("<dict/>", for: name)))
        #expect(reading.transportSecurity[0].exceptions.map(\.hosts) == [TransportSecurity.Hosts.none(name)])
        #expect(reading.notes.map(\.kind) == [.hostNeverMatches])
    }

    @Test func aKeyThatIsNotKnownIsSaid() throws {
        let reading = try reading(ofFile: "Info.plist", plist("<key>NSAllowArbitraryLoads</key><true/>"))
        #expect(reading.notes.map(\.kind) == [.unknownKey])
        #expect(reading.notes[0].description.contains("did you mean 'NSAllowsArbitraryLoads'?"))
        #expect(!reading.transportSecurity[0].allowsArbitraryLoads)
    }

    @Test(arguments: [
        (
            "\"example.com\": {\"includeSubDomains\": true, \"publicKeyHashes\": [\"\(Samples.a)\"]}",
            ["react-native-ssl-public-key-pinning has no key 'includeSubDomains'", "mean 'includeSubdomains'?"]
        ),
        (
            "\"expo\": {\"ios\": {\"infoPlist\": {\"NSAppTransportSecurity\": {\"NSPinnedDomains\": {\"example.com\": "
                + "{\"NSIncludeSubdomains\": true, \"NSPinnedLeafIdentity\": [\"\(Samples.a)\"]}}}}}}",
            ["mean 'NSIncludesSubdomains'?", "mean 'NSPinnedLeafIdentities'?", "no certificate can match"]
        ),
    ]) func whatIsMisspeltInAnEntryIsSaid(json: String, words: [String]) throws {
        let notes = try reading(ofFile: "source", "{\(json)}").notes
        for words in words { #expect(notes.contains { $0.message.contains(words) }, "\(notes)") }
    }

    @Test func aPartOfAPropertyListIsOfNoApp() throws {
        let part = "<plist version=\"1.0\"><dict><key>NSPinnedDomains</key><dict/></dict></plist>"
        let reading = try? reading(ofFile: "Info.plist", part)
        #expect(reading?.transportSecurity.isEmpty ?? true)
    }
}
