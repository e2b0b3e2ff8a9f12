import LoopbackLab
import PinCheckCLI
import Testing

/// What a client meets, and what it decides: `pass` or `fail` and the id of the reason.
struct Scene: Sendable, CustomStringConvertible {
    /// The names of the certificates of ``StandardPKI`` that are presented.
    let presented: String
    /// Pins or a configuration, as words of a command line have them; none if it is empty.
    var pins = ""
    /// `nil`: the one that a command line without `--client` asks.
    var client: String?
    /// Empty: the name is not checked.
    var host = StandardPKI.serverName
    /// The root that is trusted.
    var anchor = "rootA"
    var device: String?
    /// The time, as `--at` takes it.
    var time: String?
    let decision: String

    init(
        _ presented: String, pins: String = "", client: String? = nil, host: String = StandardPKI.serverName,
        anchor: String = "rootA", device: String? = nil, at time: String? = nil, _ decision: String
    ) {
        self.presented = presented
        self.pins = pins
        self.client = client
        self.host = host
        self.anchor = anchor
        self.device = device
        self.time = time
        self.decision = decision
    }

    /// The files of what is presented and of what is trusted.
    var presentedFile: String { presented.replacing(" ", with: "+") + ".pem" }
    var anchorFile: String { anchor + ".pem" }

    var description: String {
        ["\(presented) below \(anchor)", pins, client, host, device, time].compactMap { $0 }.filter { !$0.isEmpty }
            .joined(separator: ", ") + ": " + decision
    }

    static let all = [
        // Without pins.
        Scene("leaf interA", "pass trusted-without-pins"),
        Scene("leaf interA", host: "www.example.org", "fail name-mismatch"),
        Scene("leaf interA", anchor: "rootB", "fail unknown-issuer"), Scene("leaf", "fail unknown-issuer"),
        Scene("interA leaf", client: "afnetworking", "fail key-usage"), Scene("leafExp interA", "fail expired"),
        Scene("leaf interAexp", "fail expired"), Scene("leaf interA", at: "2020-01-01", "fail not-yet-valid"),
        // A pin of the path, and one that is not on it.
        Scene("leaf interA", pins: "$LEAF", "pass pin-matched"), Scene("leaf interA", pins: "$TOP", "pass pin-matched"),
        Scene("leafRe interA", pins: "$LEAF", "pass pin-matched"),
        Scene("leaf2 interA", pins: "$LEAF", "fail pin-mismatch"),
        Scene("leaf2 interA", pins: "$LEAF --pins $NEXT", "pass pin-matched"),
        Scene("rogue rogueI leaf", pins: "$LEAF", anchor: "rootB", "fail pin-mismatch"),
        Scene("rogue rogueI", pins: "$LEAF", "fail unknown-issuer"),
        Scene("leaf interA", pins: "$LEAF", host: "www.example.org", "fail name-mismatch"),
        // Each client.
        Scene("leaf interA", pins: "$INTER", client: "okhttp", "pass pin-matched"),
        Scene("leaf interA", pins: "$INTER", client: "curl", "fail pin-mismatch"),
        Scene("leaf interA", pins: "$LEAF", client: "curl", "pass pin-matched"),
        Scene("leaf interA", pins: "$LEAF --pins $BACKUP", client: "trustkit", "pass pin-matched"),
        Scene("leaf interA", pins: "$JUNK --pins $BACKUP", client: "trustkit", "fail pin-mismatch"),
        Scene("leaf interA", pins: "$DIR/leaf.cer --mode certificate", client: "afnetworking", "pass pin-matched"),
        Scene("leafRe interA", pins: "$DIR/leaf.cer --mode certificate", client: "afnetworking", "fail pin-mismatch"),
        // Configurations.
        Scene("leaf interA", pins: "$DIR/android.xml", client: "android", "pass pin-matched"),
        Scene("leaf interA", pins: "$DIR/android-wrong.xml", client: "android", "fail pin-mismatch"),
        Scene(
            "leaf2 interA", pins: "$DIR/android-wrong.xml", client: "android", at: "2027-06-02", "pass pins-not-applied"
        ), Scene("leaf interA", pins: "$DIR/Info.plist", client: "nspinneddomains", "pass pin-matched"),
        Scene("leaf interA", pins: "$DIR/Info-wrong.plist", client: "nspinneddomains", "fail pin-mismatch"),
        Scene("leaf2 interA", pins: "$DIR/Shop.app", client: "nspinneddomains", "pass pin-matched"),
        Scene("leaf interA", pins: "$DIR/trustkit.json", client: "trustkit", "pass pin-matched"),
        Scene("leaf interA", pins: "$DIR/Client.kt", client: "okhttp", "pass pin-matched"),
        // Devices.
        Scene("leaf interA", pins: "$LEAF", device: "ios-18", "pass pin-matched"),
    ]
}

extension OnStage {
    @Suite(.endsSomeTime) struct SceneTests {
        @Test(arguments: Scene.all) func theClientDecidesAsTheTableHasIt(scene: Scene) async throws {
            let stage = try Stage.current
            var words = ["verify", stage.expand("$DIR/\(scene.presentedFile)")]
            words += ["--anchors", stage.expand("$DIR/\(scene.anchorFile)")]
            if !scene.host.isEmpty { words += ["--host", scene.host] }
            if !scene.pins.isEmpty {
                words += "--pins \(scene.pins)".split(separator: " ").map { stage.expand(String($0)) }
            }
            for (flag, value) in [("--client", scene.client), ("--device", scene.device), ("--at", scene.time)] {
                if let value { words += [flag, value] }
            }
            let decision = await decision(words, at: Stage.now)
            #expect(decision == scene.decision)
        }
    }
}
