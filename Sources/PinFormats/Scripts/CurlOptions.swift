/// Which of curl's options take a value, up to curl 8.16 (`src/tool_getparam.c`).
enum CurlOptions {
    enum Meaning { case pin, url, next, value, flag }

    /// What a long option without its dashes means.
    ///
    /// curl takes the beginning of a name where no other begins so; a `flag` that has none of these names takes no value.
    static func meaning(_ name: some StringProtocol) -> Meaning {
        let name = String(name)
        switch name {
        case "url": return .url
        case "next": return .next
        default: break
        }
        if name.hasPrefix("pi"), "pinnedpubkey".hasPrefix(name) { return .pin }
        return beginnings.contains(name) && !flagsThatBeginOthers.contains(name) ? .value : .flag
    }

    /// Whether it is the option of the pin but for capital letters, which later versions of curl do not take.
    static func isPinInCapitals(_ name: some StringProtocol) -> Bool {
        meaning(name) == .flag && meaning(name.lowercased()) == .pin
    }

    /// The letters of options that take a value.
    static let letters = Set("AbcCdDeEFhHKmoPQrtTuUwxXyYz")

    /// Whether an option is called so in full that takes a value.
    static func takesValue(_ name: String) -> Bool { name == "url" || wholeNames.contains(name) }

    private static let wholeNames = Set(names)
    private static let flagsThatBeginOthers: Set = [
        "crlf", "ftp-ssl-ccc", "head", "keepalive", "netrc", "parallel", "socks5-gssapi", "ssl",
    ]

    private static let beginnings = Set(names.flatMap { name in (2...name.utf8.count).map { String(name.prefix($0)) } })

    private static let names = [
        "abstract-unix-socket", "alt-svc", "aws-sigv4", "cacert", "capath", "cert", "cert-type", "ciphers", "config",
        "connect-timeout", "connect-to", "continue-at", "cookie", "cookie-jar", "create-file-mode", "crlfile", "curves",
        "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "delegation", "dns-interface",
        "dns-ipv4-addr", "dns-ipv6-addr", "dns-servers", "doh-url", "dump-header", "ech", "egd-file", "engine",
        "etag-compare", "etag-save", "expect100-timeout", "form", "form-string", "ftp-account",
        "ftp-alternative-to-user", "ftp-method", "ftp-port", "ftp-ssl-ccc-mode", "happy-eyeballs-timeout-ms",
        "haproxy-clientip", "header", "help", "hostpubmd5", "hostpubsha256", "hsts", "interface", "ip-tos",
        "ipfs-gateway", "json", "keepalive-cnt", "keepalive-time", "key", "key-type", "knownhosts", "krb", "libcurl",
        "limit-rate", "local-port", "login-options", "mail-auth", "mail-from", "mail-rcpt", "max-filesize",
        "max-redirs", "max-time", "netrc-file", "noproxy", "oauth2-bearer", "output", "output-dir", "parallel-max",
        "parallel-max-host", "pass", "preproxy", "proto", "proto-default", "proto-redir", "proxy", "proxy-cacert",
        "proxy-capath", "proxy-cert", "proxy-cert-type", "proxy-ciphers", "proxy-crlfile", "proxy-header", "proxy-key",
        "proxy-key-type", "proxy-pass", "proxy-pinnedpubkey", "proxy-service-name", "proxy-tls13-ciphers",
        "proxy-tlsauthtype", "proxy-tlspassword", "proxy-tlsuser", "proxy-user", "proxy1.0", "pubkey", "quote",
        "random-file", "range", "rate", "referer", "request", "request-target", "resolve", "retry", "retry-delay",
        "retry-max-time", "sasl-authzid", "service-name", "sigalgs", "socks4", "socks4a", "socks5",
        "socks5-gssapi-service", "socks5-hostname", "speed-limit", "speed-time", "ssl-sessions", "stderr",
        "telnet-option", "tftp-blksize", "time-cond", "tls-max", "tls13-ciphers", "tlsauthtype", "tlspassword",
        "tlsuser", "trace", "trace-ascii", "trace-config", "unix-socket", "upload-file", "upload-flags", "url-query",
        "user", "user-agent", "variable", "vlan-priority", "write-out",
    ]
}
