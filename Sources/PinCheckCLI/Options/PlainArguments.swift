/// A plain command line of `check`, taken apart without the parser, which takes time for every option there is, given or not.
///
/// It understands targets, whole names of options, and values behind a blank or an equals sign. What it does not fully understand,
/// a mistake above all, it leaves to the parser: that defines, explains and refuses.
struct PlainArguments {
    // The options that are understood; a test holds them against the parser's own description. Few are given: going through a list
    // takes less time than to make a table.
    private static let flags = [
        "-4", "-6", "--all-addresses", "--allow-invalid-certificates", "--and-system", "--explain", "--no-proxy",
        "--no-sni", "--no-validate-domain-name", "--quiet", "-q", "--thorough", "--update", "--verbose",
    ]
    private static let values = [
        "--addresses", "--allow", "--alpn", "--anchors", "--at", "--baseline", "--cert", "--ciphers", "--client",
        "--color", "--connect", "--connect-to", "--device", "--device-data", "--doh", "--expect-status", "--extra-root",
        "--fail-before", "--fail-on", "--format", "-f", "--groups", "--header", "--host", "--httpdns", "--intermediate",
        "--ignore", "--jobs", "--key", "--key-types", "--max-tls", "--min-pin-life", "--min-tls", "--mode", "--next",
        "--output", "-o", "--pinnedpubkey", "--pins", "--policy", "--port", "--proxy", "--request", "--resolve",
        "--retries", "--sigalgs", "--sni", "--state", "--targets", "--timeout", "--verify-name", "--warn-before",
    ]

    /// The names of the options that are understood.
    static var names: Set<String> { Set(flags + values) }

    private(set) var targets: [String] = []
    private var given: [(name: String, value: String)] = []

    /// Takes arguments apart, without the name of a command; `nil` when the parser has to.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            guard argument.utf8.first == UInt8(ascii: "-") else {
                guard !argument.isEmpty else { return nil }
                targets.append(argument)
                continue
            }
            let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
            let name = equals.map { String(argument[..<$0]) } ?? argument
            if equals == nil, Self.flags.contains(name) {
                given.append((name, ""))
                continue
            }
            // Behind a short name an equals sign belongs to the value.
            guard Self.values.contains(name), equals == nil || name.utf8.starts(with: "--".utf8) else { return nil }
            let value = equals.map { String(argument[argument.utf8.index(after: $0)...]) } ?? rest.next()
            guard let value, !value.isEmpty, value.utf8.first != UInt8(ascii: "-") else { return nil }
            given.append((name, value))
        }
    }

    /// The values of an option, in their order.
    func texts(_ names: String...) -> [String] { given.filter { names.contains($0.name) }.map(\.value) }

    func text(_ names: String...) -> String? { given.last { names.contains($0.name) }?.value }

    func flag(_ names: String...) -> Bool { given.contains { names.contains($0.name) } }
}
