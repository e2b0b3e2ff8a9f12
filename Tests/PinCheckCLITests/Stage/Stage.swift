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
        words["HOST"] = host
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

    static var current: Stage { get throws { try #require(opened, "the suite is not inside OnStage") } }

    static func open(_ body: @Sendable () async throws -> Void) async throws {
        let world = try StageWorld()
        let directory = try TemporaryDirectory()
        try world.write(to: directory)
        try await DeadPort.refusing { refusing in
            try await LoopbackServer.serving(all: world.servers.map(\.behavior)) { servers in
                let ports: [(name: String, port: UInt16)] =
                    [("REFUSED", refusing)] + zip(world.servers, servers).map { ($0.name, $1.port) }
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
                let outcome = await pincheck("snapshot", host, "--connect", place, at: Self.now)
                try #require(outcome.status == .pass, "\(name): \(outcome.errors)")
                try directory.write(outcome.output.replacing(place, with: "127.0.0.1:10000"), to: "\(name).json")
            }
        }
        for (name, base, replaced, replacement) in StageWorld.editedSnapshots {
            let text = try contents(ofFile: directory.path + "/\(base).json")
            try #require(text.contains(replaced), "\(text)")
            try directory.write(text.replacing(replaced, with: replacement, maxReplacements: 1), to: "\(name).json")
        }
    }

    func expand(_ text: String) -> String { words.expand(text) }

    func words(_ line: String) -> [String] { quotedWords(of: line).map(expand) }

    func run(_ line: String, environment: [String: String] = [:], input: String = "") async -> Outcome {
        await pincheck(
            words(line), environment: environment.mapValues(expand), at: Self.now, input: expand(input).bytes)
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

struct StageTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void)
        async throws
    { try await Stage.open(function) }
}

extension Trait where Self == StageTrait { static var onStage: Self { Self() } }
