import Base
import PinChecking
import PinFormats

/// The files of one run, by what they are for: so that nothing is written over something else the run reads or writes.
struct FileRoles {
    /// A file, the files in a directory, or a text that names none; `-` is standard input.
    struct Use: Sendable {
        let role: String
        let path: String
        let isWritten: Bool
    }

    private var uses: [Use] = []
    private let standardOutput: FileIdentity?
    private let standardInput: FileIdentity?

    /// The files of a run in `context`; standard output is one of them where it goes to a file and `isUsed`.
    ///
    /// What OpenSSL or pincheck reads because the environment names it is among what is read.
    init(in context: Context, writesStandardOutput isUsed: Bool = true) {
        standardOutput = isUsed && context.console.output.isFile ? context.console.output.identity : nil
        standardInput = context.standardInput
        for name in ["SSL_CERT_FILE", "OPENSSL_CONF"] { reads(context.environment[name], as: name) }
        let directories = context.environment["SSL_CERT_DIR"] ?? ""
        reads(directories.split(separator: ":").map(String.init), as: "SSL_CERT_DIR")
    }

    /// What is read, `nil` for nothing.
    mutating func reads(_ path: String?, as role: String) {
        if let path { uses.append(Use(role: role, path: path, isWritten: false)) }
    }

    mutating func reads(_ paths: [String], as role: String) { for path in paths { reads(path, as: role) } }

    /// A file that is written, `-` and `nil` for none.
    mutating func writes(_ path: String?, as role: String) {
        if let path, path != "-" { uses.append(Use(role: role, path: path, isWritten: true)) }
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
        guard standardOutput != nil || uses.contains(where: \.isWritten) else { return }
        var written: [FileIdentity: Use] = [:]
        var directories: [FileIdentity: Use] = [:]
        if let standardOutput { written[standardOutput] = Use(role: "standard output", path: "", isWritten: true) }
        for use in uses where use.isWritten {
            guard let identity = FileIdentity(ofFile: use.path) else { continue }
            if let other = written.updateValue(use, forKey: identity) { throw Self.clash(other, use) }
            if let directory = FileIdentity(ofDirectoryOf: use.path) { directories[directory] = use }
        }
        var seen: Set<String> = []
        for use in uses where !use.isWritten && seen.insert(use.path).inserted {
            if let other = identity(ofRead: use).flatMap({ written[$0] }) { throw Self.clash(use, other) }
            guard let directory = FileIdentity(ofDirectory: use.path) else { continue }
            // A file that is made there now would be read by the next run.
            if let other = directories[directory] { throw Self.clash(in: use, other) }
            for file in FileIdentity.files(inDirectory: use.path) {
                if let other = written[file] { throw Self.clash(in: use, other) }
            }
        }
    }

    private func identity(ofRead use: Use) -> FileIdentity? {
        use.path == "-" ? standardInput : FileIdentity(ofFile: use.path)
    }

    private static func clash(_ one: Use, _ other: Use) -> CommandError {
        let path = one.path.isEmpty || one.path == "-" ? other.path : one.path
        let role = one.path == "-" ? "standard input (\(one.role))" : one.role
        return .usage(
            "\(path.isEmpty ? "one file" : quoted(path)) is the file of \(role) and of \(other.role): "
                + "what is written would destroy what is there, so name two files")
    }

    private static func clash(in directory: Use, _ other: Use) -> CommandError {
        .usage(
            "\(other.role)\(other.path.isEmpty ? "" : " " + quoted(other.path)) is a file in the directory "
                + "\(quoted(directory.path)) of \(directory.role), whose files are all read: write it somewhere else")
    }
}

// MARK: What a run names

extension FileRoles {
    /// What the options name; the baseline is written where it is updated.
    mutating func add(_ settings: Settings) {
        for use in settings.files where !use.isWritten || use.path != "-" {
            let isUpdated = use.role == "--baseline" && settings.updatesBaseline
            uses.append(Use(role: use.role, path: use.path, isWritten: use.isWritten || isUpdated))
        }
    }

    mutating func add<Form>(_ outputs: [FormOutput<Form>]) {
        for output in outputs { writes(output.file, as: "the output (\(output.form.rawValue))") }
    }

    /// What the lines of lists and the hosts of policies name.
    mutating func add(_ targets: [CheckTarget]) { for judging in Set(targets.map(\.request.judging)) { add(judging) } }

    mutating func add(_ judging: CheckRequest.Judging) {
        for source in judging.pins { reads(source.text, as: "--pins") }
        reads(judging.trust.anchors, as: "--anchors")
        reads(judging.extraRoots, as: "--extra-root")
        reads(judging.intermediates, as: "--intermediate")
        reads(judging.deviceData, as: "--device-data")
    }
}
