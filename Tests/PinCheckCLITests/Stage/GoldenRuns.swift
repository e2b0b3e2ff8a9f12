struct GoldenRun: Sendable, CustomStringConvertible {
    let name: String
    let line: String
    let forms: [String]
    let environment: [String: String]
    let input: String

    init(_ name: String, _ line: String, _ forms: [String], in environment: [String: String] = [:], input: String = "")
    { (self.name, self.line, self.forms, self.environment, self.input) = (name, line, forms, environment, input) }

    var description: String { name }

    static let short = "-f json | short"

    private static let text = [""]
    private static let explained = ["--explain"]
    private static let two = ["", short]
    private static let machines = ["-f brief", "-f nagios", "-f prometheus", "-f junit", "-f github"]
    private static let every = ["", "-f json"] + machines
    private static let monitored = ["", short, "-f nagios"]

    private static let verify = "verify $CHAIN \(named)"
    private static let check = "$HOST --connect $SERVER --anchors $ROOT"
    private static let named = "--anchors $ROOT --host $HOST"
    private static let both = "--pins $LEAF --pins $BACKUP"

    static let all = verdicts + clients + configurations + mistakes + servers + pins + lint + rotation + others

    private static let verdicts: [GoldenRun] = [
        .init("verify-pass", "\(verify) \(both)", every + explained + ["-f jsonl"]),
        .init("verify-html", "\(verify) \(both)", ["-f html"]),
        .init("verify-pin-mismatch", "\(verify) --pins $JUNK", every), .init("verify-no-pins", verify, two),
        .init("verify-no-name", "verify $CHAIN --anchors $ROOT", two),
        .init("verify-untrusted", "verify $CHAIN --host $HOST \(both)", two + explained),
        .init("verify-system-root", "verify $CHAIN --host $HOST \(both)", two, in: ["SSL_CERT_FILE": "$ROOT"]),
        .init("verify-wrong-name", "verify $DIR/elsewhere.pem \(named)", two + explained),
        .init("verify-expired", "verify $DIR/expired.pem \(named) \(both)", two + explained),
        .init("verify-at", "\(verify) \(both) --at 2027-08-01", two),
        .init("verify-expiring", "verify $DIR/expiring.pem \(named) \(both)", monitored),
        .init(
            "verify-warn-before", "\(verify) \(both) --warn-before 400d --fail-before 7d --fail-on warn", two + machines
        ), .init("verify-fail-before", "\(verify) \(both) --fail-before 90%", monitored),
        .init("verify-only-backup", "verify $DIR/next-chain.pem \(named) --pins $LEAF --pins $NEXT", two),
        .init("verify-intermediate-pin", "\(verify) --pins $INTER --pins $BACKUP", two),
        .init("verify-missing-issuer", "verify $DIR/leaf.pem \(named)", two),
        .init("verify-given-issuer", "verify $DIR/leaf.pem \(named) --intermediate $DIR/inter.pem", two),
        .init(
            "verify-pin-only-presented",
            "verify $DIR/stranger-sent.pem --anchors $DIR/rootB.pem --host $HOST --pins $LEAF", two),
        .init("verify-certificates", "\(verify) --pins $DIR/leaf.cer --mode certificate", two + explained),
        .init("verify-directory", "\(verify) --pins $DIR/bundle", two),
        .init("verify-and-system", "\(verify) \(both) --and-system", two, in: ["SSL_CERT_FILE": "$DIR/rootB.pem"]),
        .init("verify-standard-input", "verify - \(named)", [""], input: "no certificate\n"),
    ]

    private static let clients =
        [
            "afnetworking", "afnetworking-3", "afnetworking-2.5", "alamofire", "trustkit", "okhttp", "android",
            "nspinneddomains", "curl", "generic",
        ].flatMap { client in
            [
                GoldenRun("client-\(client)-pass", "\(verify) \(both) --client \(client)", explained),
                GoldenRun(
                    "client-\(client)-fail", "\(verify) --pins $JUNK --pins $BACKUP --client \(client)",
                    explained + [short]),
            ]
        } + [
            GoldenRun(
                "clients-several", "\(verify) --pins $INTER --pins $BACKUP --client okhttp,curl",
                two + explained + machines), GoldenRun("clients-all", "\(verify) \(both) --client all", two),
            GoldenRun("client-unknown", "\(verify) \(both) --client afnetworkin", text),
            GoldenRun("client-retrofit", "\(verify) \(both) --client retrofit", text),
            GoldenRun("client-setting", "\(verify) --pins $JUNK --pins $BACKUP --client trustkit:no-enforce", two),
            GoldenRun("client-allow-invalid", "verify $CHAIN --host $HOST \(both) --allow-invalid-certificates", two),
            GoldenRun("client-no-name", "\(verify) \(both) --no-validate-domain-name", two),
            GoldenRun("device-iphone", "verify $CHAIN --host $HOST \(both) --device ios-18", monitored),
            GoldenRun("device-and-system", "\(verify) --and-system --device ios-18,android-14", text),
            GoldenRun(
                "device-several", "\(verify) \(both) --device ios-18,android-14 --client afnetworking,okhttp",
                two + explained + ["-f prometheus", "-f junit"]),
            GoldenRun("device-unknown", "\(verify) \(both) --device iphon", text),
        ]

    private static let configurations =
        [
            ("android", "android.xml"), ("android-wrong", "android-wrong.xml"), ("nspinneddomains", "Info.plist"),
            ("nspinneddomains-wrong", "Info-wrong.plist"), ("trustkit-plist", "trustkit.plist"),
            ("trustkit-json", "trustkit.json"), ("trustkit-wrong", "trustkit-wrong.json"), ("app", "Shop.app"),
            ("react-native", "react-native.json"), ("okhttp-source", "Client.kt"), ("hosts", "hosts.txt"),
            ("public-keys", "key.pub"), ("pem-named-cer", "pem.cer"),
        ].map { name, file in GoldenRun("configuration-\(name)", "\(verify) --pins $DIR/\(file)", two) } + [
            GoldenRun("configuration-res", "\(verify) --pins $DIR/res --client android", two),
            GoldenRun(
                "configuration-nspinneddomains-named", "\(verify) --pins $DIR/Info.plist --client nspinneddomains", two),
            GoldenRun(
                "configuration-android-named", "\(verify) --pins $DIR/android.xml --client android", two + explained),
            GoldenRun("configuration-trustkit-named", "\(verify) --pins $DIR/trustkit.json --client trustkit", two),
            GoldenRun("configuration-okhttp-named", "\(verify) --pins $DIR/Client.kt --client okhttp", two),
            GoldenRun("curl-value", "\(verify) --pinnedpubkey $CURLJUNK;$CURLLEAF --client curl", two),
            GoldenRun("curl-value-wrong", "\(verify) --pinnedpubkey $CURLJUNK --client curl", two),
            GoldenRun(
                "hosts-of-others", "verify $CHAIN --anchors $ROOT --host www.example.org --pins $DIR/hosts.txt", two),
        ]

    private static let mistakes =
        ["short.txt", "slash.txt", "nothing.txt", "prose.txt", "android-short.xml", "private.key", "empty"].map {
            file in GoldenRun("bad-\(file.replacing(".", with: "-"))", "\(verify) --pins $DIR/\(file)", text)
        } + [
            GoldenRun(
                "bad-pin-of-nothing", "\(verify) --pins sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", text),
            GoldenRun("bad-pin-string", "\(verify) --pins sha256/AAAA", ["", "-f nagios"]),
            GoldenRun("bad-chain", "verify $DIR/prose.txt", text),
            GoldenRun("missing-pins", "\(verify) --pins $DIR/none.txt", ["", "-f nagios"]),
            GoldenRun("missing-chain", "verify $DIR/none.pem", text),
            GoldenRun("missing-anchors", "verify $CHAIN --anchors $DIR/none.pem", text),
            GoldenRun("usage-nothing", "", text), GoldenRun("usage-check", "check", text),
            GoldenRun("usage-flag", "$HOST --pin $LEAF", text), GoldenRun("usage-command", "verfy $CHAIN", text),
            GoldenRun("usage-value", "$HOST --timeout soon", text), GoldenRun("usage-form", "\(verify) -f yaml", text),
            GoldenRun("usage-insecure", "$HOST -k", text), GoldenRun("usage-http", "http://$HOST/", text),
            GoldenRun("usage-file-as-host", "$DIR", text),
        ]

    private static let servers: [GoldenRun] = [
        .init("check-pass", "\(check) \(both)", every + ["--explain", "--verbose", "-f jsonl"]),
        .init("check-fail", "$HOST --connect $INTERCEPTED --anchors $ROOT \(both)", every),
        .init(
            "check-intercepted", "$HOST --connect $INTERCEPTED --anchors $DIR/roots.pem --pins $LEAF", two + explained),
        .init("check-unreachable", "$HOST --connect $REFUSED \(both)", every),
        .init("check-plain", "$HOST --connect $PLAIN", two), .init("check-old-tls", "$HOST --connect $OLDTLS", two),
        .init("check-min-tls", "$HOST --connect $OLDTLS --anchors $ROOT --min-tls 1.0", two),
        .init("check-expired", "$HOST --connect $EXPIRED --anchors $ROOT \(both)", two),
        .init("check-expiring", "$HOST --connect $EXPIRING --anchors $ROOT \(both)", monitored),
        .init("check-incomplete", "$HOST --connect $INCOMPLETE --anchors $ROOT", two),
        .init("check-address", "https://$SERVER/ --host $HOST --anchors $ROOT \(both)", two),
        .init("check-no-host", "$SERVER --anchors $ROOT", two), .init("check-no-sni", "\(check) --no-sni \(both)", two),
        .init("check-sni", "\(check) --sni other.example", two),
        .init("check-verify-name", "\(check) --verify-name www.example.org", two),
        .init(
            "check-several", "$SERVER $EXPIRED $REFUSED --host $HOST --anchors $ROOT \(both)",
            two + machines + ["-f jsonl --jobs 1"]),
        .init(
            "check-list", "--targets - --anchors $ROOT", ["", "-f jsonl --jobs 1"],
            input: "# servers\n$HOST connect=$SERVER pins=$LEAF\n$HOST connect=$ROTATED pins=$LEAF # old\n"),
        .init("check-bad-list", "--targets -", text + machines, input: "api.example.com colour=red\n"),
        .init("check-policy", "--policy $DIR/policy.json5", two),
        .init("check-request", "\(check) \(both) --request /list.txt", two + machines),
        .init("check-request-missing", "\(check) --request /other --expect-status 200", two),
        .init("check-request-rejected", "\(check) --pins $JUNK --request /list.txt", text),
        .init("check-thorough", "\(check) \(both) --thorough", two),
        .init("check-addresses", "$HOST --connect $SERVER --connect $ROTATED --anchors $ROOT \(both)", monitored),
        .init(
            "check-differing", "$HOST --connect $SERVER --connect $ROTATED --anchors $ROOT",
            ["-f junit", "-f junit --fail-on warn", "-f github"]),
        .init("check-resolve", "$HOST:$SERVERPORT \(there)", text),
        .init("check-clients", "\(check) \(both) --client okhttp,curl,afnetworking", two),
        .init("check-quiet", "\(check) --pins $JUNK --quiet", text),
        .init("next-request", "--next $DIR/next.csr --host $HOST --anchors $ROOT --pins $LEAF --pins $BACKUP", two),
        .init("next-request-pass", "--next $DIR/next.csr --host $HOST --anchors $ROOT --pins $LEAF --pins $NEXT", two),
        .init("next-chain", "--next $DIR/next-chain.pem --host $HOST --anchors $ROOT --pins $LEAF --pins $NEXT", two),
        .init(
            "next-key", "--next $DIR/next.pub --host $HOST --anchors $ROOT --pins $LEAF --pins $BACKUP --client curl",
            two),
    ]

    private static let pinForms = ["okhttp", "android", "nspinned", "trustkit", "curl", "afnetworking", "json"].map {
        "-f " + $0
    }

    private static let pins: [GoldenRun] = [
        .init("pins-server", "pins $HOST --connect $SERVER --anchors $ROOT", text + pinForms),
        .init("pins-untrusted", "pins $HOST --connect $SERVER", text),
        .init("pins-unreachable", "pins $HOST --connect $REFUSED", text),
        .init("pins-chain", "pins $CHAIN --host $HOST", ["", "-f okhttp", "-f android"]),
        .init("pins-request", "pins $DIR/next.csr", two), .init("pins-key", "pins $DIR/key.pub", two),
        .init("pins-private-key", "pins $DIR/private.key", text), .init("pins-missing", "pins $DIR/none.pem", text),
        .init("pins-from-android", "pins --from $DIR/android.xml", text + pinForms.dropLast()),
        .init("pins-from-hosts", "pins --from $DIR/pins.txt --host $HOST", pinForms),
        .init("pins-recommend", "pins $CHAIN --host $HOST --anchors $ROOT --recommend", text),
        .init("pins-recommend-key", "pins $CHAIN --host $HOST --anchors $ROOT --recommend --key $DIR/backup.pub", two),
    ]

    private static let lintForms = ["", "-f github"]

    private static let lint =
        [
            "pins.txt", "one.txt", "twice.txt", "short.txt", "android.xml", "trustkit.json", "trustkit-one.json",
            "Info.plist", "leaf.cer", "pem.cer", "Client.kt", "bundle", "private.key", "none.txt",
        ].map { file in GoldenRun("lint-\(file.replacing(".", with: "-"))", "lint $DIR/\(file)", lintForms) } + [
            GoldenRun(
                "lint-several", "lint $DIR/short.txt $DIR/twice.txt $DIR/pins.txt", lintForms + ["-f json", "-f junit"]),
            GoldenRun("lint-sarif", "lint $DIR/one.txt", ["-f sarif"]),
            GoldenRun("lint-fail-on", "lint $DIR/one.txt --fail-on warning", text),
            GoldenRun("lint-expiring", "lint $DIR/leaf.cer --at 2027-07-20", text),
        ]

    private static let rotation =
        [
            "before", "renewed", "rekeyed", "key-type-changed", "issuer-changed", "root-changed", "names-added",
            "intermediate-missing", "root-sent", "stranger-sent", "expires-earlier", "intercepted", "other-target",
        ].map { GoldenRun("diff-\($0)", "diff $DIR/before.json $DIR/\($0).json", two) } + [
            GoldenRun("diff-names-removed", "diff $DIR/names-added.json $DIR/before.json", two),
            GoldenRun("diff-allowed", "diff $DIR/before.json $DIR/rekeyed.json --allow rekeyed", two),
            GoldenRun("diff-unknown-word", "diff $DIR/before.json $DIR/rekeyed.json --allow rekey", text),
            GoldenRun("diff-missing", "diff $DIR/none.json", text), GoldenRun("diff-bad", "diff $DIR/pins.txt", text),
            GoldenRun("snapshot", "snapshot $HOST --connect $SERVER", text),
            GoldenRun("snapshot-unreachable", "snapshot $HOST --connect $REFUSED", text),
            GoldenRun("baseline-same", "\(check) \(both) --baseline $DIR/before.json", two),
            GoldenRun(
                "baseline-changed",
                "$HOST --connect $ROTATED --anchors $ROOT --pins $INTER --pins $BACKUP --baseline $DIR/before.json",
                two + machines),
            GoldenRun(
                "baseline-rejected", "$HOST --connect $ROTATED --anchors $ROOT \(both) --baseline $DIR/before.json", two
            ),
        ]

    private static let there = "--resolve $HOST:$SERVERPORT:127.0.0.1 --anchors $ROOT"

    private static let others: [GoldenRun] = [
        .init("clients", "clients", text), .init("devices", "devices", text),
        .init("devices-unknown", "devices nokia", text), .init("version-of-nothing", "help nothing", text),
        .init("fetch", "fetch https://$HOST:$SERVERPORT/list.txt \(there) \(both)", text),
        .init("fetch-rejected", "fetch https://$HOST:$SERVERPORT/list.txt \(there) --pins $JUNK", text),
        .init("fetch-missing", "fetch https://$HOST:$SERVERPORT/other \(there) \(both)", text),
        .init("fetch-usage", "fetch http://$HOST/list.txt", text),
    ]
}
