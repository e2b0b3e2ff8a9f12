import Base
import PinChecking

/// Words of other tools and libraries that have no equivalent here, each with the advice to give.
enum ForeignWords {
    /// Options of curl and of testssl.sh; the advice on one that begins with a command is only for that command.
    static let options = table([
        "--proxy-user,-U": "name the user in HTTPS_PROXY=http://user:password@host:port",
        "--head,-I": "pincheck https://HOST --request PATH asks, and shows the status line",
        "--starttls": "pincheck checks HTTPS: STARTTLS is left out",
        "fetch --speed-limit,fetch --speed-time": "leave it out: a download ends when nothing comes for 30 seconds",
        "fetch -f": "leave it out: the last line and the exit status say it",
        "fetch -L,fetch --location": "redirects are followed, each judged anew, up to --max-redirs of them",
        "fetch -C,fetch --continue-at,fetch -c,fetch --continue": "the same command goes on with what was interrupted",
        "pins -k,pins --insecure":
            "an untrusted chain is shown as it is, with a warning; give a private root with --anchors",
        "snapshot -k,snapshot --insecure": "leave it out: a snapshot judges nothing",
    ])

    /// Libraries and platforms named as the client, in small letters without hyphens, underscores, points and blanks.
    static let clients = table([
        "cronet,httpengine":
            "Chromium's own stack pins by addPublicKeyPins, and roots that the user installs pass by it: no client here "
            + "decides alike; generic compares the pins",
        "unity": "its CertificateHandler replaces every other check: no client here decides alike",
        "cordova":
            "a WebView follows the system: use android, nspinneddomains; cordova-plugin-advanced-http on "
            + "iOS: afnetworking with the files of www/certificates; on Android they are its only anchors: --anchors",
        "capacitor,ionic": "the WebView and CapacitorHttp follow the system: use android, nspinneddomains",
        "expo": "give its app.json to --pins: nspinneddomains and trustkit follow",
        "grpc": "it is given roots, not pins: use generic with --anchors",
        "maui,xamarin,dotnet":
            "a callback compares by hand: use generic; AndroidMessageHandler follows the system: android; "
            + "NSUrlSessionHandler: nspinneddomains",
        "moya": "it connects by Alamofire: use alamofire",
        "kingfisher,sdwebimage": "it connects by URLSession: use nspinneddomains, trustkit",
        "dart,flutter,dio": "dart:io compares by hand and reads no network_security_config.xml: use generic",
        "conscrypt,httpurlconnection,volley": "the system's trust manager decides: use android",
        "wkwebview,cfnetwork,webkit": "the system's rules decide: use nspinneddomains",
        "networkframework": "a verify block compares by hand: use generic",
        "httpcertificatepinning":
            "it compares the fingerprint of the whole certificate, as no client here does: use generic with the .cer",
        "reactnativesslpinning": "by hashes it is okhttp, by .cer files on iOS afnetworking",
        "reactnativesslpublickeypinning": "use okhttp and trustkit, which read its JSON",
        "trustkitandroid": "on Android 7 and later the system enforces this file: use android",
        "retrofit": "it connects by OkHttp: use okhttp",
        "ktor": "its engine decides: use okhttp, or generic",
        "urlsession,nsurlsession": "use nspinneddomains, or trustkit",
        "reactnative": "use okhttp, and trustkit",
        "webview": "the system decides: use android, or nspinneddomains",
        "node,go,java,python": "use generic",
        "chrome": "no browser compares an app's pins: use generic",
    ])

    private static func table(_ rows: KeyValuePairs<String, SafeText>) -> [String: SafeText] {
        let pairs = rows.flatMap { words, advice in [words].words.map { ($0, advice) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    static func refuse(clients list: String) throws(Problem) {
        for part in [list].words {
            let name = String(part.prefix { $0 != ":" })
            guard !Client.all.contains(where: { $0.name == name }) else { continue }
            let key = name.lowercased().filter { !"-_. ".contains($0) }
            if let instead = clients[key] { throw .usage("there is no client \(quoted(name)): \(instead)") }
        }
    }
}
