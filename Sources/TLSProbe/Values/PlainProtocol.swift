/// What a server speaks that answered a ClientHello with something other than TLS.
package enum PlainProtocol: String, Sendable, Hashable, CaseIterable {
    case http = "plain HTTP"
    case ssh = "an SSH banner"
    /// SMTP or FTP, whose greetings look alike.
    case smtpOrFTP = "an SMTP or FTP greeting"
    case pop3 = "a POP3 greeting"
    case imap = "an IMAP greeting"
    case xmpp = "an XMPP stream"
    case mysql = "a MySQL greeting"
    case unknown = "bytes that are not TLS"

    /// What `opening`, the first bytes a server sent, shows; `nil` when they can be the start of a TLS record.
    init?(opening: [UInt8]) {
        guard let first = opening.first else { return nil }
        // A record begins with its type, 20 to 24, and the major version 3 (RFC 8446, 5.1).
        if (20...24).contains(first), opening.count < 2 || opening[1] == 3 { return nil }
        let text = String(decoding: opening, as: UTF8.self).lowercased()
        let known = Self.beginnings.first { $0.texts.contains(where: text.hasPrefix) }?.spoken
        let isMySQL = opening.count >= 5 && opening[3] == 0 && opening[4] == 10
        self = known ?? (isMySQL ? .mysql : .unknown)
    }

    private static let beginnings: [(texts: [String], spoken: PlainProtocol)] = [
        (["http/", "<html", "<!doctype"], .http), (["ssh-"], .ssh), (["220", "421", "554"], .smtpOrFTP),
        (["+ok"], .pop3), (["* "], .imap), (["<?xml", "<stream"], .xmpp),
    ]

    var remedy: String {
        switch self {
        case .http: "check the port: TLS is usually on 443"
        case .smtpOrFTP, .pop3, .imap, .xmpp, .mysql:
            "it begins TLS only after a command of its protocol; check the port for one with TLS from the first byte"
        case .ssh, .unknown: "check the port"
        }
    }
}
