import Base
import PinChecking

extension OptionGroup {
    static let targets = OptionGroup("Targets") {
        list
        policy
    }

    static let list = Option(
        "--targets", of: "file", .file, help: "A list of targets, one on each line.",
        """
        TARGET [connect=ADDR] [sni=NAME] [no-sni] [proxy=URL] [no-proxy] [host=NAME] [verify-name=NAME] \
        [pins=SOURCE] [client=NAME] [device=NAME] [request=PATH] [expect-status=STATUS]. '#' begins a comment. '-' is \
        standard input. Repeatable.
        """, isRepeatable: true
    ) { $0.lists.append($1.text) }

    static let policy = Option(
        "--policy", of: "file", .file, help: "The hosts of a policy (JSON5), each with its pins.",
        """
        All of its hosts, or those that are named as targets or in --targets. '-' is standard input, except for 'serve'. \
        Repeatable.
        """, isRepeatable: true
    ) { $0.policies.append($1.text) }

    static let targetsAndOutput = OptionGroup("Targets and output") {
        list
        policy
        output("Write to this file (default: standard output).", "It is written whole or not at all.")
    }

    static let plan = OptionGroup("Changes and the next certificate") {
        Option("--baseline", of: "file", .file, help: "Compare with this snapshot.", "A file of 'pincheck snapshot'.") {
            $0.baseline = $1.text
        }
        Option(
            "--next", of: "file", .file, help: "Would the pins accept what is about to be deployed?",
            "A chain, a certificate, a request or a public key. It needs no target. Repeatable.", isRepeatable: true
        ) { $0.next.append($1.text) }
        changes.options
    }

    static let changes = OptionGroup("Changes") {
        Option(
            "--allow", of: "changes", .list(changeNames), help: "Accept these changes, as in 'renewed,names-added'.",
            "Any other change ends with exit status 4. 'pincheck help diff' lists them. Repeatable.", isRepeatable: true
        ) {
            let all = Change.Kind.allCases
            let words = try [$1.text].words.map { try String($0.drop { $0 == " " }).known(among: all.map(\.id)) }
            $0.allowed.formUnion(all.filter { words.contains($0.id) })
        }
        Option(
            "--update", help: "Rewrite the baseline if all changes are allowed.",
            "What a target serves at an address that is given, as by --connect, is recorded beside what is recorded of its name."
        ) { $0.updatesBaseline = $1.isOn }
    }

    static let policyAndChanges = OptionGroup(changes.title) {
        policy
        changes.options
    }

    private static let changeNames: Option.Values.Words = { Change.Kind.allCases.map { ($0.id, $0.summary) } }

    static let watching = OptionGroup("Watching") {
        Option(
            "--verbose", help: "Say on standard error what is being done.",
            "Every lookup, connection, handshake and retry, as they come."
        ) { $0.isVerbose = $1.isOn }
        Option(
            "--state", of: "file", .written, help: "Remember results here, and tell only changed ones.",
            """
            On standard output, as text or brief: what is new, has changed or ends soon, and once a day what does not pass. Files \
            hold everything. The file is made if it is missing, and the exit status stays what it is.
            """
        ) { $0.state = $1.text }
    }

    static let explain = Option("--explain", help: "Show every step of the decision, and pins in full.") {
        $0.explains = $1.isOn
    }
}

struct FormOutput<Form: RawRepresentable<String> & CaseIterable & Sendable> {
    let form: Form
    let file: String?

    static func read(
        _ texts: [String], fileOfFirst file: String? = nil, standardOutput: FileIdentity? = nil
    ) throws(Problem) -> [FormOutput] {
        var fileOfFirst = file
        var outputs: [FormOutput] = []
        for text in texts.isEmpty ? ["text"] : texts {
            let parts = text.parts(at: "=", atMost: 2)
            guard let form = Form(rawValue: String(parts[0])) else {
                throw Problem.unknown(parts[0], among: Form.allCases.map(\.rawValue)).said(of: "--format")
            }
            var file = parts.count == 2 ? String(parts[1]) : fileOfFirst
            if parts.count == 1 { fileOfFirst = nil }
            guard file?.isEmpty != true else {
                throw .usage("--format: \(quoted(text)) names no file after the '=': write \(form.rawValue)=FILE")
            }
            if let path = file, isStandardOutput(path, standardOutput) { file = nil }
            if let other = outputs.first(where: { isSame($0.file, file) }) {
                throw .usage(
                    "--format \(other.form.rawValue) and --format \(form.rawValue) both go to "
                        + "\(file.map { quoted($0) } ?? "standard output"): write one of them as \(form.rawValue)=FILE")
            }
            outputs.append(FormOutput(form: form, file: file))
        }
        if let fileOfFirst {
            throw .usage("--output: \(quoted(fileOfFirst)) is for no form: every --format names its own file")
        }
        return outputs
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other, one != other else { return one == other }
        return FileIdentity(of: one).map { $0 == FileIdentity(of: other) } ?? false
    }

    /// `true` if a path is another name of standard output, which is not replaced.
    private static func isStandardOutput(_ path: String, _ identity: FileIdentity?) -> Bool {
        if path == "-" || AtomicFile.isStandardOutput(path) { return true }
        return identity != nil && FileIdentity(of: path) == identity
    }
}
