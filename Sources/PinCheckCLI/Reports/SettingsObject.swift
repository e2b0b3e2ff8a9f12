import PinChecking

/// Settings written as one object, each under its name.
struct SettingsObject: DocumentValue {
    let settings: [ShownSetting]

    func write(to output: inout JSONOutput) throws(JSONOutput.NoNumber) {
        output.beginObject()
        for (key, value) in settings.map({ (SnakeCase.key($0.name), $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            output.beginMember(key)
            switch value {
            case .flag(let value): output.write(value)
            case .text(let value): output.write(value)
            }
        }
        output.endObject()
    }

    static func schema(as form: ValueForm?, in definitions: inout SchemaDefinitions) -> JSONNode {
        ["type": "object", "additionalProperties": ["type": ["boolean", "string"]]]
    }
}
