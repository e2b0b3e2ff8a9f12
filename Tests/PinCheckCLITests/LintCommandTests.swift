import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck lint` as a whole.
@Suite(.endsSomeTime) struct LintCommandTests {
    private static let texts = [
        // Nothing to say against it; a warning; an error with two more lines, of which one is neither.
        "good.txt": "$LEAF\n$NEXT\n", "alone.txt": "$LEAF\n", "malformed.txt": "$LEAF\nsha256/AAAA\n$LEAF\n",
        "lines.txt": "b.example.com $LEAF\n",
        "policy.json5": "{hosts: {'a.example.com': {pins: 'lines.txt', connect: '192.0.2.1'}}}",
        "a,b:100%.txt": "$LEAF\n", "my pins.txt": "$LEAF\n$NEXT\n$LEAF\n",
        "kit.json": "{\"a.example.com\": {\"publicKeyHashes\": [\"$LEAF64\"]}}",
        "nsc.xml": AppText.android(
            AppText.domain(AppText.pinSet("$LEAF64", "$NEXT64", until: "2040-06-01"), for: "a.example.com")),
    ]

    @Test(arguments: [
        ("@good.txt @good.txt", "pass"), ("@alone.txt --fail-on note", "fail"), ("@alone.txt --fail-on warn", "fail"),
        ("@kit.json", "fail"), ("@kit.json --fail-on never", "pass"), ("@malformed.txt", "data"),
        ("@malformed.txt --fail-on never", "data"), ("@malformed.txt /nonexistent/pins.txt", "data"), ("", "usage"),
        ("@policy.json5", "data: no line is for a.example.com"),
        // What a file's name holds, and a pin that is in no file.
        (
            "'@a,b:100%.txt' -f github",
            "pass: ::warning file=$DIR/a%2Cb%3A100%25.txt,line=1,title=no-backup-pin::one key is pinned"
        ), ("'@my pins.txt' -f sarif", "pass: file://$DIR/my%20pins.txt … \"startLine\" : 3"),
        ("$LEAF -f sarif", "pass: \"logicalLocations\""),
        ("@nsc.xml --at 2040-05-01 --warn-before 9w", "pass: [pin-set-expires-soon]"),
        // Pins that expire on a date have no beginning that a part could be of.
        ("@nsc.xml --at 2040-05-01 --warn-before 99%", "pass: [android-fails-open-after-expiration]"),
        ("--rules", "pass: \nno-backup-pin   … \nbad-host  "),
        ("@alone.txt --ignore no-backup-pin --fail-on note", "pass"),
        ("@malformed.txt --ignore wrong-length", "data: [wrong-length]"),
        ("@alone.txt --fail-on fatal", "usage: choose from error, warning, note, never"),
        ("@alone.txt --client nonesuch", "usage"),
        ("@good.txt --client afnetworking", "pass: [client-takes-certificates]"),
        ("@good.txt -f text -f json", "usage"),
    ]) func theExitStatusIsThatOfTheWorstFinding(line: String, end: String) async throws {
        try await Desk(Self.texts).expect("lint " + line, end)
    }

    @Test func aRepositoryIsLookedThrough() async throws {
        let name = "http://schemas.android.com/apk/res/android"
        let manifest = "<application android:networkSecurityConfig=\"@xml/network_security_config\"/>"
        let texts = [
            "docs/prose.txt": "no pins\n", "node_modules/pins.txt": "sha256/AAAA\n", ".git/pins.txt": "sha256/AAAA\n",
            "app/AndroidManifest.xml": "<manifest xmlns:android=\"\(name)\">\(manifest)</manifest>",
            "app/java/pins.txt": "*.example.net $NEXT\n",
            "app/res/xml/network_security_config.xml": AppText.android(
                AppText.domain(AppText.pinSet("$NEXT64"), for: "example.com")),
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
        await pincheck("lint", Article.top.appending(path: "Pins").path, "--fail-on", "note").expect(.pass)
    }
}
