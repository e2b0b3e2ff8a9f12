import Base
import Pinning

struct Command: Sendable {
    struct Argument: Sendable {
        let name: String
        let help: String
        var detail = ""
        var isRequired = false
        var isRepeatable = false
        var values: Option.Values?
    }

    let name: String
    let abstract: String
    let usage: String
    let discussion: String
    var arguments: [Argument] = []
    /// The options that the command's help explains; only the command that runs makes its rows.
    var own: @Sendable () -> [OptionGroup] = { [] }
    var shared: @Sendable () -> [OptionGroup] = { [] }
    let run: @Sendable (Invocation) async throws -> ExitStatus

    static let all: [Command] = [
        .check, .verify, .pins, .lint, .snapshot, .diff, .fetch, .serve, .clients, .devices, .demo,
    ]

    static let sharedGroups: [OptionGroup] = [
        .judging, .devices, .outlook, .names, .connection, .clientCertificate, .variants, .request, .output,
    ]

    static func named(_ name: String) -> Command? { all.first { $0.name == name } }

    var groups: [OptionGroup] { own() + shared() }
    var options: [Option] { groups.flatMap(\.options) }

    func option(_ name: String) -> Option? {
        for group in groups {
            for option in group.options where option.flag == name || option.short == name { return option }
        }
        return nil
    }

    var forms: [String] {
        switch option("--format")?.values {
        case .one(let words), .form(let words): words().map(\.text)
        default: []
        }
    }

    func argument(at index: Int) -> Argument? { index < arguments.count ? arguments[index] : arguments.last }

    func refuse(_ given: [String]) throws(Problem) {
        let usage: SafeText =
            "write \(quoted(self.usage.split(separator: "\n").first ?? "", to: 200)); \(quoted("pincheck help " + name)) says more"
        if let missing = arguments.dropFirst(given.count).first(where: \.isRequired) {
            let origin: SafeText =
                missing.name == "file" ? ", and 'pincheck snapshot <target> -o <file>' makes the file" : ""
            throw .usage("no <\(missing.name)> is given: \(usage)\(origin)")
        }
        guard arguments.last?.isRepeatable != true, given.count > arguments.count else { return }
        throw .usage("\(quoted(withoutSecrets(given[arguments.count]))) is one argument too many: \(usage)")
    }
}

struct Invocation: Sendable {
    let settings: Settings
    let context: Context
}
