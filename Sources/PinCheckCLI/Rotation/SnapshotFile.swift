import Base
import PinChecking
import Pinning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes snapshots as JSON: sorted, one value a line, ready for review.
enum SnapshotFile {
    /// The name of the form, without its version.
    static let schemaName = "pincheck-snapshot"
    static let version = 1
    static var schema: String { "\(schemaName)/\(version)" }

    static func document(_ snapshot: Snapshot) throws(CommandError) -> String {
        try JSONRenderer.document(Document(snapshot))
    }

    static func schemaOfDocument(in definitions: inout SchemaDefinitions) -> JSONNode {
        Document.schemaOfObject(in: &definitions)
    }

    /// Reads the snapshot in the file at `path`, or on standard input for `-`.
    ///
    /// - Throws: ``CommandError`` for a file that is missing, is no snapshot, or is of a newer form.
    static func read(_ path: String, in context: Context) throws(CommandError) -> Snapshot {
        let isInput = path == "-"
        let bytes = isInput ? try context.readStandardInput() : try CommandError.contents(ofFile: path)
        return try snapshot(in: bytes, name: isInput ? "standard input" : quoted(path))
    }

    /// The snapshot that `bytes` hold; `name` stands for the file in messages.
    static func snapshot(in bytes: [UInt8], name: String) throws(CommandError) -> Snapshot {
        let decoder = JSONDecoder()
        let data = Data(bytes)
        do {
            try checkSchema(decoder.decode(Head.self, from: data).schema, name: name)
            let document = try decoder.decode(Document.self, from: data)
            var endpoints: [Snapshot.Endpoint] = []
            for (index, entry) in document.endpoints.enumerated() {
                endpoints.append(try entry.endpoint(at: "endpoints[\(index)]"))
            }
            return Snapshot(endpoints)
        } catch let error as CommandError { throw error } catch let error as SnapshotValueError {
            throw .data("\(name) is not a snapshot: \(error.place): \(error.reason)")
        } catch let error as DecodingError { throw .data("\(name) is not a snapshot: \(Self.reason(of: error))") } catch
        { throw .data("\(name) is not a snapshot: it is not a JSON document; write one with 'pincheck snapshot'") }
    }

    private static func checkSchema(_ text: String, name: String) throws(CommandError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == schemaName, let number = Int(parts[1]), number >= 1 else {
            throw .data("\(name) has the schema \(quoted(text)), not \(schema): give a file of 'pincheck snapshot'")
        }
        guard number <= version else {
            throw .data(
                "\(name) was written by a newer pincheck: its schema is \(schemaName)/\(number) and this version reads "
                    + "up to \(schema); update pincheck, or take the snapshot again")
        }
    }

    private static func reason(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context) where !context.codingPath.isEmpty:
            "\(place(context.codingPath)) is of another type than it has to be"
        case .valueNotFound(_, let context) where !context.codingPath.isEmpty: "\(place(context.codingPath)) is null"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(place(context.codingPath)) is not what it can be"
        default: "it is not a JSON document; write one with 'pincheck snapshot'"
        }
    }

    /// Where something stands in a document: `endpoints[0].chain`.
    private static func place(_ path: [any CodingKey]) -> String {
        path.reduce("") { text, key in
            key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? "" : text + ".") + SnakeCase.key(key.stringValue)
        }
    }
}

/// A value of a snapshot that cannot be right.
private struct SnapshotValueError: Error {
    let place: String
    let reason: String
}

extension SnapshotFile {
    /// The only part that documents of every version have.
    private struct Head: Decodable { let schema: String }

    private struct Document: DocumentObject, Decodable {
        let schema: String
        let endpoints: [Entry]

        init(_ snapshot: Snapshot) {
            schema = SnapshotFile.schema
            endpoints = snapshot.endpoints.map(Entry.init)
        }

        static let fields: DocumentFields<Document> = [
            DocumentField("schema", \.schema, as: .constant(SnapshotFile.schema)),
            DocumentField("endpoints", \.endpoints, "Sorted by target, address and names."),
        ]
    }

    private struct Entry: DocumentObject, Decodable {
        let target: String
        @Nullable var connect: String?
        @Nullable var sni: String?
        @Nullable var verifyName: String?
        @Nullable var variant: String?
        let chain: [Certificate]

        enum CodingKeys: String, CodingKey {
            case target, connect, sni, variant, chain
            case verifyName = "verify_name"
        }

        static let definition: String? = "endpoint"
        static let fields: DocumentFields<Entry> = [
            DocumentField(CodingKeys.target.rawValue, \.target, "The target with its port."),
            DocumentField(
                CodingKeys.connect.rawValue, \.connect,
                "The address and port that were given to connect to; null when the target was looked up."),
            DocumentField(CodingKeys.sni.rawValue, \.sni, "The server name that was sent."),
            DocumentField(
                CodingKeys.verifyName.rawValue, \.verifyName, "The name the certificate has to be valid for."),
            DocumentField(
                CodingKeys.variant.rawValue, \.variant,
                "The part of the offer that was changed, as in RSA or no SNI; null for ordinary clients."),
            DocumentField(
                CodingKeys.chain.rawValue, \.chain, "The certificates the server sent, in wire order, at least one."),
        ]

