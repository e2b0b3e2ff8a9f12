internal import Base
internal import COpenSSL

/// The configuration file that OpenSSL reads by itself when it is first used.
package enum OpenSSLConfiguration {
    /// The path of a file of the configuration when reading it could block or never end: a pipe, a device, something huge, or
    /// more inclusions than any configuration has, as where a file includes itself; `nil` when all may be read.
    ///
    /// Ask before anything else is asked of OpenSSL, which opens whatever stands there. `/dev/null` is how people ask for no
    /// configuration at all.
    package static var dangerousPath: String? {
        let path = environment("OPENSSL_CONF") ?? String(cString: X509_get_default_cert_area()) + "/openssl.cnf"
        return dangerousPath(in: path, environment: environment)
    }

    /// The same of the configuration that begins in the file at `path`, where `environment` knows the variables.
    package static func dangerousPath(in path: String, environment: @escaping (String) -> String?) -> String? {
        var walk = ConfigurationWalk(environment: environment)
        return walk.dangerousPath(at: path)
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Goes through a configuration and what it includes, as config(5) says that OpenSSL does, without waiting for anything.
private struct ConfigurationWalk {
    /// No configuration is anywhere near this size, in bytes.
    private static let sizeLimit = 1 << 20
    /// The most files that are read, each time one is included counted.
    private static let fileLimit = 256

    private let environment: (String) -> String?
    private var fileCount = 0
    /// What the default section says, which is what paths may refer to.
    private var variables: [String: String] = [:]
    /// Where a relative path begins, from `.pragma includedir`.
    private var directory: String?

    init(environment: @escaping (String) -> String?) { self.environment = environment }

    /// The first file at `path` or included there that must not be read.
    mutating func dangerousPath(at path: String) -> String? {
        fileCount += 1
        guard fileCount <= Self.fileLimit, !Self.mayBlock(path) else { return path }
        let bytes = (try? BoundedFile.bytes(at: path, limit: Self.sizeLimit)) ?? []
        // Most configurations include nothing, and then there is no need to know what else they say.
        guard fileCount > 1 || Self.mayNameFiles(bytes) else { return nil }
        var section = "default"
        for line in Self.lines(of: bytes) {
            if line.first == "[" {
                section = Self.trimmed(line.dropFirst().prefix { $0 != "]" })
                continue
            }
            let name = line.prefix(while: Self.isOfName)
            var rest = line[name.endIndex...].drop(while: \.isWhitespace)
            if rest.first == "=" { rest = rest.dropFirst().drop(while: \.isWhitespace) }
            if name.hasPrefix(".include") {
                for file in files(meantBy: value(rest)) {
                    if let dangerous = dangerousPath(at: file) { return dangerous }
                }
            } else if name == "dynamic_path" || name == "module" {
                // OpenSSL opens the library that it names, of a provider or an engine.
                let path = value(rest)
                if Self.mayBlock(path, sizeLimit: .max) { return path }
            } else if name == ".pragma" {
                if rest.hasPrefix("includedir:") { directory = Self.trimmed(rest.dropFirst("includedir:".count)) }
            } else if section == "default" {
                variables[String(name)] = value(rest)
            }
        }
        return nil
    }

    /// Whether opening or reading what stands at a path could take for ever.
    private static func mayBlock(_ path: String, sizeLimit: Int = sizeLimit) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size) > sizeLimit
        // OpenSSL finds nothing to read there and says so.
        case S_IFDIR: return false
        case S_IFCHR:
            var null = stat()
            return stat("/dev/null", &null) != 0 || null.st_rdev != status.st_rdev
        default: return true
        }
    }

    // MARK: Lines

    /// Whether a line may begin with `.include`, or with what names a library.
    ///
    /// Bytes that are no ASCII may be blanks or a part of one, and a line that is joined with the next may hold anything.
    private static func mayNameFiles(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "\n"))
                let line = rest[..<(end ?? rest.endIndex)]
                rest = end.map { rest[($0 + 1)...] } ?? rest[rest.endIndex...]
                if end != nil, isJoinedWithNext(line) { return true }
                let words = line.drop { $0 <= 0x20 || $0 >= 0x80 }
                // A file has hundreds of lines, and few begin like one of the words.
                switch words.first {
                case UInt8(ascii: "."): if words.starts(with: ".include".utf8) { return true }
                case UInt8(ascii: "d"): if words.starts(with: "dynamic_path".utf8) { return true }
                case UInt8(ascii: "m"): if words.starts(with: "module".utf8) { return true }
                default: break
                }
            }
            return false
        }
    }

    /// Whether a line ends in a backslash, before its LF or CR LF.
    private static func isJoinedWithNext(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        return text.last == UInt8(ascii: "\\")
    }

    /// The lines of a file: those that end in a backslash joined with the next, without blanks around them.
    private static func lines(of bytes: [UInt8]) -> [Substring] {
        // Line by line in bytes: to a string CR LF is one character.
        var lines: [[UInt8]] = [[]]
        for byte in bytes where byte != UInt8(ascii: "\r") {
            if byte != UInt8(ascii: "\n") {
                lines[lines.count - 1].append(byte)
            } else if lines[lines.count - 1].last == UInt8(ascii: "\\") {
                lines[lines.count - 1].removeLast()
            } else {
                lines.append([])
            }
        }
        return lines.map { String(decoding: $0, as: UTF8.self)[...].drop { $0.isWhitespace || $0 == "\u{FEFF}" } }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// Letters, digits and the punctuation that names may have.
    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_!.%&*+,/;?@^~|-".contains(character))
    }

    /// A value without quotation marks, escapes and the comment behind it, with its variables replaced.
    private func value(_ text: Substring) -> String {
        var result = ""
        var rest = text[...]
        var quote: Character?
        while let character = rest.popFirst() {
            switch character {
            case "\\": if let next = rest.popFirst() { result.append(next) }
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil, "`" where quote == nil: quote = character
            case "#" where quote == nil: rest = ""
            case "$" where quote == nil: result += variable(&rest)
            default: result.append(character)
            }
        }
        return Self.trimmed(result[...])
    }

    /// What `$name`, `${name}` or `$(section::name)` stands for; OpenSSL gives up where it stands for nothing.
    private func variable(_ rest: inout Substring) -> String {
        let end: Character? = rest.first == "{" ? "}" : rest.first == "(" ? ")" : nil
        if end != nil { rest.removeFirst() }
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
        rest = rest[name.endIndex...]
        if let end, rest.first == end { rest.removeFirst() }
        if name.hasPrefix("ENV::") { return environment(String(name.dropFirst("ENV::".count))) ?? "" }
        return variables[name.hasPrefix("default::") ? String(name.dropFirst("default::".count)) : String(name)] ?? ""
    }

    // MARK: Included files

    /// The file at a path, or those of a directory whose names end in `.cnf` or `.conf`.
    private func files(meantBy text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        let base = environment("OPENSSL_CONF_INCLUDE") ?? directory
        let path = text.hasPrefix("/") ? text : base.map { "\($0)/\(text)" } ?? text
        let names = try? DirectoryListing.names(in: path) { entry in
            let name = entry.text.lowercased()
            return name.hasSuffix(".cnf") || name.hasSuffix(".conf")
        }
        return names?.map { "\(path)/\(String(fileName: $0))" } ?? [path]
    }
}
