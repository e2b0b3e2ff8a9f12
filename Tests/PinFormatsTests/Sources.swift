import LoopbackLab
import PinFormats
import Pinning
import Testing

let leaf = try! StandardPKI.shared().leaf
let root = try! StandardPKI.shared().rootA

/// Hashes whose text is known: bytes counting up from a start.
func digest(from start: UInt8) -> SHA256Digest { SHA256Digest(bytes: (0..<32).map { start &+ $0 })! }

/// `AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=`
let first = digest(from: 0)
/// `ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=`
let second = digest(from: 32)
/// `/P3+/wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs=`
let slashed = digest(from: 0xFC)

/// What reading a source came to, without having to catch.
func outcome(_ text: String) -> Result<PinReading, PinFormatError> {
    Result { () throws(PinFormatError) in try PinSource(text).read() }
}

func hashes(_ text: String) throws -> [SHA256Digest] { try PinSource(text).read().pins.map(\.spkiSHA256) }

func failure(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PinFormatError {
    switch outcome(text) {
    case .failure(let error): return error
    case .success(let reading):
        Issue.record("\(reading.pins.count) pins were read", sourceLocation: sourceLocation)
        throw UnexpectedSuccess()
    }
}

struct UnexpectedSuccess: Error {}

/// Writes a file into a new directory and reads it as a source.
func failure(ofFile name: String, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws
    -> PinFormatError
{
    try TemporaryDirectory.scoped { directory in
        try failure(directory.write(bytes, to: name), sourceLocation: sourceLocation)
    }
}

func failure(ofFile name: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> PinFormatError
{ try failure(ofFile: name, Array(text.utf8), sourceLocation: sourceLocation) }

func reading(ofFile name: String, _ bytes: [UInt8]) throws -> PinReading {
    try TemporaryDirectory.scoped { try PinSource($0.write(bytes, to: name)).read() }
}

func reading(ofFile name: String, _ text: String) throws -> PinReading { try reading(ofFile: name, Array(text.utf8)) }