        init(_ endpoint: Snapshot.Endpoint) {
            target = endpoint.key.target
            chain = endpoint.chain.map(Certificate.init)
            connect = endpoint.key.connect
            sni = endpoint.key.sni
            verifyName = endpoint.key.verifyName
            variant = endpoint.key.variant
        }

        func endpoint(at place: String) throws -> Snapshot.Endpoint {
            guard let parsed = try? Target(target), parsed.port != nil else {
                throw SnapshotValueError(
                    place: place + ".target", reason: "\(quoted(target)) is not a host with a port")
            }
            if let connect, (try? ConnectAddress.readAny(connect).count) != 1 {
                throw SnapshotValueError(place: place + ".connect", reason: "\(quoted(connect)) is not an address")
            }
            if let sni, (try? ServerNameChoice.named(sni)) == nil {
                throw SnapshotValueError(place: place + ".sni", reason: "\(quoted(sni)) is not a host name")
            }
            var certificates: [Snapshot.Certificate] = []
            for (index, certificate) in chain.enumerated() {
                certificates.append(try certificate.certificate(at: "\(place).chain[\(index)]"))
            }
            if let variant, Variant(label: variant) == nil {
                throw SnapshotValueError(
                    place: place + ".variant", reason: "\(quoted(variant)) is not a way to connect")
            }
            let key = Snapshot.Key(target: target, connect: connect, sni: sni, verifyName: verifyName, variant: variant)
            guard let endpoint = Snapshot.Endpoint(key, chain: certificates) else {
                throw SnapshotValueError(place: place + ".chain", reason: "it holds no certificate")
            }
            return endpoint
        }
    }

    private struct Certificate: DocumentObject, Decodable {
        let subject: String
        let issuer: String
        @Nullable var issuerKeyID: String?
        let names: [String]
        let notBefore: String
        let notAfter: String
        let key: String
        let spkiSHA256: String
        let certificateSHA256: String

        enum CodingKeys: String, CodingKey {
            case subject, issuer, names, key
            case issuerKeyID = "issuer_key_id"
            case notBefore = "not_before"
            case notAfter = "not_after"
            case spkiSHA256 = "spki_sha256"
            case certificateSHA256 = "cert_sha256"
        }

        static let definition: String? = "certificate"
        static let fields: DocumentFields<Certificate> = [
            DocumentField(CodingKeys.subject.rawValue, \.subject, "In the order of RFC 2253."),
            DocumentField(CodingKeys.issuer.rawValue, \.issuer),
            DocumentField(
                CodingKeys.issuerKeyID.rawValue, \.issuerKeyID, "The authority key identifier in hexadecimal digits."),
            DocumentField(CodingKeys.names.rawValue, \.names, "The subject alternative names, sorted."),
            DocumentField(CodingKeys.notBefore.rawValue, \.notBefore, as: .time),
            DocumentField(CodingKeys.notAfter.rawValue, \.notAfter, as: .time),
            DocumentField(CodingKeys.key.rawValue, \.key, "The algorithm and its size, as in EC P-256."),
            DocumentField(
                CodingKeys.spkiSHA256.rawValue, \.spkiSHA256, "The public-key pin in the notation of OkHttp.", as: .pin),
            DocumentField(CodingKeys.certificateSHA256.rawValue, \.certificateSHA256, as: .sha256),
        ]

        init(_ certificate: Snapshot.Certificate) {
            subject = certificate.subject
            issuer = certificate.issuer
            names = certificate.names
            notBefore = certificate.notBefore.description
            notAfter = certificate.notAfter.description
            key = certificate.key
            spkiSHA256 = certificate.spkiSHA256
            certificateSHA256 = certificate.certificateSHA256
            issuerKeyID = certificate.issuerKeyID
        }

        func certificate(at place: String) throws -> Snapshot.Certificate {
            func time(_ text: String, _ key: String) throws -> Timestamp {
                guard let time = try? TimeText.read(text) else {
                    throw SnapshotValueError(place: "\(place).\(key)", reason: "\(quoted(text)) is not a time")
                }
                return time
            }
            guard spkiSHA256.hasPrefix("sha256/"), Data(base64Encoded: String(spkiSHA256.dropFirst(7)))?.count == 32
            else {
                throw SnapshotValueError(place: place + ".spki_sha256", reason: "\(quoted(spkiSHA256)) is not a pin")
            }
            guard certificateSHA256.utf8.count == 64, certificateSHA256.allSatisfy(\.isHexDigit) else {
                throw SnapshotValueError(
                    place: place + ".cert_sha256",
                    reason: "\(quoted(certificateSHA256)) is not a SHA-256 in hexadecimal digits")
            }
            return Snapshot.Certificate(
                subject: subject, issuer: issuer, issuerKeyID: issuerKeyID, names: names,
                notBefore: try time(notBefore, "not_before"), notAfter: try time(notAfter, "not_after"), key: key,
                spkiSHA256: spkiSHA256, certificateSHA256: certificateSHA256)
        }
    }
}

/// An optional that is read from `null` or from a key that is not there.
@propertyWrapper private struct Nullable<Value: Decodable & Sendable>: Decodable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}

extension KeyedDecodingContainer {
    fileprivate func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        try decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
    }
}
