#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads documents that pincheck wrote, by the names that their properties have in snake case.
struct DocumentReader {
    /// Why a document cannot be read: in its words where, and what is wrong there.
    struct Failure: Error {
        let place: String
        let problem: String
    }

    private let decoder: JSONDecoder

    init() {
        decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
    }

    /// The value that is written in `bytes`.
    func read<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) throws(Failure) -> Value {
        do { return try decoder.decode(type, from: Data(bytes)) } catch let error as DecodingError {
            throw Self.failure(error)
        } catch { throw Failure(place: "", problem: "is no JSON document") }
    }

    /// The object that is written in `bytes`, where it holds what its schema says and nothing else.
    func read<Object: DocumentObject & Decodable>(
        object type: Object.Type, from bytes: some Sequence<UInt8>
    ) throws(Failure) -> Object {
        let object = try read(type, from: bytes)
        if let place = object.breach(of: nil) { throw Failure(place: place, problem: Self.impossible) }
        return object
    }

    private static let impossible = "is not what it can be"

    /// The place of an error in a document, and what is wrong there.
    static func failure(_ error: DecodingError) -> Failure {
        func place(_ path: [any CodingKey]) -> String {
            path.reduce("") { text, key in
                DocumentPlace.path(text, key.intValue.map { "[\($0)]" } ?? SnakeCase.key(key.stringValue))
            }
        }
        return switch error {
        case .keyNotFound(let key, let context):
            Failure(place: place(context.codingPath + [key]), problem: "is missing")
        case .typeMismatch(_, let context):
            Failure(place: place(context.codingPath), problem: "is of another type than it has to be")
        case .valueNotFound(_, let context): Failure(place: place(context.codingPath), problem: "is null")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            Failure(place: place(context.codingPath), problem: impossible)
        default: Failure(place: "", problem: "is no JSON document")
        }
    }
}

/// The members of an object, by their names as properties have them.
struct DocumentMembers {
    /// A name of a member.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Name>

    init(_ decoder: any Decoder) throws { container = try decoder.container(keyedBy: Name.self) }

    /// The value of a member that has to be there.
    func one<Value: Decodable>(_ name: String) throws -> Value {
        try container.decode(Value.self, forKey: Name(stringValue: name))
    }

    /// The value of a member that may be null, or not be there where an earlier pincheck wrote the document.
    func any<Value: Decodable>(_ name: String) throws -> Value? {
        try container.decodeIfPresent(Value.self, forKey: Name(stringValue: name))
    }

    /// A number that has to be in a range: others count by it, or go by it to a place of a list.
    func number(_ name: String, within range: Range<Int>) throws -> Int {
        let number: Int = try one(name)
        try require(range.contains(number), name)
        return number
    }

    /// Refuses the value of a member unless it is one that the program writes.
    func require(_ isPossible: Bool, _ name: String) throws {
        guard !isPossible else { return }
        throw DecodingError.dataCorruptedError(forKey: Name(stringValue: name), in: container, debugDescription: "")
    }
}
