internal import Base
internal import Pinning

/// Reads the dates of configurations.
enum DateText {
    /// Midnight in UTC at the start of the day that `text` gives as `yyyy-MM-dd`, and in no other way.
    static func midnight(_ text: some StringProtocol, at place: PinPlace) throws(PinFormatError) -> Timestamp {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = parts.count == 3 && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isPlain, parts.map(\.utf8.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1...12).contains(month), day >= 1, day <= length(of: month, in: year)
        else {
            throw PinFormatError(
                .badDate, at: place, "'\(shortened(text, to: 40))' is not a date", remedy: "write it as 2027-06-01")
        }
        // Days since the epoch, with years that begin in March, so that the leap day is the last of a year.
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return Timestamp(secondsSinceEpoch: Int64(days) * 86_400)
    }

    private static func length(of month: Int, in year: Int) -> Int {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return switch month {
        case 2: isLeapYear ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Reads the hashes of configurations.
enum HashText {
    /// A hash in plain base64, as all configurations but OkHttp's have them.
    static func bare(_ text: String, at place: PinPlace) throws(PinFormatError) -> Pin {
        let word = PinWord(text: text[...], place: place, mayBeShown: false)
        if let notation = PinNotation(word.text), notation.algorithm == "sha256",
            let digest = HashReader.canonical(notation.hash)
        {
            throw word.error(
                .notation,
                "begins with '\(notation.spelling)\(notation.separator.rawValue)', which does not belong here",
                remedy: "write \(digest)")
        }
        return Pin(.publicKey(try HashReader.digest(word.text, in: word)), origin: place.description)
    }

    /// A hash with `sha256/` before it, as OkHttp has them.
    static func okHttp(_ text: some StringProtocol, at place: PinPlace) throws(PinFormatError) -> Pin {
        let word = PinWord(text: Substring(text), place: place, mayBeShown: false)
        guard let notation = PinNotation(word.text), notation.separator == .slash, notation.spelling == "sha256" else {
            let notation = PinNotation(word.text)
            if let notation, notation.algorithm != "sha256" {
                guard notation.algorithm == "sha1" else {
                    throw word.error(
                        .wrongAlgorithm, "is a hash of \(notation.spelling), and OkHttp throws for it",
                        remedy: PinWord.howToMakeAPin)
                }
                throw word.error(
                    .wrongAlgorithm, "is a SHA-1 pin, which OkHttp alone still takes: here only SHA-256 is compared",
                    remedy: "replace it by the sha256/ pin of the same key: " + PinWord.howToMakeAPin)
            }
            let hash = HashReader.canonical(notation?.hash ?? word.text)
            throw word.error(
                .notation, "does not begin with 'sha256/', and OkHttp throws for it",
                remedy: hash.map { "write sha256/\($0)" } ?? "write sha256/ and 44 characters of base64")
        }
        return Pin(.publicKey(try HashReader.digest(notation.hash, in: word)), origin: place.description)
    }
}
