import Base
import PinChecking

/// Words of other tools and libraries that have no equivalent here, each with what to do instead.
enum ForeignWords {
    private static let proxyUser: SafeText = "name the user in HTTPS_PROXY=http://user:password@host:port"
    private static let head: SafeText = "pincheck https://HOST --request PATH asks, and shows the status line"
    private static let speed: SafeText = "leave it out: a download ends when nothing comes for 30 seconds"

    /// Options of curl and of testssl.sh; one that begins with a command is told of in that command alone.
    static let options: [String: SafeText] = [
        "--proxy-user": proxyUser,
        "-U": proxyUser,
        "--head": head,
        "-I": head,
        "--starttls": "pincheck checks HTTPS: STARTTLS is left out",
        "fetch --speed-limit": speed,
        "fetch --speed-time": speed,
        "fetch -f": "leave it out: the last line and the exit status say it",
    ]

    /// Libraries and platforms that people name as the client.
    static let clients: [String: SafeText] = [
        "trustkit-android": "on Android 7 and later the system enforces this file: use android",
        "retrofit": "it connects by OkHttp: use okhttp",
        "ktor": "its engine decides: use okhttp, or generic",
        "volley": "the system's configuration decides: use android",
        "urlsession": "use nspinneddomains, or trustkit",
        "nsurlsession": "use nspinneddomains, or trustkit",
        "react-native": "use okhttp, and trustkit",
        "flutter": "its own TLS decides, and a pin is compared by hand: use generic",
        "dio": "use generic",
        "webview": "the system decides: use android, or nspinneddomains",
        "node": "use generic",
        "go": "use generic",
        "java": "use generic",
        "python": "use generic",
        "chrome": "no browser compares an app's pins: use generic",
    ]

    static func refuse(clients list: String) throws(Problem) {
        for part in list.split(separator: ",") {
            let name = String(part.prefix { $0 != ":" })
            guard !Client.all.contains(where: { $0.name == name }) else { continue }
            if let instead = clients[name.lowercased()] {
                throw .usage("there is no client \(quoted(name)): \(instead)")
            }
        }
    }
}
