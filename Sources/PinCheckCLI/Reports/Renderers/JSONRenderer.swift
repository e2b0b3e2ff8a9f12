#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes reports as one JSON document.
enum JSONRenderer {
    private struct Several: Encodable {
        let schema = Report.schema
        let results: [Report]
        let exit: Report.Exit
    }

    /// The document, with a newline at its end: the report itself when there is one, a list of them otherwise.
    static func document(_ reports: [Report], exit: ExitStatus) throws(CommandError) -> String {
        if let report = reports.first, reports.count == 1 { return try document(report) }
        return try document(Several(results: reports, exit: Report.Exit(exit)))
    }

    /// A value as a document, with a newline at its end.
    static func document(_ value: some Encodable) throws(CommandError) -> String {
        try text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// A value as a document whose keys are as they are called in the program, with a newline at its end.
    static func camelCaseDocument(_ value: some Encodable) throws(CommandError) -> String {
        try text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes], .useDefaultKeys)
    }

    /// A value on one line, with a newline at its end.
    static func line(_ value: some Encodable) throws(CommandError) -> String {
        try text(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(
        _ value: some Encodable,
        _ formatting: JSONEncoder.OutputFormatting,
        _ keys: JSONEncoder.KeyEncodingStrategy = .convertToSnakeCase
    ) throws(CommandError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        encoder.keyEncodingStrategy = keys
        do {
            return escaped(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
        } catch {
            throw .software("the report cannot be written as JSON: \(error)")
        }
    }

    /// JSON in which no character can fool a terminal: those the encoder leaves as they are become `\u202E`.
    ///
    /// They occur in strings only, the line breaks between values apart, so the document keeps its meaning.
    static func escaped(_ json: String) -> String {
        if json.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) { return json }
        var result = ""
        for scalar in json.unicodeScalars {
            if scalar == "\n" || !TerminalText.isDangerous(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }
}
