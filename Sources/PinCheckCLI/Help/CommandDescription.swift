import ArgumentParser
import Base
import PinFormats

/// A command as the parser describes it: what completions, manual and short help are made from.
struct CommandDescription: Sendable {
    let name: String
    let abstract: String
    /// Examples and notes, in lines as they are printed.
    let discussion: String
    let arguments: [ArgumentDescription]
    let subcommands: [CommandDescription]

    static func program() throws(CommandError) -> CommandDescription { try described.get() }

    /// Made once: the parser looks at every option of every command.
    private static let described = Result { () throws(CommandError) in
        do {
            let tree = try JSONReader.root(of: PinFile(path: "JSON", bytes: Array(RootCommand._dumpHelp().utf8)))
            guard let command = tree["command"] else { throw CommandError.software("the parser describes no command") }
            return CommandDescription(command)
        } catch let error as CommandError { throw error } catch {
            throw .software("the parser's description cannot be read: \(error)")
        }
    }

    private init(_ tree: DocumentNode) {
        name = tree["commandName"]?.string ?? ""
        abstract = tree["abstract"]?.string ?? ""
        discussion = tree["discussion"]?.string ?? ""
        arguments = (tree["arguments"]?.elements ?? []).filter { $0["shouldDisplay"]?.isTrue ?? true }.map(
            ArgumentDescription.init)
        subcommands = (tree["subcommands"]?.elements ?? []).map { CommandDescription($0) }
    }

    /// What stands alone, in its order.
    var positionals: [ArgumentDescription] { arguments.filter { $0.kind == .positional } }

    var options: [ArgumentDescription] { arguments.filter { $0.kind != .positional } }

    func subcommand(_ name: String) -> CommandDescription? { subcommands.first { $0.name == name } }

    func option(_ name: String) -> ArgumentDescription? { options.first { $0.names.contains(name) } }
}

/// An option, a flag or an argument that stands alone.
struct ArgumentDescription: Sendable {
    enum Kind { case positional, option, flag }

    let kind: Kind
    /// With their dashes, in the order of the help; none for what stands alone.
    let names: [String]
    let valueName: String
    /// The group in the help, empty for none.
    let section: String
    let isOptional: Bool
    let isRepeating: Bool
    let abstract: String
    /// What else there is to know, perhaps empty.
    let detail: String
    let files: FileChoice?

    /// Which files can stand there.
    enum FileChoice: Hashable, Sendable {
        /// Files, whatever their endings.
        case files
        case directories
    }

    fileprivate init(_ tree: DocumentNode) {
        kind =
            switch tree["kind"]?.string {
            case "positional": .positional
            case "option": .option
            default: .flag
            }
        let all = (tree["names"]?.elements ?? []).map { name in
            (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
        }
        names = all.filter { !$0.hasPrefix("--") } + all.filter { $0.hasPrefix("--") }
        valueName = tree["valueName"]?.string ?? ""
        section = tree["sectionTitle"]?.string ?? ""
        isOptional = tree["isOptional"]?.isTrue ?? true
        isRepeating = tree["isRepeating"]?.isTrue ?? false
        abstract = tree["abstract"]?.string ?? ""
        detail = tree["discussion"]?.string ?? ""
        let completion = tree["completionKind"]
        files =
            if completion?["file"] != nil { .files } else if completion?["directory"] != nil { .directories } else {
                nil
            }
    }

    /// Its long name, or what it has; empty for what stands alone.
    var longName: String { names.first { $0.hasPrefix("--") } ?? names.first ?? "" }

    var takesTarget: Bool { kind == .positional && valueName.split(separator: "|").contains("target") }
}
