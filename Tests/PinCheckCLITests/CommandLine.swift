import Base
import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import Testing

@testable import PinCheckCLI

/// The exit status of a command line, which Swift Testing has a type of the same name beside.
typealias ExitStatus = PinCheckCLI.ExitStatus

/// What servers present and files hold where nothing else is said.
let host = serverName
let served = [pki.leaf, pki.interA]

/// A leaf with an RSA key beside that of `served`, and a server that has both.
let rsaLeaf = try! pki.interA.issue(.leaf(host), key: .shared(.rsa(bits: 2_048), label: "both keys"))
let bothKeys = TLSServerSettings([TLSIdentity(served), TLSIdentity([rsaLeaf, pki.interA])])

extension Trait where Self == TimeLimitTrait {
    /// A limit against hangs only, which no machine comes near however busy it is.
    static var endsSomeTime: Self { .timeLimit(.minutes(10)) }
}

struct Outcome {
    let status: ExitStatus
    let output: String
    let errors: String
    var report: String? = nil

    var json: JSONValue { get throws { try JSONValue(report ?? output) } }
    var results: [JSONValue] { get throws { try json["results"].array } }

    /// The exit status and the ids of the reasons in the JSON report, as in `fail pin-mismatch`: what a test of a rejection compares.
    var decision: String {
        let report = try? json
        let reasons = (report?["results"].array ?? []) + (report.map { [$0] } ?? [])
        let ids = reasons.compactMap { $0["reason"]["id"].text }.joined(separator: ",")
        return "\(status) \(ids.isEmpty ? "without a reason: \(output)\(errors)" : ids)"
    }

    /// Holds how it ended against a status, and what it wrote as ``says(_:ending:starting:errors:told:not:at:)`` does.
    @discardableResult func expect(
        _ status: ExitStatus, _ output: String..., ending: String = "", starting: String = "", errors: String...,
        told: String..., not: String..., at place: SourceLocation = #_sourceLocation
    ) -> Outcome {
        #expect(self.status == status, "\(self)", sourceLocation: place)
        return says(output, ending, starting, errors, told, not, place)
    }

    /// Holds its ``decision`` against another, and what it wrote as ``says(_:ending:starting:errors:told:not:at:)`` does.
    @discardableResult func expect(
        _ decision: String, _ output: String..., ending: String = "", starting: String = "", errors: String...,
        told: String..., not: String..., at place: SourceLocation = #_sourceLocation
    ) -> Outcome {
        #expect(self.decision == decision, "\(self)", sourceLocation: place)
        return says(output, ending, starting, errors, told, not, place)
    }

    /// Holds what it wrote against texts of its output, its errors, either and neither; an empty text stands for nothing at all.
    @discardableResult func says(
        _ output: String..., ending: String = "", starting: String = "", errors: String..., told: String...,
        not: String..., at place: SourceLocation = #_sourceLocation
    ) -> Outcome { says(output, ending, starting, errors, told, not, place) }

    private func says(
        _ output: [String], _ ending: String, _ starting: String, _ errors: [String], _ told: [String], _ not: [String],
        _ place: SourceLocation
    ) -> Outcome {
        func has(_ text: String, _ part: String) -> Bool { part.isEmpty ? text.isEmpty : text.contains(part) }
        let missing =
            output.filter { !has(self.output, $0) } + errors.filter { !has(self.errors, $0) }
            + told.filter { !has(self.output + self.errors, $0) } + (self.output.hasSuffix(ending) ? [] : [ending])
            + (self.output.hasPrefix(starting) ? [] : [starting])
        #expect(missing.isEmpty, "\(self)", sourceLocation: place)
        #expect(!not.contains { (self.output + self.errors).contains($0) }, "\(self)", sourceLocation: place)
        return self
    }
}

func pincheck(
    _ arguments: String..., environment: [String: String] = [:], at time: Int64? = nil, input: [UInt8] = [],
    isTerminal: Bool = false, columns: Int? = nil
) async -> Outcome {
    await pincheck(
        arguments, environment: environment, at: time, input: input, isTerminal: isTerminal, columns: columns)
}

