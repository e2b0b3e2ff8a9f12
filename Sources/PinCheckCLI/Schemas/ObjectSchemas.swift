import PinChecking

extension SchemaDocument {
    /// All of them, in the order of the help.
    static var all: [SchemaDocument] { [.report, .pins, .lint, .snapshot, .devices, .policy] }

    /// The schema of `--format json` and of each line of `--format jsonl`.
    static let report = SchemaDocument(
        name: "report", identifier: Report.schema,
        meaning: "What pincheck found of one endpoint or chain, or of several."
    ) { definitions in
        ["anyOf": [Report.schema(as: nil, in: &definitions), Report.List.schema(as: nil, in: &definitions)]]
    }

    /// The schema of `pins --format json`.
    static let pins = SchemaDocument(
        name: "pins", identifier: PinsReport.schema,
        meaning: "The keys of servers and files. Readers ignore keys they do not know."
    ) { PinsReport.schemaOfObject(in: &$0) }

    /// The schema of `lint --format json`.
    static let lint = SchemaDocument(
        name: "lint", identifier: LintReport.schema,
        meaning: "What is to be said against pins and configurations. Readers ignore keys they do not know."
    ) { LintReport.schemaOfObject(in: &$0) }

    /// The schema of the files that `snapshot` writes and `diff` reads.
    ///
    /// Files that lack a key that may be null are read as if it were null.
    static let snapshot = SchemaDocument(
        name: "snapshot", identifier: SnapshotFile.schema,
        meaning: "What servers served: nothing secret, and nothing that changes while they do not."
    ) { Snapshot.schemaOfObject(in: &$0) }

    /// The schema of `devices --format json`.
    static let devices = SchemaDocument(
        name: "devices", identifier: DevicesReport.schema,
        meaning: "Devices and their roots. Readers ignore keys they do not know."
    ) { DevicesReport.schemaOfObject(in: &$0) }

    static let policy = SchemaDocument(
        name: "policy", identifier: nil, text: { () throws(CommandError) in try PolicySchema.document() })
}
