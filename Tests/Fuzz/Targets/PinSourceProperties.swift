import Base
import PinFormats
import Pinning

enum PinSourceProperties {
    static func checkArgument(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        // What stands at the path is read otherwise, and is not the same on every machine.
        guard FileKind(at: text) == .absent else { return }
        try check(PinSource(text))
        guard !text.hasPrefix("/"), !text.hasPrefix(".") else { return }
        try check(PinSource(pinnedPublicKey: text))
    }

    static func checkFile(_ bytes: [UInt8], named name: String, in scratch: Scratch) throws(Violation) {
        guard !namesOtherFiles(bytes) else { return }
        try check(PinSource(scratch.write(bytes, to: name)))
    }

    /// Reads `bytes` as a policy, which is more than its pins.
    static func checkPolicy(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        guard !namesOtherFiles(bytes) else { return }
        let path = scratch.write(bytes, to: "source")
        switch Result(catching: { () throws(Problem) in try PolicyReader.policy(PinFile.load(path)) }) {
        case .success(let policy):
            try Violation.unless(!policy.hosts.isEmpty, "a policy without hosts")
            for host in policy.hosts { try Violation.unless(host.place.path != nil, "a host without a place") }
        case .failure(let error): try Violation.unlessMessage(error.description)
        }
    }

    static func check(_ source: PinSource) throws(Violation) {
        let read = Result { () throws(Problem) in try source.read() }
        let inspection = source.inspect()
        for problem in inspection.problems { try Violation.unlessMessage(problem.description) }
        for note in inspection.notes { try Violation.unlessMessage(note.description) }
        switch read {
        case .success(let reading):
            try Violation.unless(
                !reading.pins.isEmpty || reading.configurations.contains { !$0.entries.isEmpty }
                    || !reading.networkSecurity.isEmpty || !reading.transportSecurity.isEmpty,
                "read, and without a pin or a word on trust")
            try Violation.unless(inspection.problems.isEmpty, "read, and refused by inspection: \(inspection.problems)")
            try Violation.unless(
                inspection.pins == reading.pins
                    && inspection.configurations.map(\.entries) == reading.configurations.map(\.entries),
                "inspection finds other pins")
            for note in reading.notes { try Violation.unlessMessage(note.description) }
        case .failure(let error):
            try Violation.unlessMessage(error.description)
            try Violation.unless(!inspection.problems.isEmpty, "refused, and fine by inspection: \(error)")
        }
    }

    /// Whether a value in `bytes` could be an absolute path, which leads to the files of this machine.
    private static func namesOtherFiles(_ bytes: [UInt8]) -> Bool {
        let marks: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        return bytes.indices.dropLast().contains { index in
            guard marks.contains(bytes[index]), bytes[index + 1] == UInt8(ascii: "/") else { return false }
            // That of an XML element ends it.
            return index + 2 == bytes.count || bytes[index + 2] != UInt8(ascii: ">")
        }
    }
}

struct Scratch {
    let directory: String
    /// A number that the input decides, to choose by what is not tried every time.
    let choice: Int

    init(_ directory: String, for bytes: [UInt8]) {
        self.directory = directory
        choice = bytes.reduce(0) { $0 &+ Int($1) }
    }

    func write(_ bytes: [UInt8], to name: String) -> String {
        let path = "\(directory)/\(name)"
        guard let file = fopen(path, "w") else { preconditionFailure("cannot write to \(path)") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return path
    }
}
