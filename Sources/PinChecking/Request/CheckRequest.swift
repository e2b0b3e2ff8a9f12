import Base
package import PinFormats
package import Pinning
package import TLSProbe
import X509

/// The request of a check as options, policies and lists contain it, before files and pins are read; an open part is
/// `nil` or empty: ``merged(over:)`` fills it from another reader's request, and ``RequestDefaults`` last.
package struct CheckRequest: Hashable {
    package var names = Names()
    package var connection = Connection()
    package var judging = Judging()
    package var variants = Variants()
    package var http = HTTP()

    package init() {}

    /// This request, with `other` for its open parts: a list's line over options, options over the policy.
    package func merged(over other: CheckRequest) -> CheckRequest {
        var merged = self
        merged.names = names.merged(over: other.names)
        merged.connection = connection.merged(over: other.connection)
        merged.judging = judging.merged(over: other.judging)
        merged.variants = variants.merged(over: other.variants)
        merged.http.path = http.path ?? other.http.path
        merged.http.expected = http.expected ?? other.http.expected
        return merged
    }
}

package enum RequestDefaults {
    static let serverName = ServerNameChoice.targetHost
    package static let port = 443
    package static let family = AddressFamily.any
    package static let timeoutSeconds = 10
    package static let retries = 0
    /// The lowest TLS version to offer, unless the highest is lower.
    static let minimumTLS = ProtocolVersion.tls12
    static let maximumTLS = ProtocolVersion.tls13
    package static let jobs = 512
}

extension CheckRequest {
    package struct Names: Hashable {
        /// The name and port in the HTTP Host header; `nil` means the target's.
        package var host: Target?
        /// The name that the certificate must be valid for; `nil` means the host's, and a malformed name only fails.
        var reference: ReferenceName?
        private var writtenReference: String?

        package init() {}

        package mutating func setReference(_ text: String) {
            let name = ReferenceName(written: text)
            reference = name
            writtenReference = if case .name(let host) = name { host.written(as: text) } else { text }
        }

        package func referenceName(of target: ServerName?) -> ReferenceName {
            reference ?? (host?.host ?? target).map(ReferenceName.name) ?? .unchecked
        }

        /// The name as written, for a target written `target`; `nil` if no name is given.
        package func writtenName(of target: String?) -> String? {
            reference == nil ? host?.writtenHost ?? target : writtenReference
        }

        fileprivate func merged(over other: Names) -> Names {
            var merged = reference == nil ? other : self
            merged.host = host ?? other.host
            return merged
        }
    }

    package struct HTTP: Hashable {
        package var path: HTTPPath?
        /// The statuses that the answer may have; `nil` means any.
        package var expected: ExpectedStatus?

        package init() {}

        package static func path(_ text: String) throws(Problem) -> HTTPPath {
            do { return try HTTPPath(text) } catch {
                let shown = text.prefix { $0 != "?" }
                throw .usage("\(quoted(shown + (shown.count < text.count ? "?…" : ""), to: 200)) \(error)")
            }
        }

        func exchange(host: ServerName, port: Int) throws(Problem) -> CheckExchange? {
            if let path { return CheckExchange(HTTPRequest(path, host: host, port: port), expecting: expected) }
            guard expected == nil else {
                throw .usage(
                    "a status is expected (expect-status) and nothing is asked: give the path to ask for (request)")
            }
            return nil
        }
    }

    package struct Judging: Hashable {
        package var pins: [PinSource] = []
        package var clients: ClientSelection?
        /// AFNetworking's pinning mode; `nil` means the one that fits the pins.
        package var mode: AFSecurityPolicy.PinningMode?
        package var allowsInvalidCertificates: Bool?
        /// AFNetworking's `validatesDomainName`; `nil` means the default of its version.
        package var validatesDomainName: Bool?
        package var trust = Trust()
        /// The names of devices, as in `ios-17`, `system`, `all`; `nil` means this machine and the newest platforms.
        package var devices: [String]?
        /// A file with the roots of devices; `nil` means the program's data.
        package var deviceData: String?
        /// Files and directories of roots that count as installed by the user.
        package var extraRoots: [String] = []
        /// Files and directories of certificates that count as fetched by a platform.
        package var intermediates: [String] = []
        package var time: Timestamp?
        package var outlook = OutlookRules()

        package init() {}

        func merged(over other: Judging) -> Judging {
            var merged = self
            if pins.isEmpty { merged.pins = other.pins }
            merged.clients = clients ?? other.clients
            merged.mode = mode ?? other.mode
            merged.allowsInvalidCertificates = allowsInvalidCertificates ?? other.allowsInvalidCertificates
            merged.validatesDomainName = validatesDomainName ?? other.validatesDomainName
            merged.trust = trust.merged(over: other.trust)
            merged.devices = devices ?? other.devices
            merged.deviceData = deviceData ?? other.deviceData
            if extraRoots.isEmpty { merged.extraRoots = other.extraRoots }
            if intermediates.isEmpty { merged.intermediates = other.intermediates }
            merged.time = time ?? other.time
            merged.outlook = outlook.merged(over: other.outlook)
            return merged
        }
    }

    package struct Trust: Hashable {
        /// Files and directories of anchors; empty for the system's roots.
        package var anchors: [String] = []
        package var includesSystem: Bool?

        fileprivate func merged(over other: Trust) -> Trust {
            guard anchors.isEmpty else { return self }
            return Trust(anchors: other.anchors, includesSystem: includesSystem ?? other.includesSystem)
        }
    }
}

/// A request with its expected answer; a class, so that thousands of targets without one stay small.
package final class CheckExchange: Sendable {
    package let request: HTTPRequest
    package let expected: ExpectedStatus?

    package init(_ request: HTTPRequest, expecting expected: ExpectedStatus?) {
        (self.request, self.expected) = (request, expected)
    }
}

/// The HTTP statuses that an answer may have, as in `204`, `2xx`, `200-299`, or several of them.
package struct ExpectedStatus: Hashable {
    package let texts: [String]
    private let statuses: [ClosedRange<Int>]

    package init(_ text: String) throws(Problem) {
        texts = text.lowercased().parts(at: ",").map(String.init)
        statuses = texts.compactMap(Self.statuses)
        guard statuses.count == texts.count else {
            throw .usage(
                "\(quoted(text, to: 200)) is not an HTTP status: write 204, 2xx, 200-299, or a list as in 200,304")
        }
    }

    func includes(_ status: Int) -> Bool { statuses.contains { $0.contains(status) } }

    /// The statuses that an entry allows, within 100 to 599 (RFC 9110, 15).
    private static func statuses(_ text: String) -> ClosedRange<Int>? {
        let ends = text.parts(at: "-", atMost: 2)
        guard ends.allSatisfy({ $0.utf8.count == 3 }), let first = Int(ends[0].replacing("xx", with: "00")),
            let last = Int(ends[ends.count - 1].replacing("xx", with: "99")), 100 <= first, first <= last, last <= 599
        else { return nil }
        return first...last
    }
}
