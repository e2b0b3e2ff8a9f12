import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe

/// A list of targets: one a line, each with what is said of it alone, read as they are needed.
///
/// `#` begins a comment at the start of a word. Values with white space stand in single or double quotation marks. Relative
/// paths in the list are relative to its directory, or to the current one where the list is standard input.
final class TargetList {
    /// The most bytes a line can have: paths, and the addresses of a target, are far shorter.
    static let longestLine = 64 * 1024

    /// What a file of gzip begins with (RFC 1952).
    private static let gzip: [UInt8] = [0x1F, 0x8B]

    private let reader: LineReader
    private let name: String
    private let directory: String?

    var isRepeatable: Bool { reader.isRepeatable }

    /// Opens the list at `path`, or standard input for `-`.
    init(_ path: String, in context: Context) throws(CommandError) {
        let isInput = path == "-"
        name = isInput ? "standard input" : TerminalText.shortened(path, to: 200)
        directory = isInput ? nil : PathParts(path).directory
        if !isInput {
            do throws(ReadFailure) { reader = try LineReader(path: path, limit: Self.longestLine) } catch {
                throw CommandError(FileReader.failure(error, quoted(path)))
            }
        } else if let descriptor = context.standardInputDescriptor {
            reader = LineReader(descriptor: descriptor, limit: Self.longestLine)
        } else {
            reader = LineReader(bytes: try context.readStandardInput(), limit: Self.longestLine)
        }
    }

    /// The next line with a target, `nil` after the last.
    func next() throws(CommandError) -> Line? {
        while let bytes = try nextLine() {
            guard reader.number > 1 || !bytes.starts(with: Self.gzip) else {
                throw .data("\(name) is compressed: write 'zcat FILE | pincheck --targets -'")
            }
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw .data("\(name): a list of targets is text in UTF-8, and this is not")
            }
            let place = PinPlace.line(reader.number, of: name)
            do throws(CommandError) {
                let mark = "\u{FEFF}".utf8
                let isMarked = reader.number == 1 && bytes.starts(with: mark)
                let words = try Self.words(of: bytes.dropFirst(isMarked ? mark.count : 0))
                guard let target = words.first else { continue }
                guard !words.contains(where: KeyMaterial.isArmoured) else {
                    throw .usage("this is a private key; it was not used and no part of it is shown")
                }
                return try Line(target, words.dropFirst(), place: place, directory: directory)
            } catch { throw error.at(place) }
        }
        return nil
    }

    private func nextLine() throws(CommandError) -> [UInt8]? {
        do throws(LineReader.Failure) { return try reader.next() } catch {
            switch error {
            case .tooLong:
                throw CommandError.data("the line is longer than \(Self.longestLine) bytes: write one target a line")
                    .at(.line(reader.number, of: name))
            case .unreadable(let failure): throw CommandError(FileReader.failure(failure, name))
            }
        }
    }

    /// The words of a line up to a comment, without their quotation marks.
    private static func words(of line: ArraySlice<UInt8>) throws(CommandError) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var isInWord = false
        var quotation: UInt8?
        for byte in line {
            if let open = quotation {
                if byte == open { quotation = nil } else { word.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
                isInWord = false
                word.removeAll(keepingCapacity: true)
            case UInt8(ascii: "#") where !isInWord: return words
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                quotation = byte
                isInWord = true
            default:
                isInWord = true
                word.append(byte)
            }
        }
        guard quotation == nil else { throw .usage("a quotation mark is not closed on this line") }
        if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }
}

extension TargetList {
    struct Line {
        let target: Target
        let place: PinPlace
        private(set) var request = CheckRequest()

        private static let keys = [
            "connect", "sni", "host", "verify-name", "pins", "client", "device", "request", "expect-status", "proxy",
        ]
        /// The words that stand alone, each for a key that says the opposite.
        private static let flags = ["no-sni": "sni", "no-proxy": "proxy"]

        fileprivate init(
            _ target: String, _ words: ArraySlice<String>, place: PinPlace, directory: String?
        ) throws(CommandError) {
            self.target = try CommandError.reading { () throws(RequestError) in try Target(target) }
            self.place = place
            var single: Set<String> = []
            for word in words {
                if let key = Self.flags[word] {
                    guard single.insert(key).inserted else { throw .usage("\(key)= and \(word) exclude each other") }
                    if key == "sni" { request.connection.serverName = ServerNameChoice.none }
                    if key == "proxy" { request.connection.proxy = .direct }
                    continue
                }
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let (key, value) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
                guard Self.keys.contains(key) else {
                    let remedy =
                        Suggestion.nearest(to: key, in: Self.keys + Self.flags.keys.sorted()).map {
                            "did you mean '\($0)\(Self.flags[$0] == nil ? "=" : "")'?"
                        } ?? "after the target come \(Self.keys.joined(separator: "=, "))=, no-proxy and no-sni"
                    throw .usage("\(quoted(word)) is not understood: \(remedy)")
                }
                // Only connect= and pins= add to what is there.
                guard !single.contains(key) else { throw .usage("\(key)= stands twice: write all of it once") }
                if key != "connect", key != "pins" { single.insert(key) }
                guard !value.isEmpty else { throw .usage("\(quoted(word)) has no value: write \(key)=VALUE") }
                do throws(ClientSelectionError) {
                    if key == "client" { request.judging.clients = try ClientSelection([value]) }
                } catch { throw CommandError(error) }
                try CommandError.reading(serverName: "sni=") { () throws(RequestError) in
                    try set(key, value, directory: directory)
                }
            }
        }

        /// Refuses pins and clients beside those of the command line, which they would replace without a word.
        func refuseBeside(_ flags: CheckRequest.Judging) throws(CommandError) {
            if !request.judging.pins.isEmpty, !flags.pins.isEmpty {
                throw .data("pins= stands here, and pins are given for all targets: leave one of the two out")
            }
            if request.judging.clients != nil, flags.clients != nil {
                throw .data("client= stands here, and --client is given for all targets: leave one of the two out")
            }
        }

        private mutating func set(_ key: String, _ value: String, directory: String?) throws(RequestError) {
            switch key {
            case "connect":
                request.connection.addresses.given += try ConnectAddress.readAny(value)
                request.connection.addresses.isOfOneTarget = true
            case "proxy": request.connection.proxy = try .named(value, by: "\(place)")
            case "sni": request.connection.serverName = try .named(value)
            case "host": request.names.host = CheckRequest.Names.Host(try Place(value[...], of: .host, in: value))
            case "request": request.http.path = try CheckRequest.HTTP.path(value)
            case "expect-status": request.http.expected = try ExpectedStatus([value])
            case "verify-name": request.names.reference = CheckRequest.Names.Reference(value)
            case "device": request.judging.devices = DeviceSelection([value])
            case "pins":
                let path = RegularFile.path(value, besideFilesIn: directory)
                request.judging.pins.append(PinSource(path, at: place))
            default: break
            }
        }
    }
}
