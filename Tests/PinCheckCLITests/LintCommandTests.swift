import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck lint` as a whole. What is found is proven by `PinLintTests`, what it looks like in each form by ``GoldenTests``.
@Suite(.endsSomeTime) struct LintCommandTests {
    private static let pinSet =
        "<pin-set expiration=\"2040-06-01\"><pin digest=\"SHA-256\">$LEAF64</pin><pin digest=\"SHA-256\">$NEXT64</pin></pin-set>"
    private static let texts = [
        // Nothing to say against it; a warning; an error with two more lines, of which one is neither.
        "good.txt": "$LEAF\n$NEXT\n", "alone.txt": "$LEAF\n", "malformed.txt": "$LEAF\nsha256/AAAA\n$LEAF\n",
        "a,b:100%.txt": "$LEAF\n", "kit.json": "{\"a.example.com\": {\"publicKeyHashes\": [\"$LEAF64\"]}}",
        "nsc.xml":
            "<network-security-config><domain-config><domain>a.example.com</domain>\(pinSet)</domain-config></network-security-config>",
    ]

    @Test(arguments: [
        ("@good.txt", "pass: good.txt: nothing found\n"), ("@good.txt @good.txt", "pass"), ("@alone.txt", "pass"),
        ("@alone.txt --fail-on warning", "fail"), ("@alone.txt --fail-on note", "fail"),
        ("@alone.txt --fail-on warn", "fail"), ("@kit.json", "fail"), ("@kit.json --fail-on never", "pass"),
        ("@malformed.txt", "data"), ("@malformed.txt --fail-on never", "data"), ("/nonexistent/pins.txt", "noInput"),
        ("@malformed.txt /nonexistent/pins.txt", "data"), ("", "usage"),
        ("@malformed.txt -f github", "data: malformed.txt,line=2,title=wrong-length::'sha256/AAAA' has"),
        // Times say what is soon.
        ("@nsc.xml --at 2040-05-01", "pass: [android-fails-open-after-expiration]"),
        ("@nsc.xml --at 2040-05-01 --warn-before 9w", "pass: [pin-set-expires-soon]"),
        ("@nsc.xml --at 2040-06-01", "fail: [pin-set-expired]"),
        // Pins that expire on a date have no beginning that a part could be of.
        ("@nsc.xml --at 2040-05-01 --warn-before 99%", "pass: [android-fails-open-after-expiration]"),
        // Kinds of findings are listed and ignored.
        ("--rules", "pass: \nno-backup-pin  "), ("--rules", "pass: \nbad-host  "),
        ("@alone.txt --ignore no-backup-pin --fail-on note", "pass"),
        ("@alone.txt --ignore nothing", "usage: 'pincheck lint --rules' lists"),
        // What is malformed stays.
        ("@malformed.txt --ignore wrong-length", "data: [wrong-length]"),
        ("@alone.txt --fail-on fatal", "usage: choose from error, warning, note, never"),
        ("@alone.txt --client nonesuch", "usage"),
        ("@good.txt --client afnetworking", "pass: [client-takes-certificates]"),
        ("@good.txt -f text -f json", "usage"),
        ("@good.txt -f html", "usage: choose from text, json, github, junit, sarif"),
    ]) func theExitStatusIsThatOfTheWorstFinding(line: String, end: String) async throws {
        try await Desk(Self.texts).expect("lint " + line, end)
    }

    @Test func gitHubGetsAnAnnotationALine() async throws {
        let desk = try Desk(Self.texts)
        await desk("lint @good.txt -f github").says("")
        let outcome = await desk("lint '@a,b:100%.txt' -f github")
        let path = desk.files.path
        #expect(
            outcome.output
                == "::warning file=\(path)/a%2Cb%3A100%25.txt,line=1,title=no-backup-pin::one key is pinned, without a backup: "
                + "when it is lost or replaced, the app stops working; "
                + "pin a second key that no server uses yet and whose private half lies in a safe place\n")
    }

    @Test func sarifHasAPlaceForEachFinding() async throws {
        let desk = try Desk()
        func log(_ text: String) async throws -> [JSONValue] {
            try desk.write(text, to: "my pins.txt")
            let outcome = await desk("lint '@my pins.txt' -f sarif")
            return try outcome.json["runs"][0]["results"].array
        }
        let results = try await log("$LEAF\n$NEXT\n$LEAF\n")
        #expect(results.count == 1)
        let place = results[0]["locations"][0]["physicalLocation"]
        let uri = place["artifactLocation"]["uri"].text
        #expect(uri?.hasPrefix("file://") == true && uri?.hasSuffix("my%20pins.txt") == true)
        #expect(place["region"]["startLine"].number == 3)
        // What stands in no file has one too.
        let lone = try await desk("lint $LEAF -f sarif").json["runs"][0]["results"].array
        #expect(!lone.isEmpty && lone.allSatisfy { !$0["locations"][0]["logicalLocations"].array.isEmpty })
    }

    @Test func aDifferenceNamesBothPlaces() async throws {
        let ios = "{\"TSKPinnedDomains\": {\"example.com\": {\"TSKPublicKeyHashes\": [\"$LEAF64\", \"$NEXT64\"]}}}"
        let hosts = "example.com $LEAF\nwww.example.com $LEAF\n"
        try await desk("lint @ios.json @hosts --ignore no-backup-pin", ["ios.json": ios, "hosts": hosts]).says(
            "hosts:1: warning: \(pki.leaf2.pin) is pinned for example.com in ",
            "ios.json:1 and not here [drift-pins]\n", "ios.json: warning: www.example.com is pinned in ",
            "hosts:2 and not here [drift-hosts]\n", ending: "\nPASS  2 sources: 2 warnings\n")
    }

    @Test func aRepositoryIsLookedThrough() async throws {
        let name = "http://schemas.android.com/apk/res/android"
        let manifest = "<application android:networkSecurityConfig=\"@xml/network_security_config\"/>"
        let pinSet = "<pin-set><pin digest=\"SHA-256\">$NEXT64</pin></pin-set>"
        let texts = [
            "docs/prose.txt": "no pins\n", "node_modules/pins.txt": "sha256/AAAA\n", ".git/pins.txt": "sha256/AAAA\n",
            "app/AndroidManifest.xml": "<manifest xmlns:android=\"\(name)\">\(manifest)</manifest>",
            "app/java/pins.txt": "*.example.net $NEXT\n",
            "app/res/xml/network_security_config.xml":
                "<network-security-config><domain-config><domain>example.com</domain>\(pinSet)</domain-config></network-security-config>",
        ]
        let desk = try Desk()
        for (name, text) in texts { try desk.write(text, to: "all/" + name) }
        try desk.files.write(pki.leaf.der, to: "all/ios/Pins/leaf.cer")
        try desk.files.write([UInt8](repeating: 0xFF, count: (16 << 20) + 1), to: "all/docs/film.mp4")
        let found = try await desk("lint @all -f json").json["findings"].array
        let places = found.compactMap { finding in
            finding["file"].text.map {
                "\(finding["id"].text ?? "") \($0.replacing(desk.files.path + "/all/", with: ""))"
            }
        }
        #expect(
            places == [
                "no-backup-pin app/res/xml/network_security_config.xml", "no-backup-pin app/java/pins.txt",
                "okhttp-one-label app/java/pins.txt", "no-backup-pin ios/Pins",
                "certificate-mode-ends ios/Pins/leaf.cer", "leaf-certificate-pinned ios/Pins/leaf.cer",
                "drift-hosts app/java", "drift-hosts app", "drift-pins app", "drift-pins app/java",
                "drift-pins ios/Pins",
            ])
        await desk.expect("lint @all/docs", "noInput: no file in this directory holds a pin")
    }

    @Test func theSamplePinsAreClean() async {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Pins").path
        await pincheck("lint", directory, "--fail-on", "note").expect(.pass)
    }
}
