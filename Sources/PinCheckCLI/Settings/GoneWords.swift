import Base
import PinChecking

/// What pincheck had and has no more, each with what to do instead: asked for only where a word is not known.
enum GoneWords {
    static let commands: [String: SafeText] = [
        "merge": "put the results of runs together with cat and sum them up with jq; the worst exit status counts",
        "schema": "the schemas are installed as share/pincheck/schemas/*.json",
    ]

    static let options: [String: SafeText] = [
        "--shard": "split the list: split -n r/3/8 hosts.txt | pincheck --targets - -f jsonl",
        "--resume": "check the targets that the jsonl of the run lacks, and append what comes of it",
        "--on-change": "let the shell do it: out=$(pincheck … --state FILE); [ -n \"$out\" ] && notify \"$out\"",
        "--skip-bad-pins": "pins that cannot be read are refused with their place: correct or remove them",
        "--ct-logs": "embedded SCTs are counted, whatever their logs: leave it out",
        "--validate-certificate-chain": "it is the default of --client afnetworking-2.5",
        "--no-validate-certificate-chain": "write --client afnetworking-2.5:chain=no",
        "--strict": "each client's platform decides what it refuses; --fail-on warn counts its warnings",
        "--auth-level": "each client's platform has its own: choose --client, or --device",
        "--loops": "leave it out: there is a thread for each processor",
        "--proxy-user-file": "name the user in HTTPS_PROXY=http://user:password@host:port",
        "--proxy-user": "name the user in HTTPS_PROXY=http://user:password@host:port",
        "-U": "name the user in HTTPS_PROXY=http://user:password@host:port",
        "--head": "leave it out: --request asks by GET",
        "--each-tls-version": "check twice, with --max-tls 1.2 and with --min-tls 1.3",
        "--compare-sni": "write --thorough, or check once more with --no-sni",
        "--starttls": "pincheck checks HTTPS: STARTTLS is left out",
        "--cache": "leave it out: each scrape is a probe; a rule of Prometheus records what others read",
        "--log-format": "the log is lines of name=value, which Loki and others read as logfmt",
        "--partial": "name the targets that answer, or check the others first",
        "fetch --resume-all": "give the command of each download again: it goes on with what was interrupted",
        "fetch --head": "pincheck https://HOST --request PATH asks, and shows the status line",
        "fetch -I": "pincheck https://HOST --request PATH asks, and shows the status line",
        "fetch --speed-limit": "leave it out: a download ends when nothing comes for 30 seconds",
        "fetch --speed-time": "leave it out: a download ends when nothing comes for 30 seconds",
        "fetch --follow-unpinned": "give pins for the hosts it redirects to: --pins, or an entry of --policy",
        "fetch --format": "leave it out: the last line and the exit status say it",
        "fetch -f": "leave it out: the last line and the exit status say it",
    ]

    /// Those that were, and names that people type for something else.
    static let clients: [String: SafeText] = [
        "trustkit-android": "on Android 7 and later the system enforces this file: use android",
        "hpkp": "no browser follows that header any more: use generic, which compares the same pins",
        "dane": "no app compares TLSA records: give the key's hash, sha256/…, to the client that the app has",
        "afnetworking-2.5.0": "use afnetworking-2.5, or afnetworking-2.5:chain=no",
        "afnetworking-2.5.1":
            "its default policy checked nothing (issue 2590): use afnetworking-2.5, or update the app",
        "afnetworking-2.5.2":
            "its default policy checked no names (CVE-2015-3996): use afnetworking-2.5, or update the app",
        "afnetworking-2.6": "use afnetworking-3", "retrofit": "it connects by OkHttp: use okhttp",
        "ktor": "its engine decides: use okhttp, or generic",
        "volley": "the system's configuration decides: use android", "urlsession": "use nspinneddomains, or trustkit",
        "nsurlsession": "use nspinneddomains, or trustkit", "react-native": "use okhttp, and trustkit",
        "flutter": "its own TLS decides, and a pin is compared by hand: use generic", "dio": "use generic",
        "webview": "the system decides: use android, or nspinneddomains", "node": "use generic", "go": "use generic",
        "java": "use generic", "python": "use generic", "chrome": "no browser compares an app's pins: use generic",
    ]

    static let forms: [String: SafeText] = [
        "markdown": "write github, junit or json", "sarif": "'pincheck lint' has it; here write github, or junit",
        "tlsa": "a TLSA record is no pin that an app compares: write json, or the form of a client",
        "hpkp": "browsers follow that header no more: write json, or the form of a client",
    ]

    static let changes: [String: SafeText] = [
        "order-changed": "write chain-changed", "intermediate-extra": "write chain-changed",
        "intermediate-dropped": "write chain-changed", "root-sent": "write chain-changed",
        "root-omitted": "write chain-changed", "tls-changed": "leave it out: it is no change any more",
        "unchanged": "leave it out: it is no change",
        "endpoints-differ": "leave it out: it is the warning addresses-differ",
    ]

    static func refuse(clients list: String) throws(CommandError) {
        for part in list.split(separator: ",") {
            let name = String(part.prefix { $0 != ":" })
            guard !Client.all.contains(where: { $0.name == name }) else { continue }
            if let instead = clients[name.lowercased()] {
                throw .usage("there is no client \(quoted(name)): \(instead)")
            }
        }
    }
}
