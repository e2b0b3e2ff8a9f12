import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Sources of pins as checks use them and `pincheck pins` converts them.
@Suite(.timeLimit(.minutes(5))) struct PinSourceTests {
    private static let texts = [
        "junk.pub": pki.junk.key.publicKeyPEM,
        "nsc.xml": AppText.android(AppText.domain(AppText.pinSet("$LEAF64", until: "2040-06-01"), below: true)),
        "a": "$HOST $LEAF\n", "b": "$HOST $JUNK\n", "two": "$HOST $LEAF\nb.example.com $LEAF\n",
        "backup.key": try! pki.junk.key.privateKeyPEM(),
    ]

    private static let rows = """
        VERIFY --pinnedpubkey sha256//$LEAF64 --client curl,okhttp | pass
        VERIFY --pinnedpubkey sha256//$LEAF64 --pins $JUNK --client okhttp | pass: pins: 2 configured, 1 matched
        VERIFY --pinnedpubkey @junk.pub | fail pin-mismatch: 0 matched, 1 not in the chain
        // What stands for a pin that is still to come is said, and the other pins are judged.
        VERIFY --pins $LEAF --pins sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB= | pass: PASS
        VERIFY --pins $LEAF --pins $JUNK --pins sha256/afwiKY3RxoMmLkuRW1l7QsPZTJPwDS2pdDROQjXw8ig= --fail-on warn | \
        warn placeholder-pin: pin 3 is the sample of OkHttp's documentation
        pins @nsc.xml | pass: $HOST and all names below it   from $DIR/nsc.xml:2, until 2040-06-01⏎
        // Several sources become one configuration, and a key is added to every host.
        pins --from @a --from @b -f okhttp | pass: .add("$HOST", "$LEAF") … .add("$HOST", "$JUNK")
        pins --from @two --key @backup.key -f trustkit | pass: <string>$JUNK64</string>
        pins --from @backup.key | data
        """

    @Test(arguments: table(rows)) func aSourceComesToWhatTheTableHas(row: [String]) async throws {
        let desk = try Desk(Self.texts)
        let outcome = await desk.expect(row[0], row[1]).says(not: "BEGIN ")
        #expect(outcome.output.ranges(of: "CertificatePinner.Builder()").count <= 1)
        let hosts = row[0].contains("@two") ? 2 : 0
        #expect(outcome.output.ranges(of: desk.expand("<string>$JUNK64</string>")).count == hosts)
    }

    @Test(arguments: [
        // The right root under a name that only Alamofire takes, another root under one that both take.
        (["root.crt", "old.cer"], "--mode public-key --client alamofire", "pass"),
        (["root.crt", "old.cer"], "--mode public-key --client afnetworking-3", "fail pin-mismatch"),
        (
            ["root.crt", "old.cer"], "--mode public-key --client afnetworking,alamofire",
            "fail pin-mismatch: App.app: loaded from the bundle by AFNetworking 4: 'old.cer'; "
        ), (["root.crt"], "--client afnetworking", "fail no-pins: AFNetworking 4: none"),
    ]) func eachClientIsJudgedWithTheFilesItLoads(certificates: [String], arguments: String, end: String) async throws {
        let desk = try Desk(["App.app/Info.plist": AppText.plist("")])
        for name in certificates {
            try desk.files.write((name.hasPrefix("root") ? pki.rootA : pki.rootB).der, to: "App.app/" + name)
        }
        await desk.expect("VERIFY --pins @App.app " + arguments, end)
    }

    @Test(arguments: ["verify @pipe", "verify @chain.pem --anchors @pipe", "verify @chain.pem --pinnedpubkey @pipe"])
    func aPipeIntoWhichNobodyWritesDoesNotHang(line: String) async throws {
        let desk = try Desk()
        try #require(mkfifo(desk.files.path + "/pipe", 0o600) == 0)
        await desk.expect(line, "noInput: is a pipe without a writer")
    }
}
