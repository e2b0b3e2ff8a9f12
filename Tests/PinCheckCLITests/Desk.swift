import LoopbackLab
import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// A directory with the standard world in files, and command lines in it.
///
/// In lines and texts `$LEAF` and other names of certificates stand for their pins, `$LEAF64` for the base64 of it, `$HOST` for the
/// server's name and `$SERVER` for its address and port. In a line `@NAME` is a file of the directory, `VERIFY` the judgement of the
/// chain and `CHECK` that of the server.
struct Desk: Sendable {
    let files: TemporaryDirectory
    private let words: [String: String]

    /// A directory with these texts in it, by their names, and a server at `port`.
    init(_ files: TemporaryDirectory, _ texts: [String: String] = [:], port: UInt16? = nil) throws {
        let pki = try StandardPKI.shared()
        let pins = [
            "LEAF": pki.leaf, "NEXT": pki.leaf2, "INTER": pki.interA, "TOP": pki.rootA, "ROGUE": pki.rogue,
            "JUNK": pki.junk, "OTHER": pki.rootB,
        ].mapValues(\.pin)
        var words = pins
        for (name, pin) in pins { words[name + "64"] = String(pin.dropFirst(7)) }
        words["HOST"] = StandardPKI.serverName
        words["DIR"] = files.path
        words["SERVER"] = port.map { "127.0.0.1:\($0)" }
        words["PORT"] = port.map { "\($0)" }
        (self.files, self.words) = (files, words)
        for (name, chain) in [
            "chain.pem": [pki.leaf, pki.interA], "leaf.pem": [pki.leaf], "inter.pem": [pki.interA],
            "root.pem": [pki.rootA], "other.pem": [pki.rootB], "rogue.pem": [pki.rogue, pki.rogueI],
            "next.pem": [pki.leaf2, pki.interA],
        ] { try files.write(chain.map(\.pem).joined(), to: name) }
        for (name, certificate) in [
            "leaf.cer": pki.leaf, "inter.cer": pki.interA, "root.cer": pki.rootA, "junk.cer": pki.junk,
        ] { try files.write(certificate.der, to: name) }
        for (name, text) in texts { try write(text, to: name) }
    }

    @discardableResult static func open<Value>(_ texts: [String: String] = [:], _ body: (Desk) async throws -> Value)
        async throws -> Value
    { try await TemporaryDirectory.scoped { try await body(Desk($0, texts)) } }

    /// A desk beside a server, which presents the chain where nothing else is said.
    @discardableResult static func serving<Value: Sendable>(
        _ behavior: ServerBehavior? = nil, _ texts: [String: String] = [:],
        _ body: (Desk, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let pki = try StandardPKI.shared()
        return try await TemporaryDirectory.scoped { files in
            try await LoopbackServer.serving(behavior ?? .presenting([pki.leaf, pki.interA])) { server in
                try await body(Desk(files, texts, port: server.port), server)
            }
        }
    }

    /// Writes a text with what its names stand for, and the directories above it.
    @discardableResult func write(_ text: String, to name: String) throws -> String {
        let parts = name.split(separator: "/")
        for count in parts.indices.dropFirst() {
            _ = try? files.makeDirectory(parts.prefix(count).joined(separator: "/"))
        }
        return try files.write(expand(text), to: name)
    }

    func expand(_ text: String) -> String {
        text.replacing(/\$([A-Z0-9]+)/) { match in words[String(match.1)] ?? String(match.0) }
    }

    func callAsFunction(
        _ line: String, environment: [String: String] = [:], at time: Int64? = nil, input: String = "",
        columns: Int? = nil, cas: [CA]? = nil
    ) async -> Outcome {
        let line = line.replacing("VERIFY", with: "verify @chain.pem --anchors @root.pem --host $HOST").replacing(
            "CHECK", with: "$HOST --connect $SERVER --anchors @root.pem")
        let words = line.matches(of: /'([^']*)'|[^ ]+/).map { word in
            expand(String(word.1 ?? word.0)).replacing(/(^|=)@/) { "\($0.1)\(files.path)/" }
        }
        return await pincheck(
            words, environment: environment.mapValues(expand), at: time, input: Array(expand(input).utf8),
            columns: columns, cas: cas)
    }

    /// What a line that judges one target decides and why, as in `fail pin-mismatch`.
    func decides(_ line: String, environment: [String: String] = [:]) async -> String {
        await self(line + " -f json", environment: environment).decision
    }
}

/// Runs a line at a desk with these texts.
func desk(_ line: String, _ texts: [String: String] = [:]) async throws -> Outcome {
    try await Desk.open(texts) { await $0(line) }
}

/// What a line that judges one target decides at a desk with these texts.
func decision(of line: String, _ texts: [String: String] = [:]) async throws -> String {
    try await Desk.open(texts) { await $0.decides(line) }
}
