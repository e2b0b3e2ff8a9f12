import Base
import PinChecking
import PinFormats
import Pinning

/// Reads and writes snapshots as JSON: sorted, one value a line, ready for review.
enum SnapshotFile {
    /// The name of the form, without its version.
    static let schemaName = "pincheck-snapshot"
    static let version = 1
    static var schema: String { "\(schemaName)/\(version)" }

    static func document(_ snapshot: Snapshot) throws(CommandError) -> String { try JSONRenderer.document(snapshot) }

    /// Reads the snapshot in the file at `path`, or on standard input for `-`.
    ///
    /// - Throws: ``CommandError`` for a file that is missing, is no snapshot, or is of a newer form.
    static func read(_ path: String, in context: Context) throws(CommandError) -> Snapshot {
        guard path != "-" else { return try snapshot(in: context.readStandardInput(), name: "standard input") }
        return try snapshot(in: CommandError.contents(ofFile: path), name: path)
    }

    /// The snapshot that `bytes` hold; `name` stands for the file in messages.
    static func snapshot(in bytes: [UInt8], name: String) throws(CommandError) -> Snapshot {
        do throws(PinFormatError) {
            let root = try JSONReader.root(of: PinFile(path: name, bytes: bytes), mostValues: .max)
            try checkSchema(root.required("schema"))
            var endpoints: [Snapshot.Endpoint] = []
            for node in try root.required("endpoints").array() { endpoints.append(try endpoint(node)) }
            return Snapshot(endpoints)
        } catch { throw .data("\(error)\(error.remedy == nil ? "; write one with 'pincheck snapshot'" : "")") }
    }

    private static func checkSchema(_ node: DocumentNode) throws(PinFormatError) {
        let text = try node.text()
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == schemaName, let number = Int(parts[1]), number >= 1 else {
            throw PinFormatError(
                .wrongValue, at: node.place, "the schema is \(quoted(text)), not \(schema)",
                remedy: "give a file of 'pincheck snapshot'")
        }
        guard number <= version else {
            throw PinFormatError(
                .wrongValue, at: node.place,
                "was written by a newer pincheck: its schema is \(schemaName)/\(number), and this version reads up to "
                    + schema, remedy: "update pincheck, or take the snapshot again")
        }
    }

    private static func endpoint(_ node: DocumentNode) throws(PinFormatError) -> Snapshot.Endpoint {
        let key = Snapshot.Key(
            target: try text("target", of: node, "a host with a port") { (try? Target($0))?.port != nil },
            connect: try optionalText("connect", of: node, "an address") {
                (try? ConnectAddress.readAny($0).count) == 1
            }, sni: try optionalText("sni", of: node, "a host name") { (try? ServerNameChoice.named($0)) != nil },
            verifyName: try optionalText("verify_name", of: node),
            variant: try optionalText("variant", of: node, "a way to connect") { Variant(label: $0) != nil })
        let chain = try node.required("chain")
        var certificates: [Snapshot.Certificate] = []
        for node in try chain.array() { certificates.append(try certificate(node)) }
        guard let endpoint = Snapshot.Endpoint(key, chain: certificates) else {
            throw chain.wrong("a list of at least one certificate")
        }
        return endpoint
    }

    private static func certificate(_ node: DocumentNode) throws(PinFormatError) -> Snapshot.Certificate {
        func time(_ key: String) throws(PinFormatError) -> Timestamp {
            let node = try node.required(key)
            guard let time = try? TimeText.read(node.text()) else { throw node.wrong("a time") }
            return time
        }
        var names: [String] = []
        for name in try node.required("names").array() { names.append(try name.text()) }
        return Snapshot.Certificate(
            subject: try text("subject", of: node), issuer: try text("issuer", of: node),
            issuerKeyID: try optionalText("issuer_key_id", of: node), names: names, notBefore: try time("not_before"),
            notAfter: try time("not_after"), key: try text("key", of: node),
            spkiSHA256: try text("spki_sha256", of: node, "a pin") {
                (try? HashText.okHttp($0, at: node.place)) != nil
            },
            certificateSHA256: try text("cert_sha256", of: node, "a SHA-256 in hexadecimal digits") {
                $0.utf8.count == 64 && $0.allSatisfy(\.isHexDigit)
            })
    }

    private static func text(
        _ key: String, of node: DocumentNode, _ what: String = "", isRight: (String) -> Bool = { _ in true }
    ) throws(PinFormatError) -> String {
        let node = try node.required(key)
        let text = try node.text()
        guard isRight(text) else { throw node.wrong(what) }
        return text
    }

    /// `nil` for null and for a key that is not there.
    private static func optionalText(
        _ key: String, of node: DocumentNode, _ what: String = "", isRight: (String) -> Bool = { _ in true }
    ) throws(PinFormatError) -> String? {
        node[key]?.isNull ?? true ? nil : try text(key, of: node, what, isRight: isRight)
    }
}

extension Snapshot: DocumentObject {
    static let fields: DocumentFields<Snapshot> = [
        DocumentField("schema", { _ in SnapshotFile.schema }, as: .constant(SnapshotFile.schema)),
        DocumentField("endpoints", \.endpoints, "Sorted by target, address and names."),
    ]
}

extension Snapshot.Endpoint: DocumentObject {
    static let definition: String? = "endpoint"
    static let fields: DocumentFields<Snapshot.Endpoint> = [
        DocumentField("target", \.key.target, "The target with its port."),
        DocumentField(
            "connect", \.key.connect,
            "The address and port that were given to connect to; null when the target was looked up."),
        DocumentField("sni", \.key.sni, "The server name that was sent."),
        DocumentField("verify_name", \.key.verifyName, "The name the certificate has to be valid for."),
        DocumentField(
            "variant", \.key.variant,
            "The part of the offer that was changed, as in RSA or no SNI; null for ordinary clients."),
        DocumentField("chain", \.chain, "The certificates the server sent, in wire order, at least one."),
    ]
}

extension Snapshot.Certificate: DocumentObject {
    static let definition: String? = "certificate"
    static let fields: DocumentFields<Snapshot.Certificate> = [
        DocumentField("subject", \.subject, "In the order of RFC 2253."), DocumentField("issuer", \.issuer),
        DocumentField("issuer_key_id", \.issuerKeyID, "The authority key identifier in hexadecimal digits."),
        DocumentField("names", \.names, "The subject alternative names, sorted."),
        DocumentField("not_before", \.notBefore.description, as: .time),
        DocumentField("not_after", \.notAfter.description, as: .time),
        DocumentField("key", \.key, "The algorithm and its size, as in EC P-256."),
        DocumentField("spki_sha256", \.spkiSHA256, "The public-key pin in the notation of OkHttp.", as: .pin),
        DocumentField("cert_sha256", \.certificateSHA256, as: .sha256),
    ]
}
