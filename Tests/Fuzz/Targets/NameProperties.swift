import Pinning
import X509

/// What holds for names of hosts.
enum NameProperties {
    /// Reads `bytes` as a name, an address and a pattern.
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
        do {
            let name = try ServerName(text)
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
        } catch let error as ServerNameError {
            // Whoever shows it escapes it: line breaks of the text are in it.
            try Violation.unless(
                error.description.utf8.count <= 1_000, "a message of \(error.description.utf8.count) bytes")
        } catch let error as Violation { throw error } catch { throw Violation("\(error)") }
    }
}
