import Base
import Pinning

/// What programs that read along call the authorities they issue certificates with.
///
/// A name is anybody's to take: it is a hint, and proves neither that a program is there nor that none is.
struct InterceptorMark: Sendable {
    /// What the issuer's name holds, in small letters.
    let text: String
    /// The program.
    let program: String

    init(_ text: String, _ program: String) {
        self.text = text
        self.program = program
    }

    /// The marks, each with where its name is documented.
    static let all: [InterceptorMark] = [
        // https://www.charlesproxy.com/documentation/using-charles/ssl-certificates/
        InterceptorMark("charles proxy", "Charles"),
        // https://docs.mitmproxy.org/stable/concepts/certificates/
        InterceptorMark("mitmproxy", "mitmproxy"),
        // https://portswigger.net/burp/documentation/desktop/external-browser-config/certificate
        InterceptorMark("portswigger", "Burp Suite"),
        // https://docs.telerik.com/fiddler/configure-fiddler/tasks/decrypthttps
        InterceptorMark("do_not_trust_fiddler", "Fiddler"),
        InterceptorMark("fiddler root certificate authority", "Fiddler"),
        // https://docs.proxyman.com/debug-devices/macos
        InterceptorMark("proxyman ca", "Proxyman"),
        // https://httptoolkit.com/docs/guides/android/
        InterceptorMark("http toolkit ca", "HTTP Toolkit"),
        // https://www.zaproxy.org/docs/desktop/addons/network/options/servercertificates/
        InterceptorMark("zed attack proxy", "ZAP"), InterceptorMark("zap root ca", "ZAP"),
        // https://help.zscaler.com/unified/choosing-ca-certificate-ssl-inspection
        InterceptorMark("zscaler", "Zscaler"),
        // https://docs.netskope.com/en/certificates
        InterceptorMark("netskope", "Netskope"), InterceptorMark("goskope.com", "Netskope"),
        // https://docs.fortinet.com/document/fortigate/latest/administration-guide/ (SSL/SSH inspection: Fortinet_CA_SSL)
        InterceptorMark("fortinet", "Fortinet"), InterceptorMark("fortigate", "Fortinet"),
        // https://docs.umbrella.com/deployment-umbrella/docs/manage-certificates
        InterceptorMark("cisco umbrella", "Cisco Umbrella"),
        // https://support.kaspersky.com (Kaspersky Anti-Virus Personal Root Certificate)
        InterceptorMark("kaspersky anti-virus personal root", "Kaspersky"),
        // https://support.eset.com (SSL/TLS protocol filtering: ESET SSL Filter CA)
        InterceptorMark("eset ssl filter ca", "ESET"),
    ]

    /// Longer names are not looked at to their end.
    private static let longestName = 1000

    /// The program whose mark is in the name of an issuer of these certificates.
    static func program(issuing certificates: [Certificate]) -> String? {
        for certificate in certificates {
            let bytes = certificate.issuer.utf8.prefix(longestName).map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
            let name = String(decoding: bytes, as: UTF8.self)
            if let mark = all.first(where: { name.holdsBytes(of: $0.text) }) { return mark.program }
        }
        return nil
    }
}
