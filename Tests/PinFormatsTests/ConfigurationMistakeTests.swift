import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing

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
        android | </base | <domain>a.b</domain></base | wrongValue | 3 | a <domain> stands in <base-config>
        android | </base | <domain-config/></base | wrongValue | 3 | a <domain-config> stands in
        android | <base-config> | <base-config/><base-config> | duplicate | 3 | two <base-config>s
        android | <debug-overrides> | <debug-overrides/><debug-overrides> | duplicate | 16 | two <debug-overrides>s
        android | src="system" | src="sytem" | wrongValue | 3 | it throws; it is src="system",
        android | src="system" | source="system" | missingValue | 3 | has no src
        android |  API.example.com | <b/>api.example.com | wrongValue | 5 | <domain> holds <b>
        android |  API.example.com |  *.example.com | badHost | 5 | subdomains are included by a key
        android |  API.example.com | .example.com | badHost | 5 | leave the leading dot out
        android |  API.example.com | https://example.com | badHost | 5 | without a scheme
        android |  API.example.com | example.com:443 | badHost | 5 | without a port
        android | 2040-06-01 | 2040-06-31 | badDate | 7 | write it as 2027-06-01
        android | 2040-06-01 | 01.06.2040 | badDate | 7 | write it as 2027-06-01
        android | "true"> | "yes"> | wrongValue | 5 | neither true nor false
        android | <base-config> | <base-config><pin-set/> | wrongValue | 3 | Android takes none
        android | src="system" | src="@raw/gone" | missingFile | 3 | '@raw/gone' is not there
        android | <network-s | <!DOCTYPE x><network-s | unreasonableDocument | 2 | DOCTYPE
        android | </domain-config> |  | brokenDocument | 17 | not well-formed XML
        infoPlist | \(a) | sha256/\(a) | notation | 13 | write \(a)
        infoPlist | example.com | *.example.com | badHost | 10 | is not a host name
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
        list | *.example.net | *.*.example.net | badHost | 3 | as *.host or **.host
        list | sha256/\(a) | sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA= | wrongAlgorithm | 2 | is a SHA-1 pin, which OkHttp \
        alone still takes: here only SHA-256 is compared; replace it by the sha256/ pin
        list | sha256/\(a) | md5/AAAAAAAAAAAAAAAAAAAAAA== | wrongAlgorithm | 2 | is a hash of md5, and OkHttp throws for it
        list | sha256/\(a) | sha256//\(a) | notation | 2 | write sha256/\(a)
        kotlin | add(HOST | add(host() | wrongValue | 5 | is not written out
        kotlin | **.example.net | a.**.example.net | badHost | 7 | as *.host or **.host
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
