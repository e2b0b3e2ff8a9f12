import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Each mistake in a configuration has its own message, with its place and a remedy.
@Suite struct ConfigurationMistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let sample: String
        let change: (from: String, to: String)
        let problem: PinProblem
        let line: Int?
        let message: String

        var testDescription: String { message }

        init(_ sample: String, _ from: String, _ to: String, _ problem: PinProblem, _ line: Int?, _ message: String) {
            self.sample = sample
            change = (from, to)
            self.problem = problem
            self.line = line
            self.message = message
        }
    }

    private static let short = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="

    private static let mistakes: [Mistake] = [
        // Vector 130.
        .init(
            Samples.android, "digest=\"SHA-256\">\(Samples.a)", "digest=\"SHA-1\">\(Samples.a)", .wrongAlgorithm, 8,
            "does not know the digest 'SHA-1'"),
        .init(Samples.android, Samples.a, short, .wrongLength, 8, "has 31 bytes instead of 32"),
        .init(Samples.android, "</pin-set>", "</pin-set>\n<pin-set/>", .duplicate, 12, "two <pin-set>s"),
        .init(
            Samples.android, "<domain includeSubdomains=\"true\"> API.example.com\n        </domain>", "",
            .missingValue, 4, "has no <domain>"),
        .init(
            Samples.android, "<pin-set ex", "<domain>api.example.com</domain><pin-set ex", .duplicate, 7, "given twice"),
        .init(
            Samples.android, "</trust-anchors></base", "</trust-anchors><trust-anchors/></base", .duplicate, 3,
            "two <trust-anchors>s"),
        .init(
            Samples.android, "</trust-anchors></base", "</trust-anchors><domain>a.b</domain></base", .wrongValue, 3,
            "a <domain> stands in <base-config>"),
        .init(
            Samples.android, "</trust-anchors></base", "</trust-anchors><domain-config/></base", .wrongValue, 3,
            "a <domain-config> stands in"),
        .init(Samples.android, "<base-config>", "<base-config/><base-config>", .duplicate, 3, "two <base-config>s"),
        .init(
            Samples.android, "<debug-overrides>", "<debug-overrides/><debug-overrides>", .duplicate, 16,
            "two <debug-overrides>s"),
        .init(Samples.android, "src=\"system\"", "src=\"sytem\"", .wrongValue, 3, "it throws; it is src=\"system\", "),
        .init(Samples.android, "src=\"system\"", "source=\"system\"", .missingValue, 3, "has no src"),
        .init(Samples.android, " API.example.com", "<b/>api.example.com", .wrongValue, 5, "<domain> holds <b>"),
        .init(Samples.android, " API.example.com", " *.example.com", .badHost, 5, "subdomains are included by a key"),
        .init(Samples.android, " API.example.com", ".example.com", .badHost, 5, "leave the leading dot out"),
        .init(Samples.android, " API.example.com", "https://example.com", .badHost, 5, "without a scheme"),
        .init(Samples.android, " API.example.com", "example.com:443", .badHost, 5, "without a port"),
        .init(Samples.android, "2040-06-01", "2040-06-31", .badDate, 7, "write it as 2027-06-01"),
        .init(Samples.android, "2040-06-01", "01.06.2040", .badDate, 7, "write it as 2027-06-01"),
        .init(Samples.android, "\"true\">", "\"yes\">", .wrongValue, 5, "neither true nor false"),
        .init(Samples.android, "<base-config>", "<base-config><pin-set/>", .wrongValue, 3, "Android takes none"),
        .init(Samples.android, "src=\"system\"", "src=\"@raw/gone\"", .missingFile, 3, "'@raw/gone' is not there"),
        .init(Samples.android, "<network-s", "<!DOCTYPE x><network-s", .unreasonableDocument, 2, "DOCTYPE"),
        .init(Samples.android, "</domain-config>", "", .brokenDocument, 17, "not well-formed XML"),
        .init(Samples.infoPlist, Samples.a, "sha256/\(Samples.a)", .notation, 13, "write \(Samples.a)"),
        .init(Samples.infoPlist, "example.com", "*.example.com", .badHost, 10, "is not a host name"),
        .init(Samples.infoPlist, "SPKI-SHA256-BASE64", "SPKI-SHA256", .missingValue, 13, "has no SPKI-SHA256-BASE64"),
        .init(
            Samples.infoPlist, "<true/>\n            <key>NSPinnedCA",
            "<string>maybe</string>\n            <key>NSPinnedCA", .wrongValue, 11, "is not true or false"),
        .init(
            Samples.infoPlist, "PropertyList-1.0.dtd\">", "PropertyList-1.0.dtd\" [<!ENTITY a \"b\">]>",
            .unreasonableDocument, 2, "DOCTYPE"),
        .init(Samples.trustKit, "2040-06-01", "June", .badDate, 11, "the pins never expire"),
        .init(
            Samples.trustKit, "\"kSKExclude", "\"TSKExclude", .trustKitTooFewPins, 13,
            "did you mean 'kSKExcludeSubdomainFromParentPolicy'?"),
        .init(
            Samples.trustKit, "\"TSKSwizzle", "\"a.b\": {\"publicKeyHashes\": [\"\(Samples.b)\"]},\"TSKSwizzle",
            .notation, 2, "a pin stands outside of 'TSKPinnedDomains' here"),
        .init(
            Samples.trustKit, "\"TSKPublicKeyHashes\"", "\"kTSKPublicKeyHashes\"", .trustKitTooFewPins, 4,
            "did you mean 'TSKPublicKeyHashes'?"),
        .init(
            Samples.trustKit, "\"TSKPinnedDomains\"", "\"kTSKPinnedDomains\"", .missingValue, nil,
            "did you mean 'TSKPinnedDomains' by 'kTSKPinnedDomains'?"),
        // Vectors 101, 104, 106.
        .init(Samples.trustKit, "\"\(Samples.a)\",", "", .trustKitTooFewPins, 4, "add a backup pin"),
        .init(Samples.trustKit, "\"\(Samples.a)\",", "\"\(Samples.b)\",", .trustKitTooFewPins, 4, "has 1 pin and"),
        .init(Samples.trustKit, "\"example.com\"", "\"com\"", .trustKitPublicSuffix, 4, "public suffix 'com'"),
        .init(
            Samples.trustKit, "\"example.com\"", "\"localhost\"", .trustKitNoRegisteredSuffix, 4, "no registered suffix"
        ),
        .init(
            Samples.trustKit, "Policy\": true", "Policy\": true, \"TSKEnforcePinning\": true",
            .trustKitExclusionNotAlone, 13, "is not the only key"),
        .init(
            Samples.trustKit, "static.example.com", "static.example.net", .trustKitExclusionWithoutParent, 13,
            "no parent domain"),
        .init(
            Samples.trustKit, "\"TSKIncludeSubdomains\": true", "\"TSKIncludeSubdomains\": 3", .wrongValue, 5,
            "is not true or false"),
        .init(Samples.trustKit, "\"static.example.com\"", "\"example.com\"", .duplicate, 13, "given twice"),
        .init(Samples.trustKit, "true,", "true", .brokenDocument, 6, "a ',' is missing"),
        .init(Samples.reactNative, "['\(Samples.a)', '\(Samples.b)']", "[]", .missingValue, 2, "has no pin"),
        .init(Samples.okHttpList, "*.example.net", "*.*.example.net", .badHost, 3, "as *.host or **.host"),
        .init(
            Samples.okHttpList, "sha256/\(Samples.a)", "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .wrongAlgorithm, 2,
            "is a SHA-1 pin, which OkHttp alone still takes: here only SHA-256 is compared; replace it by the sha256/ pin"
        ),
        .init(
            Samples.okHttpList, "sha256/\(Samples.a)", "md5/AAAAAAAAAAAAAAAAAAAAAA==", .wrongAlgorithm, 2,
            "is a hash of md5, and OkHttp throws for it"),
        .init(
            Samples.okHttpList, "sha256/\(Samples.a)", "sha256//\(Samples.a)", .notation, 2, "write sha256/\(Samples.a)"
        ), .init(Samples.kotlin, "add(HOST", "add(host()", .wrongValue, 5, "is not written out"),
        .init(Samples.kotlin, "**.example.net", "a.**.example.net", .badHost, 7, "as *.host or **.host"),
    ]

    @Test(arguments: mistakes) func aMistakeIsNamedWithItsPlace(_ mistake: Mistake) throws {
        let text = mistake.sample.replacing(mistake.change.from, with: mistake.change.to, maxReplacements: 1)
        try #require(text != mistake.sample)
        let error = try failure(ofFile: "source", text)
        #expect(error.problem == mistake.problem, "\(error)")
        #expect(error.description.contains(mistake.message), "\(error)")
        #expect(!error.description.contains { $0.isNewline })
        if let line = mistake.line { #expect(error.place.description.hasSuffix(":\(line)"), "\(error)") }
    }
}
