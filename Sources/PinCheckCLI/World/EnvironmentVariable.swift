/// The variables of the environment that change what pincheck does.
enum EnvironmentVariable: String, CaseIterable {
    case allProxy = "ALL_PROXY"
    case columns = "COLUMNS"
    case httpsProxy = "HTTPS_PROXY"
    case noColor = "NO_COLOR"
    case noProxy = "NO_PROXY"
    case opensslConfiguration = "OPENSSL_CONF"
    case opensslIncludes = "OPENSSL_CONF_INCLUDE"
    case certificateDirectories = "SSL_CERT_DIR"
    case certificateFile = "SSL_CERT_FILE"
    case terminal = "TERM"
    case temporaryDirectory = "TMPDIR"

    var meaning: String {
        switch self {
        case .columns: "How wide help and reports are. Without it the terminal says so."
        case .allProxy: "The proxy, if HTTPS_PROXY names none. all_proxy goes first."
        case .httpsProxy: "The proxy that connections go through. https_proxy goes first."
        case .noProxy: "Hosts that no proxy is for, as curl reads it. no_proxy goes first."
        case .noColor: "Nothing is coloured if it is set and not empty."
        case .opensslConfiguration: "OpenSSL's configuration, instead of its openssl.cnf."
        case .opensslIncludes: "Where .include lines of OpenSSL's configuration look for relative paths."
        case .certificateDirectories: "Directories of trusted roots by hash, instead of the system's."
        case .certificateFile: "A file of trusted roots, instead of the system's."
        case .terminal: "Nothing is coloured, and no progress is shown, if it is dumb."
        case .temporaryDirectory: "Where long results wait before they become a file. It is /tmp otherwise."
        }
    }
}
