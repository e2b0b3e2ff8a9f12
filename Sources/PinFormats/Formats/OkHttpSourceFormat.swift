internal import Pinning
internal import Text

/// Kotlin and Java source with OkHttp's `CertificatePinner.Builder().add("host", "sha256/…", …)`.
///
/// Only what is written out is read, and constants of the same file are followed: a host or pin that the source computes is an
/// error, and so is whatever else a pinner is given in a way that is not followed.
struct OkHttpSourceFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, file.bytes.count <= PinListFormat.mostBytes else { return false }
        guard text.utf8.contains(UInt8(ascii: "(")), text[...].holds("add") else { return false }
        guard text[...].holds("CertificatePinner") || text[...].holds("sha256/") || text[...].holds("sha1/") else {
            return false
        }
        return !PinnerCalls(text, of: file).isEmpty
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let calls = PinnerCalls(file.text ?? "", of: file)
        if let line = calls.unclosedLine {
            throw PinFormatError(
                .wrongValue,
                at: file.place(line: line),
                "a text, a template or a comment begins here and does not end",
                remedy: "give the source as it is compiled"
            )
        }
        for hidden in calls.hidden {
            try collector.gather(
                PinFormatError(
                    .wrongValue,
                    at: file.place(line: hidden.line),
                    "what '\(shortened(hidden.method))' adds to this pinner is not written out",
                    remedy: Self.remedy
                )
            )
        }
        var entries: [HostEntry] = []
        var pinners: [HostPattern?: (pinner: Int, pins: Set<SHA256Digest>)] = [:]
        for call in calls.all {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try Self.entry(call, in: file, into: &collector)
            }
            guard let entry else { continue }
            entries.append(entry)
            let pins = Set(entry.pins.map(\.spkiSHA256))
            let other = pinners.updateValue((call.pinner, pins), forKey: entry.hosts)
            if let other, let hosts = entry.hosts, other.pinner != call.pinner, other.pins != pins {
                collector.note(
                    .notFollowed,
                    at: file.place(line: call.line),
                    "another pinner has other pins for \(hosts): they are put together here, though each client has one pinner"
                )
            }
        }
        guard entries.contains(where: { !$0.pins.isEmpty }) || collector.problemCount > 0 else {
            throw .noPin(at: file.place)
        }
        collector.add(PinConfiguration(.okHttp, entries: entries))
    }

    private static let remedy = "put it there in quotation marks, or give a list with lines such as: host sha256/…"

    private static func entry(
        _ call: PinnerCalls.Call,
        in file: PinFile,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> HostEntry {
        let place = file.place(line: call.line)
        func refuse(_ argument: PinnerCalls.Argument?, _ what: String) -> PinFormatError {
            let why = argument?.name.map { ": '\(shortened($0))' stands for other things as well, or is set elsewhere" }
            return PinFormatError(
                .wrongValue,
                at: argument.map { file.place(line: $0.line) } ?? place,
                "\(what) is not written out\(why ?? "")",
                remedy: remedy
            )
        }
        guard call.isOfPinner else {
            throw PinFormatError(
                .wrongValue,
                at: place,
                "this add(…) has a pin and is for another builder than CertificatePinner's",
                remedy: "give a list with lines such as: host sha256/…"
            )
        }
        guard let host = call.host?.text else { throw refuse(call.host, "the host of this add(…)") }
        let hosts = try HostText.okHttpPattern(host, at: place)
        var pins: [Pin] = []
        for argument in call.pins {
            guard let text = argument.text else { throw refuse(argument, "a pin of \(hosts)") }
            do throws(PinFormatError) {
                pins.append(try HashText.okHttp(text, at: file.place(line: argument.line)))
            } catch {
                try collector.skip(error)
            }
        }
        // A host without pins would be accepted with any key.
        guard !call.pins.isEmpty else { throw refuse(nil, "no pin of \(hosts)") }
        collector.noteIfUnmatchable(hosts, by: "OkHttp", at: place)
        return HostEntry(hosts: hosts, origin: place.description, identities: .anywhere(pins))
    }
}
