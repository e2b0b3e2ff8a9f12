import Base
import PinCheckCLI
import Pinning
import TLSProbe
import X509

enum AnswerProperties {
    static func check(_ bytes: [UInt8]) throws(Violation) {
        switch Result(catching: { () throws(AnswerError) in try AddressAnswer.read(bytes) }) {
        case .success(let answer):
            try Violation.unless(answer.addresses.count <= AddressAnswer.addressLimit, "too many addresses")
            try Violation.unless(Set(answer.addresses).count == answer.addresses.count, "addresses twice")
        case .failure(let error): try Violation.unlessShort(error.description)
        }
    }
}

/// What holds for what a server says of places and ranges.
enum LocationProperties {
    /// Reads `bytes` as a Location, followed from several places, and as a Content-Range.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        for base in ["https://a.example:8443/b/c/d;p?q", "http://[2001:db8::1]/", "https://203.0.113.7/?x"] {
            guard let base = try? HTTPLocation(base) else { throw Violation("\(base) is no place") }
            switch Result(catching: { () throws(Problem) in try base.following(text) }) {
            case .success(let location): try check(location, from: base, text)
            case .failure(let error): try Violation.unlessShort(error.description)
            }
        }
        if let range = ContentRange(text), let bytes = range.bytes {
            try Violation.unless(bytes.lowerBound >= 0, "a range before the beginning")
            if let total = range.total { try Violation.unless(bytes.upperBound < total, "a range behind the end") }
        }
    }

    private static func check(_ location: HTTPLocation, from base: HTTPLocation, _ text: String) throws(Violation) {
        let written = location.description
        try Violation.unless((try? HTTPLocation(written)) == location, "\(written) is read as another place")
        try Violation.unless(location.path.hasPrefix("/"), "\(location.path.debugDescription) as a path")
        try Violation.unless(written.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(written.debugDescription) as a URL")
        try Violation.unless(!written.contains("#"), "the fragment of \(written.debugDescription) is sent")
        // What begins with neither a scheme nor two slashes stays where it is.
        if !text.contains(":"), !text.hasPrefix("//") {
            try Violation.unless(
                location.hasOrigin(of: base), "\(text.debugDescription) leads from \(base) to \(written)")
        }
    }
}

enum ProxyProperties {
    /// Reads `bytes` as the answers of each kind of proxy, at once and byte by byte.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        for kind in Proxy.Kind.allCases {
            for hasUser in [false, true] {
                let whole = try conversation(kind, hasUser, bytes, inPiecesOf: .max)
                let single = try conversation(kind, hasUser, bytes, inPiecesOf: 1)
                try Violation.unless(whole.steps == single.steps, "\(kind): other steps byte by byte")
                try Violation.unless(
                    whole.isFailure || whole.count == single.count, "\(kind): another end byte by byte")
            }
        }
    }

    private static func conversation(_ kind: Proxy.Kind, _ hasUser: Bool, _ bytes: [UInt8], inPiecesOf size: Int)
        throws(Violation) -> (steps: [ProxyDialogue.Step], count: Int, isFailure: Bool)
    {
        let proxy = Proxy(
            kind, host: .dns("proxy.example"), port: 1_080,
            credentials: hasUser ? ProxyCredentials(user: [97], password: [98], for: kind) : nil, origin: "")
        var dialogue = ProxyDialogue(with: proxy, to: .resolve(host: "api.example.com"), port: 443)
        var steps: [ProxyDialogue.Step] = []
        var position = 0
        while position < bytes.count {
            let end = size < bytes.count - position ? position + size : bytes.count
            let (step, count) = dialogue.read(bytes[position..<end])
            try Violation.unless(
                (1...end - position).contains(count), "\(kind): \(count) of \(end - position) bytes read")
            position += count
            switch step {
            case .incomplete: break
            case .send(let message):
                try Violation.unless(message.count <= 600, "\(kind): a message of \(message.count) bytes")
                steps.append(step)
            case .established: return (steps + [step], position, false)
            case .failed(let failure):
                let error = ProbeError(.proxy, .proxy(failure), target: "api.example.com:443", proxy: proxy.url)
                let text = "\(error)"
                try Violation.unless(text.utf8.count <= 2_000, "a message of \(text.utf8.count) bytes")
                try Violation.unless(
                    !text.unicodeScalars.contains { $0.value < 0x20 }, "a control character in a message")
                return (steps + [step], position, true)
            }
            try Violation.unless(steps.count <= 2, "\(kind): \(steps.count) messages sent")
        }
        return (steps, position, false)
    }
}

enum ScrapeProperties {
    /// Reads the first line of `bytes` as the target of a request, and the others as values of the header with the timeout.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let probe = Result { () throws(ScrapeProblem) in
            let query = try ScrapeQuery(lines[0])
            return (path: query.path, probe: try query.probe())
        }
        switch probe {
        case .success(let read):
            let length = read.probe.target.utf8.count + (read.probe.module?.utf8.count ?? 0)
            try Violation.unless(read.path.utf8.first == UInt8(ascii: "/"), "\(read.path.debugDescription) as a path")
            try Violation.unless(length <= lines[0].utf8.count, "parameters of \(length) bytes")
            try Violation.unless(!read.probe.target.isEmpty && read.probe.module != "", "a probe without words")
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
        switch Result(catching: { () throws(ScrapeProblem) in try ScrapeQuery.timeout(Array(lines.dropFirst())) }) {
        case .success(let time):
            guard let time else { return }
            let range = Duration.milliseconds(1)...(.seconds(86_400))
            try Violation.unless(range.contains(time), "\(time) as the time of a scrape")
        case .failure(let problem): try Violation.unlessMessage(problem.message.description)
        }
    }
}

enum NameProperties {
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = IPAddress(text) {
            try Violation.unless(IPAddress(address.description) == address, "\(address) is read as another address")
        }
        let ascii = InternationalName.ascii(text)
        if let ascii {
            try Violation.unless(ascii.utf8.allSatisfy { $0 < 0x80 }, "an A-label outside ASCII")
            try check(ascii)
        }
        try check(text)
    }

    private static func check(_ text: String) throws(Violation) {
        let name: ServerName
        do throws(ServerNameError) { name = try ServerName(text) } catch {
            return try Violation.unlessShort(error.description)
        }
        try Violation.unless((try? ServerName(name.description)) == name, "\(name) is read as another name")
        guard case .dns(let host) = name else { return }
        try Violation.unless(host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(host.debugDescription) as a name")
        if let suffix = SystemPublicSuffixList.publicSuffix(of: host) {
            try Violation.unless(host.hasSuffix(suffix), "\(suffix) as the suffix of \(host)")
        }
        for depth in [HostPattern.Depth.exact, .oneLabel, .upToOneLabel, .anyNumber] {
            let pattern = HostPattern(text: host, depth)
            try Violation.unless(pattern.covers(host) == (depth != .oneLabel), "\(pattern) and \(host)")
        }
    }
}
