import Pinning
import Testing

@testable import PinFormats

/// What a source with pinners came to.
///
/// In its text OWN and OTHER are pins, PINNER is a builder of pinners and HERE is `v.example.com` in quotation marks.
struct PinnerSource {
    /// Each host of the file with its pins.
    let pins: [String: [SHA256Digest]]
    /// The line of each note, and what it says.
    let notes: [String]

    init(_ text: String, in name: String = "A.kt") throws {
        let reading = try reading(ofFile: name, Self.filled(text))
        var pins: [String: [SHA256Digest]] = [:]
        for entry in reading.configurations.flatMap(\.entries) {
            pins[entry.hosts?.name ?? "", default: []] += entry.pins.map(\.spkiSHA256)
        }
        self.pins = pins
        notes = reading.notes.map { note in
            let line = note.place?.description.split(separator: ":").last ?? ""
            return "\(line): \(note.text)"
        }
    }

    /// The note of a host that has other pins in a later line than in an earlier one.
    static func apart(_ line: Int, from other: Int, _ hosts: String = "v.example.com") -> String {
        "\(line): line \(other) has other pins for \(hosts): they are put together here, though nothing says that one pinner has both"
    }

    static func filled(_ text: String) -> String {
        text.replacing("OWN", with: "sha256/\(first.base64)").replacing("OTHER", with: "sha256/\(second.base64)")
            .replacing("PINNER", with: "CertificatePinner.Builder()").replacing("HERE", with: "\"v.example.com\"")
    }

    static func failure(_ text: String, in name: String = "A.kt") throws -> PinFormatError {
        try PinFormatsTests.failure(ofFile: name, filled(text))
    }

    /// The line of what is wrong, and what it is.
    static func mistake(_ text: String, in name: String = "A.kt") throws -> String {
        let error = try failure(text, in: name)
        return "\(error.place.description.split(separator: ":").last ?? ""): \(error.reason)"
    }
}