/// Runs a command line in process, in ``Context/lab``; with `columns`, at a terminal of that width.
func pincheck(
    _ arguments: [String], environment: [String: String] = [:], at time: Int64? = nil, input: [UInt8] = [],
    isTerminal: Bool = false, columns: Int? = nil, cas: [CARoot]? = nil, targetWindow: Int? = nil
) async -> Outcome {
    let layout = columns.map { TextLayout(columns: $0, wraps: true) } ?? TextLayout()
    let (output, errors) = (OutputBuffer(), OutputBuffer())
    var context = Context.lab(
        output.stream(isTerminal: isTerminal, layout: layout), errors: errors.stream(layout: layout),
        environment: environment, at: time ?? LabClock.now, input: input)
    if let targetWindow { context.targetWindow = targetWindow }
    if let cas { context.caRoots = cas }
    let status = await PinCheck.run(arguments, in: context).status
    JSONSchemaCheck.expect(validDocumentsIn: output.text)
    return Outcome(status: status, output: output.text, errors: errors.text)
}

extension Context {
    /// A world of its own: without system roots, and at the time the lab issues for.
    static func lab(
        _ output: OutputStream = OutputBuffer().stream(), errors: OutputStream = OutputBuffer().stream(),
        environment: [String: String] = [:], at time: Int64 = LabClock.now, input: [UInt8] = []
    ) -> Context {
        Context(
            console: Console(output: output, errors: errors),
            environment: ["SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent"].merging(environment) { $1 },
            now: { Timestamp(secondsSinceEpoch: time) }, readStandardInput: { input })
    }
}

/// Whether a text holds anything a terminal would act on.
func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
        scalar == "\n"
            || (scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format)
    }
}

extension LoopbackServer {
    /// Runs beside a server of each behavior: each on a port of its own, or on one port of 127.0.0.2, 127.0.0.3 and so on.
    static func serving<Value: Sendable>(
        all behaviors: [ServerBehavior], onOnePort isShared: Bool = false, after running: [LoopbackServer] = [],
        _ body: ([LoopbackServer]) async throws -> Value
    ) async throws -> Value {
        guard running.count < behaviors.count else { return try await body(running) }
        let address = isShared ? "127.0.0.\(running.count + 2)" : "127.0.0.1"
        let port = isShared ? running.first?.port ?? 0 : 0
        return try await serving(behaviors[running.count], address: address, port: port) {
            try await serving(all: behaviors, onOnePort: isShared, after: running + [$0], body)
        }
    }

    var place: String { "\(address):\(port)" }
}

extension ConnectionObservation { var request: String { String(decoding: applicationOpening, as: UTF8.self) } }

extension LabCertificate { var pin: String { SHA256Digest(bytes: publicKeySHA256)!.description } }

extension LabKey { var pin: String { SHA256Digest(bytes: publicKeySHA256)!.description } }

extension StringProtocol { var bytes: [UInt8] { Array(utf8) } }

extension [String: String] {
    /// A text with what its words, as in `$LEAF`, stand for.
    func expand(_ text: String) -> String { text.replacing(/\$([A-Z0-9]+)/) { self[String($0.1)] ?? String($0.0) } }
}

/// The words of a line, which blanks part but between single quotes.
func quotedWords(of line: String) -> [String] { line.matches(of: /'([^']*)'|[^ ]+/).map { String($0.1 ?? $0.0) } }

/// A directory with the standard world in files, and command lines in it.
///
/// In lines and texts `$LEAF` and other names of certificates stand for their pins, `$LEAF64` for the base64 of it, `$HOST` for the
/// server's name and `$SERVER` for its address and port. In a line `@NAME` is a file of the directory, `VERIFY` the judgement of the
/// chain and `CHECK` that of the server.
struct Desk: Sendable {
    let files: TemporaryDirectory
    private let words: [String: String]

