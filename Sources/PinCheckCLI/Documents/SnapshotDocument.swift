import Base
import PinChecking
import PinFormats
import TLSProbe
import X509

extension Snapshot: JSONDocument {
    private static let schema = "pincheck-snapshot/1"

    var document: JSONObject { ["endpoints": endpoints, "schema": Self.schema] }

    static func snapshot(in bytes: [UInt8], at path: String) throws(Problem) -> Snapshot {
        do throws(Problem) {
            let name = path == "-" ? "standard input" : path
            let root = try JSONReader.root(of: PinFile(path: name, bytes: bytes), mostValues: .max)
            let node = try root.require("schema")
            let found = try node.text()
            guard found == schema else {
                throw node.problem(
                    .wrongValue, "the schema is \(quoted(found)), not \(schema)",
                    "give a file that this version of 'pincheck snapshot' wrote")
            }
            return Snapshot(try root.require("endpoints").array().map(endpoint))
        } catch { throw error.advising("write one with 'pincheck snapshot'") }
    }

    private static func endpoint(_ node: DocumentNode) throws(Problem) -> Snapshot.Endpoint {
        let key = Snapshot.Key(
            target: try text("target", of: node, "a host with a port") { (try? Target($0))?.port != nil },
            connect: try optionalText("connect", of: node, "an address") {
                (try? ConnectAddress.readAny($0).count) == 1
            }, sni: try optionalText("sni", of: node, "a host name") { (try? ServerNameChoice.named($0)) != nil },
            verifyName: try optionalText("verify_name", of: node),
            variant: try optionalText("variant", of: node, "a way to connect") { label in
                Variant.all.contains { $0.label == label }
            })
        let chain = try node.require("chain")
        guard let endpoint = Snapshot.Endpoint(key, chain: try chain.array().map(certificate)) else {
            throw chain.wrong("a list of at least one certificate")
        }
        return endpoint
    }

    private static func certificate(_ node: DocumentNode) throws(Problem) -> Snapshot.Certificate {
        func time(_ key: String) throws(Problem) -> Timestamp {
            let node = try node.require(key)
            guard let time = try? TimeText.read(node.text()) else { throw node.wrong("a time") }
            return time
        }
        let names = try node.require("names").array().map { (name) throws(Problem) in try name.text() }
        return Snapshot.Certificate(
            subject: try text("subject", of: node), issuer: try text("issuer", of: node),
            issuerKeyID: try optionalText("issuer_key_id", of: node), names: names, notBefore: try time("not_before"),
            notAfter: try time("not_after"), key: try text("key", of: node),
            spkiSHA256: try text("spki_sha256", of: node, "a pin") {
                (try? HashText.okHttp($0, at: node.place)) != nil
            },
            certificateSHA256: try text("cert_sha256", of: node, "a SHA-256 in hexadecimal digits") {
                SHA256Digest(hexadecimal: $0) != nil
            })
    }

    private static func text(
        _ key: String, of node: DocumentNode, _ what: String = "", isRight: (String) -> Bool = { _ in true }
    ) throws(Problem) -> String {
        let node = try node.require(key)
        let text = try node.text()
        guard isRight(text) else { throw node.wrong(what) }
        return text
    }

    private static func optionalText(
        _ key: String, of node: DocumentNode, _ what: String = "", isRight: (String) -> Bool = { _ in true }
    ) throws(Problem) -> String? { node[key]?.isNull ?? true ? nil : try text(key, of: node, what, isRight: isRight) }
}

// People compare and review the files, so keys are in alphabetical order.

extension Snapshot.Endpoint: JSONDocument {
    var document: JSONObject {
        [
            "chain": chain, "connect": key.connect, "sni": key.sni, "target": key.target, "variant": key.variant,
            "verify_name": key.verifyName,
        ]
    }
}

extension Snapshot.Certificate: JSONDocument {
    var document: JSONObject { JSONObject((changed.members + [("issuer_key_id", issuerKeyID)]).sorted { $0.0 < $1.0 }) }

    /// The certificate in a change, without its issuer's key.
    var changed: JSONObject {
        [
            "subject": subject, "issuer": issuer, "key": key, "spki_sha256": spkiSHA256,
            "cert_sha256": certificateSHA256, "not_before": notBefore, "not_after": notAfter, "names": names,
        ]
    }
}

extension Baseline {
    init(_ path: String, _ bytes: [UInt8], _ settings: Settings) throws(Problem) {
        guard path != "-" || !settings.updatesBaseline else {
            throw .usage("--update cannot rewrite standard input: name the file of the baseline")
        }
        self.init(path, try Snapshot.snapshot(in: bytes, at: path), allowing: settings.allowed)
    }

    func finish(
        _ comparison: BaselineComparison, _ settings: Settings, after status: ExitStatus, in context: Context
    ) throws(Problem) {
        let places = comparison.unasked.map { key in key.connect.map { "\(key.target) at \($0)" } ?? key.target }
        if !places.isEmpty {
            context.console.report(
                "Note: \(quoted(path)) also records \(listed(places, first: 1)), which "
                    + "\(places.count == 1 ? "was" : "were") not compared: 'pincheck diff' without targets asks all")
        }
        guard settings.updatesBaseline else { return }
        try update(to: comparison.updated, keeping: comparison.unanswered, after: status, in: context)
    }

    /// Writes the new snapshot, unless a server was rejected or a change refused; silent servers keep their entries.
    func update(
        to snapshot: Snapshot, keeping unanswered: [String] = [], after status: ExitStatus, in context: Context
    ) throws(Problem) {
        guard [.pass, .warn, .unreachable].contains(status) else {
            context.console.report("Warning: \(quoted(path)) was not updated: the run ended with \(status.name)")
            return
        }
        if snapshot != self.snapshot { try OutputFile.write(JSONRenderer.document(snapshot), to: path) }
        for place in unanswered {
            context.console.report("Warning: \(place) did not answer: its entry of \(quoted(path)) stays")
        }
    }
}
