package import TLSProbe

/// What holds where a request says nothing: every default of a check stands here.
package enum RequestDefaults {
    package static let serverName = ServerNameChoice.targetHost
    package static let port = Port.https
    package static let family = ProbeRequest.AddressFamily.any
    /// How long a target may take in all, in seconds.
    package static let timeoutSeconds = 10
    /// How often to try again when there was no verdict.
    package static let retries = 0
    /// The lowest TLS version to offer, or the highest where that is lower.
    package static let minimumTLS = TLSVersion.tls12
    package static let maximumTLS = TLSVersion.tls13
    /// How many targets are checked at the same time.
    package static let jobs = 512
    /// What is offered where a request is sent and nothing else is asked to be: what the request is written in (RFC 7301, 6).
    static let applicationProtocolOfRequests = "http/1.1"
    /// AFNetworking's `allowInvalidCertificates`.
    package static let allowsInvalidCertificates = false
    /// Whether the system's roots are trusted beside anchors.
    package static let includesSystem = false
}
