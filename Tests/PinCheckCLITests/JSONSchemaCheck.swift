import Foundation
import Testing

@testable import PinCheckCLI

/// Holds documents against the schemas that pincheck ships, and those against the documents: every key that is written is
/// described and required, and every key that is described is written.
///
/// The check knows the keywords that the schemas use and no others.
struct JSONSchemaCheck {
    private typealias Object = [String: Any]

    private let root: Object

    init(_ name: String) throws {
        root = try #require(JSONSerialization.jsonObject(with: Schemas.data(of: name)) as? Object)
    }

    /// Checks every document in a text that has a schema: one document, or one a line.
    static func expect(validDocumentsIn text: String, at place: SourceLocation = #_sourceLocation) {
        guard text.hasPrefix("{") else { return }
        let whole = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        let documents =
            whole.map { [$0] }
            ?? text.split(separator: "\n").compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
        for document in documents {
            guard let identifier = (document as? Object)?["schema"] as? String,
                let name = Schemas.names.first(where: { identifier == Schemas.identifiers[$0] })
            else { continue }
            expectIgnorableWarnings(in: document, at: place)
            expectMatchedPins(in: document, at: place)
            do {
                let findings = try JSONSchemaCheck(name).findings(in: document)
                guard !findings.isEmpty else { continue }
                let list = findings.prefix(20).joined(separator: "\n")
                let words = "The document is not as Sources/pincheck/schemas/\(name).json says"
                Issue.record("\(words):\n\(list)", sourceLocation: place)
            } catch { Issue.record(error, sourceLocation: place) }
        }
    }

    private static func expectMatchedPins(in document: Any, at place: SourceLocation) {
        guard let report = document as? Object else { return }
        for result in report["results"] as? [Object] ?? [report] {
            let matched = (result["pins"] as? Object)?["matched"] as? [Object] ?? []
            let names = Set(matched.flatMap { $0["clients"] as? [String] ?? [] })
            for client in result["clients"] as? [Object] ?? [] {
                guard (client["reason"] as? Object)?["id"] as? String == "pin-matched",
                    let name = client["name"] as? String
                else { continue }
                #expect(names.contains(name), "\(name) matched no pin", sourceLocation: place)
            }
        }
    }

    func findings(in document: Any) -> [String] {
        var findings: [String] = []
        _ = check(document, root, "$", &findings)
        return findings
    }

    /// Checks a value against a schema and returns the keys of the value that the schema describes.
    private func check(_ value: Any, _ schema: Object, _ path: String, _ findings: inout [String]) -> Set<String> {
        var described: Set<String> = []
        var isClosed = false
        for (keyword, rule) in schema {
            switch keyword {
            case "$schema", "$id", "$defs", "title", "description", "required": break
            case "$ref":
                let target = (rule as? String)?.split(separator: "/").last.map(String.init) ?? ""
                guard let definition = (root["$defs"] as? Object)?[target] as? Object else {
                    findings.append("\(path): \(rule) is not defined")
                    continue
                }
                described.formUnion(check(value, definition, path, &findings))
            case "allOf":
                // Each describes a part of the keys; together they describe all.
                for part in rule as? [Object] ?? [] {
                    var own: [String] = []
                    described.formUnion(check(value, part, path, &own))
                    findings += own.filter { !$0.hasSuffix(Self.undescribed) }
                }
            case "anyOf":
                var shortest: [String]?
                for choice in rule as? [Object] ?? [] {
                    var own: [String] = []
                    let keys = check(value, choice, path, &own)
                    if shortest.map({ own.count < $0.count }) ?? true { shortest = own }
                    if own.isEmpty {
                        described.formUnion(keys)
                        break
                    }
                }
                findings += shortest ?? []
            case "type":
                let types = rule as? [String] ?? [rule as? String ?? ""]
                if !types.contains(where: { Self.isOf($0, value) }) {
                    findings.append("\(path): \(value) is not a \(types.joined(separator: " or "))")
                }
            case "const": if !Self.areEqual(value, rule) { findings.append("\(path): \(value) is not \(rule)") }
            case "enum":
                if !(rule as? [Any] ?? []).contains(where: { Self.areEqual(value, $0) }) {
                    findings.append("\(path): \(value) is none of \(rule)")
                }
            case "minimum", "maximum":
                guard Self.isOf("number", value), let number = value as? Double, let limit = rule as? Double else {
                    break
                }
                if keyword == "minimum" ? number < limit : number > limit {
                    findings.append("\(path): \(number) is beyond the \(keyword) \(limit)")
                }
            case "pattern":
                if let text = value as? String, let pattern = rule as? String,
                    text.range(of: pattern, options: .regularExpression) == nil
                {
                    findings.append("\(path): '\(text)' does not match \(pattern)")
                }
            case "items":
                for (index, element) in (value as? [Any] ?? []).enumerated() {
                    _ = check(element, rule as? Object ?? [:], "\(path)[\(index)]", &findings)
                }
            case "properties":
                isClosed = true
                let properties = rule as? Object ?? [:]
                let required = Set(schema["required"] as? [String] ?? [])
                if required != Set(properties.keys) {
                    findings.append("\(path): the schema's properties and required differ")
                }
                guard let object = value as? Object else { break }
                for (key, property) in properties {
                    guard let member = object[key] else {
                        findings.append("\(path).\(key): is required and not there")
                        continue
                    }
                    _ = check(member, property as? Object ?? [:], "\(path).\(key)", &findings)
                }
                described.formUnion(properties.keys)
            case "additionalProperties":
                for (key, member) in value as? Object ?? [:] {
                    _ = check(member, rule as? Object ?? [:], "\(path).\(key)", &findings)
                    described.insert(key)
                }
            default: findings.append("\(path): this check does not know the keyword \(keyword)")
            }
        }
        if isClosed, let object = value as? Object {
            findings += object.keys.filter { !described.contains($0) }.map { "\(path).\($0)" + Self.undescribed }
        }
        return described
    }

    private static let undescribed = ": the schema does not describe it"

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        let isFlag = (value as? NSNumber).map { CFBooleanCheck.isFlag($0) } ?? false
        return switch type {
        case "null": value is NSNull
        case "boolean": isFlag
        case "string": value is String
        case "array": value is [Any]
        case "object": value is Object
        case "number": !isFlag && value is NSNumber
        case "integer": !isFlag && (value as? Double).map { $0 == $0.rounded() } ?? false
        default: false
        }
    }

    private static func areEqual(_ left: Any, _ right: Any) -> Bool {
        switch (left, right) {
        case (let left as String, let right as String): left == right
        case (let left as NSNumber, let right as NSNumber):
            CFBooleanCheck.isFlag(left) == CFBooleanCheck.isFlag(right) && left == right
        case (is NSNull, is NSNull): true
        default: false
        }
    }
}

/// Tells true and false from 1 and 0, which Foundation keeps in one type.
private enum CFBooleanCheck {
    static func isFlag(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
