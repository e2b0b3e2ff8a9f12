import COpenSSL
import X509

/// An alert that a server sent (RFC 8446, 6).
package struct TLSAlert: Hashable, CustomStringConvertible {
    let number: UInt8

    package static let protocolVersion = Self(number: 70)
    /// certificate_required: the server requires a client certificate (RFC 8446, 4.4.2.4).
    package static let certificateRequired = Self(number: 116)

    /// `true` if the server supports no part of the offer (handshake_failure, insufficient_security and the like).
    var isForWantOfCommonParameters: Bool { [40, 71, 43].contains(number) }

    /// The name in the standards, as in `handshake_failure`; `unknown` if the number has none.
    package var name: String {
        // OpenSSL has no name for some alerts, and another name for others.
        switch number {
        case 86: "inappropriate_fallback"
        case 109: "missing_extension"
        case 116: "certificate_required"
        case 121: "ech_required"
        default: String(cString: SSL_alert_desc_string_long(Int32(number))).lowercased().replacing(" ", with: "_")
        }
    }

    func advice(naming name: ProbeSetting.Naming) -> String {
        switch number {
        case 40, 71:
            "no cipher, group or certificate suits both sides; check \(name(.serverName)) and the TLS versions; it may "
                + "offer DHE only: \(name(.ciphers)) DHE-RSA-AES128-GCM-SHA256, or in TLS 1.3 \(name(.groups)) ffdhe2048"
                + (OpenSSLVersion.isHybrid
                    ? ""
                    : "; this OpenSSL (\(OpenSSLVersion.number)) does not know X25519MLKEM768 and ML-DSA: 3.5 does")
        case 42, 43, 44, 45, 46, 48, 49, 116: "it may insist on a client certificate"
        case 70: "check \(name(.minimumVersion)) and \(name(.maximumVersion))"
        case 80: "the fault is the server's own; see its log"
        case 112: "it does not know the name in SNI; check \(name(.serverName))"
        case 120: "it speaks none of the offered application protocols; check \(name(.protocols))"
        default: "see the server's log"
        }
    }

    package var description: String { "\(name) (\(number))" }
}

/// The entries that a failed OpenSSL call left in this thread's error queue.
struct OpenSSLErrors {
    private let codes: [UInt]

    /// Takes all entries, oldest first; to be called right after the call that failed.
    static func take() -> Self {
        var codes: [UInt] = []
        while case let code = ERR_get_error(), code != 0 { codes.append(code) }
        return Self(codes: codes)
    }

    /// The reason in libssl's own entry, which is in terms of TLS.
    var tlsReason: Int32? { codes.first { ERR_GET_LIB($0) == ERR_LIB_SSL }.map { ERR_GET_REASON($0) } }

    /// The number that OpenSSL adds to that of a received alert (`SSL_AD_REASON_OFFSET`).
    private static let alertOffset: Int32 = 1000

    var alert: TLSAlert? { tlsReason.flatMap { UInt8(exactly: $0 - Self.alertOffset) }.map(TLSAlert.init) }

    /// OpenSSL's words for the entry of libssl, or for the first entry of another library.
    var text: String {
        guard let code = codes.first(where: { ERR_GET_LIB($0) == ERR_LIB_SSL }) ?? codes.first else {
            return "OpenSSL states no reason"
        }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "OpenSSL error \(String(code, radix: 16))"
    }
}

/// The protocol of a server that did not answer a ClientHello with TLS.
package enum PlainProtocol: String {
    case http = "plain HTTP"
    case unknown = "bytes that are not TLS"

    /// The protocol that a server's first bytes show; `nil` if they can begin a TLS record.
    init?(opening: [UInt8]) {
        guard let first = opening.first else { return nil }
        // A record begins with its type, 20 to 24, and the major version 3 (RFC 8446, 5.1).
        if (20...24).contains(first), opening.count < 2 || opening[1] == 3 { return nil }
        let text = String(decoding: opening, as: UTF8.self).lowercased()
        self = ["http/", "<html", "<!doctype"].contains(where: text.hasPrefix) ? .http : .unknown
    }

    var remedy: String {
        switch self {
        case .http: "check the port: TLS is usually on 443"
        case .unknown: "check the port for one with TLS from the first byte"
        }
    }
}
