internal import Base
internal import Pinning

/// Kotlin and Java source with OkHttp's `CertificatePinner.Builder().add("host", "sha256/…", …)`.
///
/// Only what is written out is read, and constants of the same file are followed: a host or pin that the source computes is an
/// error, and so is whatever else a pinner is given in a way that is not followed.
struct OkHttpSourceFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool { recognised(in: file) != nil }

    func recognised(in file: PinFile) -> (any PinFileFormat)? {
        guard let text = file.text else { return nil }
        let isNamedSource = SourceText.Language(fileExtension: file.fileExtension) != .either
        guard file.bytes.count <= PinListFormat.mostBytes else {
            // What else is in it are no pins.
            guard isNamedSource else { return nil }
            return UndecidedFormat(
                "is a source of more than \(PinListFormat.mostBytes >> 20) MiB",
                remedy: "give a list with lines such as: host sha256/…")
        }
        guard text.utf8.contains(UInt8(ascii: "(")), text[...].holds("add") else { return nil }
        guard text[...].holds("CertificatePinner") || text[...].holds("sha256/") || text[...].holds("sha1/") else {
            return nil
        }
        let calls = PinnerCalls(text, of: file)
        guard !calls.isEmpty else { return nil }
        guard !isNamedSource, isSomethingElse(file) else { return self }
        // Calls alone may stand in a comment of the other notation; so may the other notation in a comment or text of a source.
        guard calls.beginsPinner else { return nil }
        guard isSomethingElse(PinFile(path: file.path, bytes: calls.code(of: text))) else { return self }
        return UndecidedFormat(
            "has a pinner of OkHttp's and pins in another notation, and does not say which of them count",
            remedy: "give them in two files, or one of them alone")
    }

    /// Whether a file that is not called a source seems to have its pins in another notation.
    private func isSomethingElse(_ file: PinFile) -> Bool {
        let others: [any PinFileFormat] = [
            CurlCommandFormat(), TLSAFormat(), PEMFormat(), OkHttpListFormat(), HTTPHeaderFormat(),
        ]
        return others.contains { $0.recognises(file) } || PinListFormat.hasPinsOfTheirOwn(file)
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let calls = PinnerCalls(file.text ?? "", of: file)
        if let line = calls.unclosedLine {
            throw PinFormatError(
                .wrongValue, at: file.place(line: line), "a text, a template or a comment begins here and does not end",
                remedy: "give the source as it is compiled")
        }
        for hidden in calls.hidden {
            try collector.gather(
                PinFormatError(
                    .wrongValue, at: file.place(line: hidden.line),
                    "what '\(shortened(hidden.method))' adds to this pinner is not written out", remedy: Self.remedy))
        }
        var entries: [HostEntry] = []
        var alternatives = PinnerAlternatives()
        /// Hosts of which all pins of a call were skipped.
        var skipped: [HostPattern: PinFormatError] = [:]
        for call in calls.all {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try Self.entry(call, in: file, into: &collector, &skipped)
            }
            guard let entry, !entry.pins.isEmpty else { continue }
            entries.append(entry)
            if let hosts = entry.hosts { alternatives.add(entry.pins, for: hosts, by: call) }
        }
        try alternatives.check(file, into: &collector)
        // A host without any pin would be accepted with any key.
        for (hosts, error) in skipped where !entries.contains(where: { $0.hosts == hosts }) {
            collector.leaveUnread(skipping: UnreadHost(hosts: hosts, port: nil, error: error))
        }
        guard !entries.isEmpty || collector.problemCount > 0 || !collector.unreadHosts.isEmpty else {
            throw .noPin(at: file.place)
        }
        collector.add(PinConfiguration(.okHttp, entries: entries, isSource: true))
    }

    private static let remedy = "put it there in quotation marks, or give a list with lines such as: host sha256/…"

    /// Why a name in an argument is not followed.
    private static func reason(_ reading: SourceValues.Reading) -> String? {
        guard case .gap(let gap) = reading, let name = gap.name.map({ shortened($0) }) else { return nil }
        return switch gap.reason {
        case .notInFile: "'\(name)' is not in this file"
        case .setAgain: "'\(name)' is set more than once"
        case .notFollowed: "'\(name)' stands for what is not followed"
        }
    }

    private static func entry(
        _ call: PinnerCalls.Call, in file: PinFile, into collector: inout PinCollector,
        _ skipped: inout [HostPattern: PinFormatError]
    ) throws(PinFormatError) -> HostEntry {
        let place = file.place(line: call.line)
        func refuse(_ argument: PinnerCalls.Argument?, _ what: String) -> PinFormatError {
            let why = argument.flatMap { Self.reason($0.reading) }.map { ": \($0)" }
            return PinFormatError(
                .wrongValue, at: argument.map { file.place(line: $0.line) } ?? place,
                "\(what) is not written out\(why ?? "")", remedy: remedy)
        }
        guard call.isOfPinner else {
            throw PinFormatError(
                .wrongValue, at: place, "this add(…) has a pin and is for another builder than CertificatePinner's",
                remedy: "give a list with lines such as: host sha256/…")
        }
        guard let host = call.host?.text else { throw refuse(call.host, "the host of this add(…)") }
        let hosts = try HostText.okHttpPattern(host, at: place)
        var pins: [Pin] = []
        var error: PinFormatError?
        for argument in call.pins {
            guard let text = argument.text else {
                // It matters to no other host.
                let gap = refuse(argument, "a pin of \(hosts)")
                try collector.leaveUnread(UnreadHost(hosts: hosts, port: nil, error: gap))
                return HostEntry(hosts: hosts, origin: place.description, identities: .anywhere([]))
            }
            do throws(PinFormatError) {
                pins.append(try HashText.okHttp(text, at: file.place(line: argument.line)))
            } catch let bad {
                try collector.skip(bad)
                error = error ?? bad
            }
        }
        // A host without pins would be accepted with any key.
        if pins.isEmpty, let error { skipped[hosts] = skipped[hosts] ?? error }
        guard !call.pins.isEmpty else { throw refuse(nil, "no pin of \(hosts)") }
        collector.noteIfUnmatchable(hosts, by: "OkHttp", at: place)
        return HostEntry(hosts: hosts, origin: place.description, identities: .anywhere(pins))
    }
}
