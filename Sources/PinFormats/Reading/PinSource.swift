package import Base
package import Pinning

/// The value of `--pins`: a file, a directory of files, or pins written out.
///
/// An existing path takes precedence over a pin of the same text. Files are recognised by contents; names count only
/// if a client uses them (AFNetworking loads `.cer`), or in a directory, if they promise a certificate or key.
package struct PinSource: Hashable {
    package let text: String
    package let place: PinPlace
    /// The bytes of standard input, if the text is `-` and they are read.
    private var input: [UInt8]?
    /// `true` if the text is a value of curl's `--pinnedpubkey`, which may name a file with one public key.
    package let isCurlValue: Bool

    package init(_ text: String, at place: PinPlace = .option) {
        (self.text, self.place, isCurlValue) = (text, place, false)
    }

    package init(standardInput bytes: [UInt8]) {
        self.init("-")
        input = bytes
    }

    package var asksForInput: Bool { text == "-" && place == .option && input == nil && !isCurlValue }

    package init(pinnedPublicKey text: String, at place: PinPlace = .pinnedPublicKey) {
        (self.text, self.place, isCurlValue) = (text, place, true)
    }

    /// `true` if the sources have the same pins; their places do not matter.
    package static func == (left: Self, right: Self) -> Bool {
        left.text == right.text && left.isCurlValue == right.isCurlValue && left.input == right.input
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Reads every pin of the source; blocks while it reads files of up to ``RegularFile/mostBytes`` each.
    ///
    /// - Throws: `Problem` if pin data is wrong or absent.
    package func read() throws(Problem) -> PinReading { try inspect().orThrow() }

    /// Reads every pin of the source and collects its problems; a source without a pin has at least one.
    package func inspect() -> PinReading {
        var reading = PinReading(of: text, FileKind(at: text))
        inspect(into: &reading)
        return reading
    }

    /// Reads the source and, in a directory, all sources below it; links are not followed.
    ///
    /// Each directory with pins is a source of its own; an app is one as a whole, and so is `res` of Android.
    package func inspectAll() -> [PinReading] {
        var own = inspect()
        own.lookBelow()
        guard own.isDirectory, own.isEmpty, !own.subdirectories.isEmpty else { return Self.withFound(own) }
        let found = Self.readings(below: text).filter(\.concernsPins)
        return found.isEmpty ? [own] : found
    }

    private static func readings(below path: String) -> [PinReading] {
        var found = PinReading(of: path, .directory)
        found.attempt(PinDirectory(path: path, isFound: true).read)
        return withFound(found)
    }

    private static func withFound(_ reading: PinReading) -> [PinReading] {
        var own = reading
        let below = own.subdirectories.flatMap { readings(below: $0) }.filter(\.concernsPins)
        // The pins that a policy names count at their own places; a directory without them has its policies as sources.
        let policies = own.policies.map { PinSource($0).inspect() }
        if own.isEmpty, !policies.isEmpty { return policies + below }
        for problem in policies.flatMap(\.problems) { own.report(problem) }
        return [own] + below
    }

    /// Reads the source for a policy, which may not name another one; returns its pins and adds the rest to `reading`.
    func readForPolicy(into reading: inout PinReading) -> [Pin] {
        var own = PinReading(readsPolicies: false)
        inspect(into: &own)
        reading.add(own, withPins: false)
        return own.pins
    }

    private func inspect(into reading: inout PinReading) {
        let absence = reading.attempt(collect)
        guard let absence, reading.isEmpty, reading.problems.isEmpty, reading.unread.isEmpty else { return }
        if let trust = reading.networkSecurity.first {
            return reading.report(
                .hostNotPinned, at: trust.origin, "pins nothing and names no anchors",
                "leave it out: without pins the client android judges by the system's rules")
        }
        reading.report(absence)
    }

    private func collect(into reading: inout PinReading) throws(Problem) -> Problem {
        guard !text.isEmpty else {
            throw Problem(.empty, at: place, "the value is empty", "name a file, a directory or a pin")
        }
        guard !text.utf8.contains(0) else { throw Problem(.nulCharacter, at: place, "the value holds a NUL character") }
        if isCurlValue {
            try CurlValue(text: text, place: place).read(into: &reading)
            return .noPin(at: place)
        }
        if text == "-" {
            guard let input else {
                throw Problem(
                    .wrongValue, at: place, "'-' is standard input, which is read for the command line alone",
                    "name a file")
            }
            let file = PinFile(path: "standard input", bytes: input)
            try file.refusePrivateKeys()
            if ArchivedApp.isArchive(bytes: input) {
                try AppReader(archive: file.path, bytes: input).read(into: &reading)
            } else {
                try PinFileKind(file).read(file, into: &reading)
            }
            return .noPin(at: file.place)
        }
        let path = PinPlace.at(text)
        switch FileKind(at: text) {
        case .regular, .pipe, .special:
            try readFile(into: &reading)
            return .noPin(at: path)
        case .directory:
            try PinDirectory(path: text).read(into: &reading)
            return Problem(
                .noPinsInDirectory, at: path, "no file in this directory holds a pin",
                "name the directory or file that does; hidden files are not searched")
        case .inaccessible(let code): throw RegularFile.failure(.system(code), at: path)
        case .absent:
            if let error = PastedText.tlsaRecord(text[...], at: place) ?? PastedText.okHttpFailure(text, at: place) {
                throw error
            }
            let pins = PinText(text[...], at: place, isArgument: place == .option)
            guard pins.resemblesPins else { throw pins.placeholder ?? missingFile }
            try pins.read(into: &reading)
            return .noPin(at: place)
        }
    }

    private func readFile(into reading: inout PinReading) throws(Problem) {
        guard !ArchivedApp.isArchive(path: text) else { return try AppReader(archive: text).read(into: &reading) }
        let file = try PinFile.load(text, mayBePipe: true)
        if !file.bytes.isEmpty, ArchivedApp.endings.contains(file.fileExtension) {
            throw file.problem(
                .otherKind, "is not a zip archive, which a file named .\(file.fileExtension) is",
                "download or build it again")
        }
        try PinFileKind(file).read(file, into: &reading)
    }

    private var missingFile: Problem {
        let parts = text.split(separator: ",").map(String.init)
        var remedy: String?
        if text.hasPrefix("~") {
            remedy = "the shell replaces ~ only at the start of a word of its own"
        } else if parts.count > 1, parts.contains(where: PinFile.isThere) {
            remedy = "files have no commas between: repeat --pins for each"
        }
        return Problem(
            .missingFile, at: place,
            (mayBeShown ? "'\(shortened(text))'" : "the text (\(text.count) characters)")
                + ": there is no such file, and it is not a pin either", remedy)
    }

    /// `true` if the text is surely not key material: neither JSON nor a long run of base64 digits.
    private var mayBeShown: Bool {
        var length = 0
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "\""): return false
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "="): length += 1
            default: length = 0
            }
            return length < 48
        }
    }
}

extension Problem {
    static func noPin(at place: PinPlace) -> Problem {
        Problem(
            .notAPin, at: place, "holds no pin",
            "a pin is a certificate, a public key, or a line such as sha256/ and 44 characters of base64")
    }
}