    init(_ texts: [String: String] = [:], in files: TemporaryDirectory? = nil, port: UInt16? = nil) throws {
        let files = try files ?? TemporaryDirectory()
        let pins = [
            "LEAF": pki.leaf, "NEXT": pki.leaf2, "INTER": pki.interA, "TOP": pki.rootA, "ROGUE": pki.rogue,
            "JUNK": pki.junk, "OTHER": pki.rootB,
        ].mapValues(\.pin)
        var words = pins
        for (name, pin) in pins { words[name + "64"] = String(pin.dropFirst(7)) }
        words["HOST"] = host
        words["DIR"] = files.path
        words["SERVER"] = port.map { "127.0.0.1:\($0)" }
        words["PORT"] = port.map { "\($0)" }
        (self.files, self.words) = (files, words)
        for (name, chain) in [
            "chain.pem": served, "leaf.pem": [pki.leaf], "inter.pem": [pki.interA], "root.pem": [pki.rootA],
            "other.pem": [pki.rootB], "rogue.pem": [pki.rogue, pki.rogueI], "next.pem": [pki.leaf2, pki.interA],
        ] { try files.write(chain.map(\.pem).joined(), to: name) }
        for (name, certificate) in [
            "leaf.cer": pki.leaf, "inter.cer": pki.interA, "root.cer": pki.rootA, "junk.cer": pki.junk,
        ] { try files.write(certificate.der, to: name) }
        for (name, text) in texts { try write(text, to: name) }
    }

    @discardableResult static func serving<Value: Sendable>(
        _ behavior: ServerBehavior? = nil, _ texts: [String: String] = [:],
        _ body: (Desk, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        return try await LoopbackServer.serving(behavior ?? .presenting(served)) { server in
            try await body(Desk(texts, port: server.port), server)
        }
    }

    @discardableResult func write(_ text: String, to name: String) throws -> String {
        try files.write(expand(text), to: name)
    }

    func text(_ name: String) throws -> String { try contents(ofFile: "\(files.path)/\(name)") }

    func expand(_ text: String) -> String { words.expand(text) }

    func callAsFunction(
        _ line: String, environment: [String: String] = [:], at time: Int64? = nil, input: String = "",
        columns: Int? = nil, cas: [CARoot]? = nil, targetWindow: Int? = nil
    ) async -> Outcome {
        await pincheck(
            words(line), environment: environment.mapValues(expand), at: time, input: expand(input).bytes,
            columns: columns, cas: cas, targetWindow: targetWindow)
    }

    func words(_ line: String) -> [String] {
        let line = line.replacing("VERIFY", with: "verify @chain.pem --anchors @root.pem --host $HOST").replacing(
            "CHECK", with: "$HOST --connect $SERVER --anchors @root.pem")
        return quotedWords(of: line).map { expand($0).replacing(/(^|=)@/) { "\($0.1)\(files.path)/" } }
    }

    /// Holds a line against how it ends (a check by its ``Outcome/decision``) and what it says, as in `data: nsc.xml:2 … is not there`.
    @discardableResult func expect(
        _ line: String, _ end: String, environment: [String: String] = [:], at time: Int64? = nil, input: String = "",
        at place: SourceLocation = #_sourceLocation
    ) async -> Outcome {
        let parts = end.split(separator: ": ", maxSplits: 1).map(String.init)
        let isDecision = parts[0].contains(" ")
        // A rejection by another reason has the same status.
        let hasReason = !line.hasPrefix("lint ") && !line.hasPrefix("pins ")
        #expect(parts[0] != "fail" || !hasReason, "\(line): which reason?", sourceLocation: place)
        let report = "\(files.path)/decision.json"
        let forms = isDecision ? (line.contains(#/ (-f|--format) /#) ? "" : " -f text") + " -f json=\(report)" : ""
        var outcome = await self(line + forms, environment: environment, at: time, input: input)
        if isDecision { outcome.report = try? contents(ofFile: report) }
        JSONSchemaCheck.expect(validDocumentsIn: outcome.report ?? "")
        let found = isDecision ? outcome.decision : "\(outcome.status)"
        #expect(found == parts[0], "\(line): \(outcome)", sourceLocation: place)
        let said = outcome.output + outcome.errors + (outcome.report ?? "")
        for text in parts.dropFirst().flatMap({ $0.split(separator: " … ") }) {
            let isThere = said.contains(expand(String(text)))
            #expect(isThere, "\(line): no '\(text)' in \(outcome)", sourceLocation: place)
        }
        return outcome
    }
}

func desk(_ line: String, _ texts: [String: String] = [:]) async throws -> Outcome { try await Desk(texts)(line) }
