import PinChecking
import Pinning
import TLSProbe

extension Report {
    /// The proxy that a connection went through, or should have.
    struct Proxy: DocumentObject {
        var url: String
        /// What named it, as in `HTTPS_PROXY`.
        var origin: String
        /// Its address, `nil` where it let nobody through.
        var address: String?
        /// The TLS connection to the proxy itself, `nil` without one.
        var tls: ProxyTLS?
    }

    /// The TLS connection to a proxy itself.
    struct ProxyTLS: DocumentObject {
        var version: String
        var cipher: String
        var subject: String
        var certSha256: String
    }
}

extension Report.Proxy {
    /// Reports the proxy of a result, `nil` for none.
    init?(_ result: CheckResult) {
        guard let proxy = result.endpoint?.proxy else { return nil }
        let passage = (try? result.connection?.get())?.proxy
        self.init(
            url: proxy.url, origin: proxy.origin, address: passage?.address.description,
            tls: passage?.tls.map { tls in
                Report.ProxyTLS(
                    version: tls.version.description, cipher: tls.cipher, subject: tls.leaf.subject,
                    certSha256: tls.leaf.fingerprint.hexadecimal)
            })
    }
}

// The keys of the document.

extension Report.Proxy {
    static let definition: String? = "proxy"

    static let fields: DocumentFields<Report.Proxy> = [
        DocumentField("url", \.url, "The proxy, without a user's name and password."),
        DocumentField("origin", \.origin, "What named it: an option, a variable, or a line of a file."),
        DocumentField("address", \.address, "Its address and port; null where it let nobody through."),
        DocumentField("tls", \.tls, "The connection to an https proxy itself, which no pin is held against."),
    ]
}

extension Report.ProxyTLS {
    static let fields: DocumentFields<Report.ProxyTLS> = [
        DocumentField("version", \.version), DocumentField("cipher", \.cipher),
        DocumentField("subject", \.subject, "The subject of the proxy's certificate."),
        DocumentField("cert_sha256", \.certSha256),
    ]
}
