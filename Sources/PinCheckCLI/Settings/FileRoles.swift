import Base

/// The files that a command line names, by what they are for: nothing is written over something else that is read or written.
///
/// What lists, policies and configurations name besides is in the ``ReadLog`` by the time that something is written.
struct FileRoles {
    /// A file, the files in a directory, or a text that names none; `-` is standard input.
    struct Use: Sendable {
        let role: String
        let path: String
        var isWritten = false

        var isResult: Bool { ["--output", "--format"].contains(role) }
    }

    private var uses: [Use]
    private let standardInput: FileIdentity?
    private let standardOutput: FileIdentity?

    init(of command: Command, _ settings: Settings, in context: Context) {
        standardInput = context.standardInput
        let forms = settings.formats.isEmpty ? 1 : settings.formats.count { !$0.contains("=") }
        let files = settings.outputs.count { $0 != "-" } + (settings.namesFileAsURL ? 1 : 0)
        let isUsed = forms > files && (!settings.isQuiet || command.name == "fetch") && context.console.output.isFile
        standardOutput = isUsed ? context.console.output.identity : nil
        // What OpenSSL or pincheck reads because the environment names it.
        uses = ["SSL_CERT_FILE", "OPENSSL_CONF"].compactMap { name in
            context.environment[name].map { Use(role: name, path: $0) }
        }
        uses += (context.environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map {
            Use(role: "SSL_CERT_DIR", path: "\($0)")
        }
        for (index, path) in settings.arguments.enumerated() {
            let last = command.arguments.count - 1
            guard last >= 0, case let argument = command.arguments[min(index, last)], case .file? = argument.values
            else { continue }
            uses.append(Use(role: "<\(argument.name)>", path: path))
        }
        uses += settings.files
        guard settings.updatesBaseline else { return }
        for index in uses.indices where ["--baseline", "<file>"].contains(uses[index].role) {
            uses[index].isWritten = true
        }
    }

    /// Throws a usage error when a file that is written has another role too, however the two are named.
    ///
    /// What is read in two roles is fine: a certificate may be an anchor and a pin.
    func refuseClashes() throws(CommandError) {
        let inputs = uses.filter { !$0.isWritten && $0.path == "-" }.map(\.role)
        guard inputs.count < 2 else {
            throw .usage(
                "standard input is asked for twice, by \(inputs[0]) and by \(inputs[1]): name a file for one of them")
        }
        var written: [FileIdentity: Use] = [:]
        var directories: [FileIdentity: Use] = [:]
        if let standardOutput { written[standardOutput] = Use(role: "standard output", path: "", isWritten: true) }
        for use in uses where use.isWritten && use.path != "-" {
            guard let identity = FileIdentity(ofFile: use.path) else { continue }
            let other = written.updateValue(use, forKey: identity)
            // Of two forms in one file the outputs themselves say it; one can be another name of standard output.
            if let other, !(use.isResult && (other.isResult || other.path.isEmpty)) {
                throw Self.clash(other.role, use, at: use.path)
            }
            if let directory = FileIdentity(ofDirectoryOf: use.path) { directories[directory] = use }
        }
        guard !written.isEmpty else { return }
        for use in uses where !use.isWritten {
            if use.path == "-" {
                guard let other = standardInput.flatMap({ written[$0] }) else { continue }
                throw Self.clash("standard input (\(use.role))", other, at: other.path)
            }
            if let other = FileIdentity(ofFile: use.path).flatMap({ written[$0] }) {
                throw Self.clash(use.role, other, at: use.path)
            }
            // A file that is made there now would be read by the next run.
            guard let directory = FileIdentity(ofDirectory: use.path),
                let other = directories[directory]
                    ?? FileIdentity.files(inDirectory: use.path).lazy.compactMap({ written[$0] }).first
            else { continue }
            throw .usage(
                "\(other.role)\(other.path.isEmpty ? "" : " " + quoted(other.path)) is a file in the directory \(quoted(use.path)) of \(use.role), whose "
                    + "files are all read: write it somewhere else")
        }
    }

    private static func clash(_ role: String, _ other: Use, at path: String) -> CommandError {
        .usage(
            "\(path.isEmpty ? "one file" : quoted(path)) is the file of \(role) and of \(other.role): what is written would destroy what is there, so "
                + "name two files")
    }
}
