import TLSProbe

/// What holds for what a server says of places and ranges.
enum LocationProperties {
    /// Reads `bytes` as a Location, followed from several places, and as a Content-Range.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        for base in ["https://a.example:8443/b/c/d;p?q", "http://[2001:db8::1]/", "https://203.0.113.7/?x"] {
            guard let base = try? HTTPLocation(base) else { throw Violation("\(base) is no place") }
            switch Result(catching: { () throws(HTTPLocationError) in try base.following(text) }) {
            case .success(let location): try check(location, from: base, text)
            case .failure(let error):
                // Whoever shows it escapes it: line breaks of the text are in it.
                let length = error.description.utf8.count
                try Violation.unless(length <= 1_000, "a message of \(length) bytes")
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
