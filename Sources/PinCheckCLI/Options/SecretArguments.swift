import Base
import PinChecking

/// Finds private keys among the arguments before anything looks at them, so that no message can repeat a part of one.
///
/// `--pins "$(cat key.pem)"` begins with dashes: the parser takes it for an option and quotes it whole.
enum SecretArguments {
    /// Throws when an argument is or holds a private key in PEM, also one whose lines were joined or whose case was changed.
    static func refuse(in arguments: [String]) throws(CommandError) {
        guard arguments.contains(where: KeyMaterial.isArmoured) else { return }
        throw .data(
            "an argument is a private key; it was not used and no part of it is shown: pins are made of public keys "
                + "(openssl pkey -in KEY -pubout), and everybody on this machine can see arguments, so replace the key")
    }

    /// Hides whatever may be a line of a private key among the arguments, wherever a stream would repeat it.
    ///
    /// Arguments are repeated in too many places, among them the parser's own, for each to know. Files that are there, pins
    /// and PEM text of what is public are shown.
    static func hide(_ arguments: [String], in filter: SecretFilter) {
        // The library's `contains` decides, but takes as long as all the rest.
        for (index, argument) in arguments.enumerated()
        where !(argument.holdsBytes(of: "-----BEGIN") && argument.contains("-----BEGIN")) {
            let isPath = index == 0 || !valuesThatAreNoPaths.contains(arguments[index - 1])
            filter.hide(secrets(in: argument, mayBePath: isPath))
        }
    }

    /// Options whose value can begin like a path and is none.
    private static let valuesThatAreNoPaths: Set = ["--request"]

    /// What in an argument, or in a value of a list or a policy, may be a line of a private key.
    ///
    /// - Parameters:
    ///   - argument: the text.
    ///   - mayBePath: whether it can name a file, whose name is shown if there is one.
    /// - Returns: the pieces, each without what is around it.
    static func secrets(in argument: String, mayBePath: Bool) -> [String] {
        let bytes = argument.utf8
        let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        let isOption =
            bytes.starts(with: "--".utf8) && equals != nil
            && bytes.prefix { $0 != UInt8(ascii: "=") }.allSatisfy {
                $0 == UInt8(ascii: "-") || (0x61...0x7A).contains($0)
            }
        // What the parser takes for an option that it does not know it repeats.
        let value =
            if isOption, let equals { argument[bytes.index(after: equals)...] } else {
                Substring(bytes.drop { $0 == UInt8(ascii: "-") })
            }
        // The slash that a path begins with is none of a key's characters there.
        let runs = KeyMaterial.runs(in: mayBePath ? value : Substring(value.utf8.drop { $0 == UInt8(ascii: "/") }))
        guard !runs.isEmpty, !mayBePath || !isPath(value) else { return [] }
        return runs.filter { run in
            // The hash of a public key, whose notation leaves no doubt.
            let isPin = run.utf8.count == 44 && run.hasSuffix("=") && !run.hasSuffix("==")
            return !isPin && !run.hasPrefix("sha256/") && !run.hasPrefix("sha1/")
        }
    }

    /// Whether the value, or what is behind an equals sign in it, names a file that is there or could be made.
    private static func isPath(_ value: Substring) -> Bool {
        guard !value.utf8.contains(0) else { return false }
        var rest: Substring? = value
        while let path = rest {
            let directory = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
            if !path.isEmpty, FileReader.exists(String(path)) { return true }
            if !directory.isEmpty, FileReader.exists(String(directory)) { return true }
            rest = path.firstIndex(of: "=").map { path[path.index(after: $0)...] }
        }
        return false
    }
}
