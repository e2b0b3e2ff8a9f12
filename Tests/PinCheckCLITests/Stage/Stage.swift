import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// One PKI with its files and a few servers, the same in every process but for the ports and the directory.
///
/// Suites inside ``OnStage`` share it. Words of command lines name what is on it: `$ROOT`, `$CHAIN` and `$DIR/…` are files, `$LEAF` and
/// other names of certificates pins, `$SERVER` and other names of servers an address and a port.
struct Stage: Sendable {
    /// 2026-10-01, the time of its certificates and of its command lines.
    static let now: Int64 = 1_790_812_800

    let world: StageWorld
    let directory: TemporaryDirectory
    private let ports: [(name: String, port: UInt16)]
    private let words: [String: String]

    private init(world: StageWorld, directory: TemporaryDirectory, ports: [(name: String, port: UInt16)]) {
        self.world = world
        self.directory = directory
        self.ports = ports
        var words = world.pins
        words["HOST"] = StandardPKI.serverName
        words["DIR"] = directory.path
        words["ROOT"] = directory.path + "/root.pem"
        words["CHAIN"] = directory.path + "/chain.pem"
        for (name, port) in ports {
            words[name] = "127.0.0.1:\(port)"
            words[name + "PORT"] = "\(port)"
        }
        self.words = words
    }

    @TaskLocal private static var opened: Stage?

    /// The stage of the suite that runs.
    static var current: Stage { get throws { try #require(opened, "the suite is not inside OnStage") } }

    /// Writes the files and starts the servers while `body` runs.
    static func open(_ body: @Sendable () async throws -> Void) async throws {
        let world = try StageWorld()
        let directory = try TemporaryDirectory()
        try world.write(to: directory)
        try await RefusingPort.scoped { refusing in
            try await LoopbackServer.serving(all: world.servers.map(\.behavior)) { servers in
                let ports: [(name: String, port: UInt16)] =
                    [("REFUSED", refusing.port)] + zip(world.servers, servers).map { ($0.name, $1.port) }
                let stage = Stage(world: world, directory: directory, ports: ports)
                try await $opened.withValue(stage) {
                    try directory.write(stage.expand(StageWorld.policy), to: "policy.json5")
                    try await stage.recordSnapshots()
                    try await body()
                }
            }
        }
    }

    /// Records what one server presents before and after each change of ``StageWorld/changes``, as `NAME.json`.
    private func recordSnapshots() async throws {
        try await LoopbackServer.serving(.presenting(world.chain)) { server in
            let place = "127.0.0.1:\(server.port)"
            for (name, chain) in try world.changes {
                try server.present(TLSServerSettings(presenting: chain))
                let outcome = await pincheck("snapshot", StandardPKI.serverName, "--connect", place, at: Self.now)
                try #require(outcome.status == .pass, "\(name): \(outcome.errors)")
                try directory.write(outcome.output.replacing(place, with: "127.0.0.1:10000"), to: "\(name).json")
            }
        }
        for (name, base, replaced, replacement) in StageWorld.editedSnapshots {
            let text = try String(contentsOfFile: directory.path + "/\(base).json", encoding: .utf8)
            try #require(text.contains(replaced), "\(text)")
            try directory.write(text.replacing(replaced, with: replacement, maxReplacements: 1), to: "\(name).json")
        }
    }

    /// A word of a command line with what its names stand for.
    func expand(_ text: String) -> String {
        text.replacing(/\$([A-Z0-9]+)/) { match in words[String(match.1)] ?? String(match.0) }
    }

    /// The words of a command line, which blanks part but between single quotes.
    func words(_ line: String) -> [String] { line.matches(of: /'([^']*)'|[^ ]+/).map { expand(String($0.1 ?? $0.0)) } }

    /// Runs a command line at the time of the stage.
    func run(_ line: String, environment: [String: String] = [:], input: String = "") async -> Outcome {
        await pincheck(
            words(line), environment: environment.mapValues(expand), at: Self.now, input: Array(expand(input).utf8))
    }

    /// A text without what differs from process to process: the directory, the ports, and how long things took.
    func normalized(_ text: String) -> String {
        var text = text.replacing(directory.path, with: "/stage")
        func replace(_ pattern: String, with replacement: String) {
            text = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
        }
        for (index, port) in ports.enumerated() {
            // No digits of a hash.
            replace("((?<![0-9A-Za-z+/_-])|(?<=%3A))\(port.port)(?![0-9A-Za-z+=])", with: "\(10_001 + index)")
        }
        replace(#"("(connect|handshake|proxy|resolve|time_ms)" ?: ?)[0-9.]+"#, with: "$11.0")
        replace(#"(time='?=?"?| time'=)[0-9]+\.[0-9]+"#, with: "$11.0")
        replace(#"((duration|answer)_seconds\{[^}]*\} )[0-9.e-]+"#, with: "$11.0")
        // A hash that the path is part of.
        replace(#"("pincheckFinding/v1" : ")[0-9a-f]+"#, with: "$1…")
        replace(#" in [0-9.]+ m?s\b"#, with: " in 1.0 s")
        return text
    }
}

/// The suites that share one ``Stage``.
@Suite(.onStage) enum OnStage {}

/// Opens the stage around a suite.
struct StageTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void)
        async throws
    { try await Stage.open(function) }
}

extension Trait where Self == StageTrait { static var onStage: Self { Self() } }

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
