import Base
import PinChecking

/// Words of other tools and libraries that have no equivalent here, each with the advice to give.
enum ForeignWords {
    private static let proxyUser: SafeText = "name the user in HTTPS_PROXY=http://user:password@host:port"
    private static let head: SafeText = "pincheck https://HOST --request PATH asks, and shows the status line"
    private static let chromium: SafeText =
        "Chromium's own stack pins by addPublicKeyPins, and roots that the user installs pass by it: no client here "
        + "decides alike; generic compares the pins"
    private static let webView: SafeText =
        "the WebView and CapacitorHttp follow the system: use android, nspinneddomains"
    private static let dotNet: SafeText =
        "a callback compares by hand: use generic; AndroidMessageHandler follows the system: android; "
        + "NSUrlSessionHandler: nspinneddomains"
    private static let urlSession: SafeText = "it connects by URLSession: use nspinneddomains, trustkit"
    private static let dart: SafeText = "dart:io compares by hand and reads no network_security_config.xml: use generic"
    private static let trustManager: SafeText = "the system's trust manager decides: use android"
    private static let systemRules: SafeText = "the system's rules decide: use nspinneddomains"
    private static let speed: SafeText = "leave it out: a download ends when nothing comes for 30 seconds"

    /// Options of curl and of testssl.sh; the advice on one that begins with a command is only for that command.
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

    /// Libraries and platforms named as the client, in small letters without hyphens, underscores, points and blanks.
    static let clients: [String: SafeText] = [
        "cronet": chromium,
        "httpengine": chromium,
        "unity": "its CertificateHandler replaces every other check: no client here decides alike",
        "cordova":
            "a WebView follows the system: use android, nspinneddomains; cordova-plugin-advanced-http on iOS: afnetworking with the files "
            + "of www/certificates; on Android they are its only anchors: --anchors",
        "capacitor": webView,
        "ionic": webView,
        "expo": "give its app.json to --pins: nspinneddomains and trustkit follow",
        "grpc": "it is given roots, not pins: use generic with --anchors",
        "maui": dotNet,
        "xamarin": dotNet,
        "dotnet": dotNet,
        "moya": "it connects by Alamofire: use alamofire",
        "kingfisher": urlSession,
        "sdwebimage": urlSession,
        "dart": dart,
        "conscrypt": trustManager,
        "httpurlconnection": trustManager,
        "wkwebview": systemRules,
        "cfnetwork": systemRules,
        "webkit": systemRules,
        "networkframework": "a verify block compares by hand: use generic",
        "httpcertificatepinning":
            "it compares the fingerprint of the whole certificate, as no client here does: use generic with the .cer",
        "reactnativesslpinning": "by hashes it is okhttp, by .cer files on iOS afnetworking",
        "reactnativesslpublickeypinning": "use okhttp and trustkit, which read its JSON",
        "trustkitandroid": "on Android 7 and later the system enforces this file: use android",
        "retrofit": "it connects by OkHttp: use okhttp",
        "ktor": "its engine decides: use okhttp, or generic",
        "volley": trustManager,
        "urlsession": "use nspinneddomains, or trustkit",
        "nsurlsession": "use nspinneddomains, or trustkit",
        "reactnative": "use okhttp, and trustkit",
        "flutter": dart,
        "dio": dart,
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
            let key = name.lowercased().filter { !"-_. ".contains($0) }
            if let instead = clients[key] {
                throw .usage("there is no client \(quoted(name)): \(instead)")
            }
        }
    }
}
