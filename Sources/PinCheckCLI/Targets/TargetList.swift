import Base
import PinChecking
import PinFormats

/// A file with a target and its settings on each line, parsed line by line; a copy goes on at the original's line.
struct TargetList {
    /// The most bytes of a line: paths and the addresses of a target are far shorter.
    static let longestLine = 64 * 1024
    private let bytes: [UInt8]
    private let name: String
    private let directory: String?
    private var position = 0
    private var number = 0

    init(_ path: String, in context: Context) throws(Problem) {
        let isInput = path == "-"
        name = isInput ? "standard input" : TerminalText.shortened(path, to: 200)
        directory = isInput ? nil : PathParts(path).directory
        bytes = try context.contents(of: path)
        guard !bytes.starts(with: [0x1F, 0x8B]) else {
            throw .data("\(name) is compressed (gzip, RFC 1952): write 'zcat FILE | pincheck --targets -'")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .data("\(name): a list of targets is text in UTF-8, and this is not: save it as UTF-8")
        }
        if bytes.starts(with: "\u{FEFF}".utf8) { position = 3 }
    }

    /// The target of the next line that has one, or the mistake in that line; `nil` after the last.
    mutating func next() -> Result<CheckTarget, BadEntry>? {
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            let line = bytes[start..<position]
            // A line ends in LF, CR LF or CR.
            position += bytes[position...].starts(with: [0x0D, 0x0A]) ? 2 : 1
            number += 1
            let place = PinPlace.line(number, of: name)
            do throws(Problem) {
                guard line.count <= Self.longestLine else { throw .data("write one target a line") }
                let words = Self.words(of: line)
                guard let target = words.first else { continue }
                return .success(try self.target(target, words.dropFirst(), place))
            } catch {
                // A message quotes nothing from the line: a file that was named by mistake may contain secrets.
                let text = String(decoding: line, as: UTF8.self)
                let why = KeyMaterial.isArmoured(text) ? "this is a private key; it was not used" : error.message
                return .failure(BadEntry("\(place)", Problem.data("\(text.count) characters; \(why)").at(place)))
            }
        }
        return nil
    }

    /// The words of a line; a `#` at the start of a word begins a comment.
    private static func words(of line: ArraySlice<UInt8>) -> [String] {
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return words.prefix { $0.first != UInt8(ascii: "#") }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func target(_ target: String, _ words: ArraySlice<String>, _ place: PinPlace) throws(Problem) -> CheckTarget
    {
        guard let target = try? Target(target) else { throw .data("word 1 is no target") }
        var settings = Settings()
        var given: [Option] = []
        for (number, word) in zip(2..., words) {
            let parts = word.parts(at: "=", atMost: 2)
            guard let option = Option.ofLists.first(where: { $0.word == parts[0] }),
                option.isSwitch == (parts.count == 1)
            else { throw Self.unknown(word, number) }
            var text = parts.count == 2 ? String(parts[1]) : ""
            guard option.isSwitch || !text.isEmpty else {
                throw .data("word \(number) has no value: write \(option.word)=VALUE")
            }
            guard option.isRepeatable || !given.contains(where: { $0.flag == option.flag }) else {
                throw .data("word \(number): \(option.listWord) stands twice: write all of it once")
            }
            if let rival = given.first(where: option.excludes) {
                throw .data("word \(number): \(rival.listWord) and \(option.listWord) exclude each other")
            }
            given.append(option)
            if case .file = option.values { text = RegularFile.path(text, besideFilesIn: directory) }
            do {
                try option.read(Option.Value(text: text, place: place), calling: "\(option.listWord)", into: &settings)
            } catch { throw .data("word \(number) is no value of \(option.listWord)") }
        }
        settings.request.connection.addresses.isOfOneTarget = !settings.request.connection.addresses.given.isEmpty
        return CheckTarget(target: target, request: settings.request, place: place)
    }

    private static func unknown(_ word: String, _ number: Int) -> Problem {
        let name = String(word.prefix { $0 != "=" }.drop { $0 == "-" }) + (word.contains("=") ? "=" : "")
        let remedy = Suggestion.remedy(for: name, among: Option.ofLists.map(\.listWord).sorted())
        return .data("word \(number) is not understood: \(remedy)")
    }
}

extension Option {
    static let ofLists = Command.sharedGroups.flatMap(\.options).filter(\.isInLists)

    fileprivate var listWord: String { isSwitch ? word : word + "=" }
}
