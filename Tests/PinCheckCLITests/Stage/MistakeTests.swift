import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

extension OnStage {
    /// Input of every kind that makes no sense: the exact status, and one sentence with the remedy.
    @Suite(.endsSomeTime) struct MistakeTests {
        /// Holds an outcome against a refusal in one plain, short line with a sentence in it.
        private func expectRefusal(
            _ outcome: Outcome, _ status: ExitStatus, _ sentence: String, hasRows: Bool = false,
            at place: SourceLocation = #_sourceLocation
        ) {
            outcome.expect(status, errors: sentence, not: "s3cr3t", "b%zz", "Problem", at: place)
            // What is wrong with one entry is a result of that entry.
            #expect(outcome.output.isEmpty != hasRows, "\(outcome)", sourceLocation: place)
            let isOneLine = outcome.errors.count(where: \.isNewline) == 1 && outcome.errors.utf8.count < 1_100
            #expect(
                outcome.errors.hasPrefix("Error: ") && isOneLine && isPlain(outcome.errors), "\(outcome)",
                sourceLocation: place)
        }

        private func expectRefusal(_ line: String, _ status: ExitStatus, _ sentence: String) async throws {
            let long = String(repeating: "a", count: 1 << 20)
            let verify = "verify $CHAIN --anchors $ROOT --host $HOST"
            let words = try Stage.current.words(line.replacing("VERIFY", with: verify))
            expectRefusal(
                await pincheck(words.map { $0.replacing("LONG", with: long) }, at: Stage.now), status, sentence)
        }

        /// Ends with 64. `VERIFY` judges the chain of the stage, `LONG` is a word of a mebibyte.
        static let usage: [(line: String, sentence: String)] = [
            ("--foo", "there is no option '--foo': 'pincheck help check' lists those there are"),
            ("host --json", "'--json': did you mean '--format json'?"),
            ("lint --sarif", "'--sarif': did you mean '--format sarif'?"),
            ("snapshot host --anchors x", "a snapshot judges nothing: 'pincheck diff FILE --anchors …'"),
            ("host --deviec x", "'--deviec': did you mean '--device'?"),
            ("pins host -o x", "'-o': the result goes to standard output: write '> FILE'"),
            ("host --cacert x", "'--cacert': did you mean '--anchors'?"),
            ("host --client okhttp,target-sdk=23", "follows its name and a colon: write 'okhttp:target-sdk=23'"),
            ("host --mode publickey", "--mode 'publickey' is unknown: did you mean 'public-key'?"),
            ("host --key-types rsa,ecdas", "--key-types 'ecdas' is unknown: did you mean 'ecdsa'?"),
            ("pins host --format okhtp", "--format 'okhtp' is unknown: did you mean 'okhttp'?"),
            ("pins host --position laef", "--position 'laef' is unknown: did you mean 'leaf'?"),
            ("chekc", "'pincheck check'? A host of that name is checked by 'pincheck check chekc'"),
            ("verify", "no <chain> is given: write 'pincheck verify <chain> "),
            ("verify a b", "'b' is one argument too many: write 'pincheck verify "),
            ("host --sni 192.0.2.1", "is an address: TLS carries host names only"),
            ("host --sni a --no-sni", "contradict each other"),
            ("192.0.2.1 -6", "is not an address of the family asked for: ask for IPv4 or for any"),
            ("host --verify-name ''", "--verify-name '' is empty"), ("host --host 'a b'", "control character"),
            ("host --host a --header 'Host: b'", "contradict each other"),
            ("host --header 'Accept: */*'", "only 'Host: NAME' does"),
            ("host --port 0", "--port '0' is not a number from 1 to 65535"),
            ("host --timeout 0", "is not a time in seconds"), ("host --jobs 0", "--jobs '0' is not a number from 1"),
            ("host --min-tls 1.4", "is not a TLS version"),
            ("host --min-tls 1.3 --max-tls 1.2", "the lowest TLS version, 1.3, is above the highest, 1.2"),
            ("host --alpn h2,", "holds a name of no or of more than 255 bytes"),
            ("host --alpn " + String(repeating: "x", count: 256), "holds a name of no or of more than 255 bytes"),
            ("host --connect 192.0.2.1:0", "a port is a number"), ("host --resolve host:443", "has too few parts"),
            ("host --resolve host:443:name", "has no address in 'name'"),
            ("host --connect-to host:443:192.0.2.1", "has not four parts"),
            ("host --resolve other:443:192.0.2.1", "'other:443', which is not a target of this call"),
            ("host --resolve *:444:192.0.2.1", "'*:444', which is not a target of this call"),
            ("host --connect-to :::", "has neither a host nor a port to connect to"),
            ("host --baseline a.json --baseline b.json", "--baseline is given twice: give it once"),
            ("host --and-system", "the system's roots are to be added to anchors"),
            ("host --at yesterday", "the time 'yesterday' is not understood"),
            ("host --mode certificate --pins $LEAF", "mode certificate compares certificates"),
            ("host --mode", "--mode has no value: write '--mode <mode>'"),
            ("-", "the target '-' is no host: a list on standard input is read with '--targets -'"),
            ("--", "no target is given: name a host, as in 'pincheck api.example.com'"), ("--=x", "'--': "),
            ("=x", "the host name '=x' holds '='"), ("-=x", "'-=…': "), ("LONG", "has more than 253 characters"),
            ("--LONG", "'pincheck help check' lists those"),
            ("host --timeout LONG", "is not a time in seconds from 0.001 to 86400, as in 2.5"),
            ("host --client LONG", "is not known: choose from"), ("--help=1", "--help has no value: leave out '=1'"),
            ("host -q=1", "-q has no value: leave out '=1'"),
            ("host -q46", "-4 and -6 contradict each other: give one of them"),
            ("host -qfjsno", "--format 'jsno' is unknown: did you mean 'json'?"),
            ("host -fq", "--format 'q' is unknown: choose from text"),
            ("host -qo", "-o has no value: write '-o <file>'"),
            ("host --timeout --quiet", "--timeout has no value before '--quiet': write '--timeout <seconds>'"),
            ("host --policy=", "--policy '' is empty: write '--policy <file>'"),
            ("host -o ''", "-o '' is empty: write '--output <file>'"),
            ("--targets - --policy -", "standard input is asked for twice, by --targets and by --policy"),
            ("--targets - --targets -", "name a file for one of them"),
            ("host --ignore pirvate-root", "is the id of no warning: did you mean 'private-root'?"),
            ("host -uadmin:s3cr3t", "'-u…': "), ("fetch '-HAuthorization: s3cr3t'", "'-H…': did you mean '--header'?"),
            ("host --verify-name https://u:s3cr3t@h/", "leave out everything up to the '@'"),
            ("host --client okhttp --client curl", "--client is given twice: give it once"),
            ("-f json check host", "the command comes first: write 'pincheck check …'"),
            ("host --pins -4", "--pins has no value before '-4': write '--pins <source>'"),
            ("host --pins --LONG", "--pins has no value before '--aaa"),
            ("host --proxy http://user:s3cr3t", "has a port that is no number"),
            ("--generate-manual pincheck-lnt", "did you mean 'pincheck-lint'?"),
            ("host --proxy user:s3cr3t@a://b", "--proxy: the proxy 'a://b' has the port ''"),
            ("$HOST -f json=$DIR/a -o $DIR/b", "is for no form: every --format names its own file"),
            ("$HOST -f json=$DIR/a -f text -o $DIR/a", "both go to "),
            ("$HOST -f text -f junit=-", "both go to standard output: write one of them as junit=FILE"),
            ("$HOST --device android", "there is no device 'android': did you mean 'android-17'?"),
            ("$HOST --device ios-99", "there is no list of roots for 'ios-99', and next to it is ios-26"),
            ("$HOST -f okhttp", "--format 'okhttp' is unknown: choose from text, brief"),
            ("$HOST --connect 300.1.2.3", "four numbers from 0 to 255"),
            ("diff", "says more, and 'pincheck snapshot <target> -o <file>' makes the file"),
            ("--generate-completion-script tcsh", "--generate-completion-script 'tcsh' is unknown: "),
            ("VERIFY --warn-before 30", "--warn-before '30' is not a threshold: write 30d for days"),
            ("VERIFY --fail-before=60d --warn-before=30d", "the warning before 30d never comes"),
            ("VERIFY --fail-on fail", "--fail-on 'fail' is unknown: write --fail-on warn"),
            ("pins x.example --recommend --from y", "contradict each other"),
            ("pins x.example --recommend --position leaf", "contradict each other"),
            ("pins x.example --recommend --pins y", "--pins"),
            ("pins x.example --recommend --device ios-12", "--device"),
            ("$HOST --httpdns aliyun", "--httpdns 'aliyun' lacks the account: write aliyun:ACCOUNT"),
            ("$HOST --doh https://dns.example/ --httpdns tencent", "--doh and --httpdns contradict each other"),
            ("$HOST --httpdns tencent --connect 127.0.0.1", "addresses are given and a service is to be asked"),
            ("127.0.0.1:1 -f json=", "names no file after the '='"),
            ("127.0.0.1:1 --request health", "--request 'health' is not a path: begin it with '/', as in /health"),
            ("127.0.0.1:1 --expect-status 2xx", "and nothing is asked: give the path to ask for (request)"),
            ("127.0.0.1:1 --request / --alpn h2,http/1.1", "a request is sent in HTTP/1.1 alone: offer http/1.1"),
            ("$HOST --groups X25518", "--groups 'X25518': OpenSSL "), ("$HOST --ciphers nonsense", "(no cipher match)"),
            ("$HOST --ciphers HIGH,nonsense", "does not take 'nonsense' (no cipher match)"),
            ("$HOST --ciphers HIGH;0nonsense", "does not take '0nonsense' (no cipher match)"),
            ("$HOST --ciphers TLS_AES_128_GCM_SHA256,TLS_NONSENSE", "does not take 'TLS_NONSENSE' (no cipher match)"),
            // A name of IANA for TLS 1.2.
            ("$HOST --ciphers TLS_RSA_WITH_AES_128_GCM_SHA256 --min-tls 1.3", "'TLS_RSA_WITH_AES_128_GCM_SHA256'"),
            ("$HOST --ciphers TLS_AES_128_GCM_SHA256 --max-tls 1.2", "no TLS version that is to be offered has 'TLS"),
            ("$HOST --ciphers ECDHE-RSA-AES128-GCM-SHA256 --min-tls 1.3", "that is to be offered has 'ECDHE"),
            ("$HOST --ciphers HIGH --key-types rsa", "is to choose ciphers and sigalgs: leave out either"),
            ("$HOST --sigalgs ed25519 --thorough", "is to choose ciphers and sigalgs: leave out either"),
            ("$HOST --proxy x --no-proxy", "--proxy and --no-proxy contradict each other"),
            ("serve", "nothing can be asked for"),
            ("serve --allow-target a --listen localhost:9719", "--listen 'localhost:9719' is no address"),
            ("serve --allow-target 'a b'", "--allow-target: the host name 'a b'"),
            ("serve --allow-target a --policy b", "no pins to judge by"),
            ("serve --allow-target a --log-level loud", "--log-level 'loud' is unknown"),
            ("serve --policy -", "name a file, and not standard input"), ("serve --module a", "write NAME=FILE"),
            ("serve --module default=c", "is that of --policy"), ("fetch https://a.example/ -O", "names no file"),
            ("fetch https://a.example/x -O -o y", "contradict each other"),
            ("fetch https://a.example/x --sha256 abc", "is no SHA-256"),
            ("fetch https://a.example/x --sha256 \(String(repeating: "0", count: 64))", "name a file with --output"),
            ("fetch https://a.example/x -o /dev/null --sha256 \(String(repeating: "0", count: 64))", "name a file"),
            ("fetch https://a.example/x --header 'Range: bytes=0-'", "is pincheck's own"),
            ("fetch https://a.example/x --header 'A\u{0A}B: c'", "is none"),
            ("fetch https://a.example/x --alpn h2", "HTTP/1.1"), ("fetch 'https://a b/x'", "percent-encoded"),
            ("VERIFY --pins $LEAF --client ''", "the client '' is not known: choose from"),
            ("VERIFY --pins $LEAF --client okhttp:patern=x", "did you mean 'pattern=PATTERN'?"),
            ("VERIFY --pins $LEAF --client nspinneddomains:key=lea", "has no key 'lea': did you mean 'leaf'?"),
            ("VERIFY --pins $LEAF --client trustkit:expires=soon", "soon"),
            ("diff $DIR/before.json --allow zzz", "--allow 'zzz' is unknown: choose from renewed, rekeyed"),
            ("diff $DIR/before.json --connect 127.0.0.1", "the snapshot says where to connect"),
            ("diff $DIR/before.json $DIR/before.json --pins x", "name targets to judge"),
            ("diff - --update", "--update cannot rewrite standard input"),
            ("check $HOST --allow renewed", "give --baseline FILE"), ("check $HOST --update", "give --baseline FILE"),
            ("devices iso-17", "there is no device 'iso-17': did you mean 'ios-17'?"),
            ("devices system", "'system' has the roots of this machine"),
            ("$HOST --insecure", "--allow-invalid-certificates"),
            ("$HOST --device ios-26,", "the name of a device is empty"),
            ("$HOST --device-data x", "device data is given and no device is named: give --device"),
            (
                "VERIFY --device ios-12,android-17 --client afnetworking",
                "(afnetworking) runs on android-17: add one of"
            ), ("VERIFY --device ios-12 --client afnetworking,curl", "curl runs on none of the devices (ios-12)"),
        ]

        @Test(arguments: usage) func aCommandLineThatMakesNoSenseIsRefused(line: String, sentence: String) async throws
        { try await expectRefusal(line, .usage, sentence) }

        static let others: [(line: String, status: ExitStatus, sentence: String)] = [
            ("host --pins LONG", .data, "a SHA-256 pin is 44 characters long, and this one is too long"),
            ("host --policy /LONG", .noInput, "…aaa"),
            ("host --pins ''", .data, "--pins: the value is empty; name a file, a directory or a pin"),
            ("serve --allow-target a --listen 203.0.113.1:0", .inputOutput, "cannot listen at 203.0.113.1:0: "),
            ("serve --allow-target a --pins /nonexistent", .noInput, "'/nonexistent'"),
            ("$HOST --pins $DIR/root.pem,$DIR/other.cer", .noInput, "no commas between: repeat --pins for each"),
        ]

        @Test(arguments: others) func whatCannotBeReadOrDoneIsRefused(
            line: String, status: ExitStatus, sentence: String
        ) async throws { try await expectRefusal(line, status, sentence) }

        @Test(arguments: [
            "host --policy", "host --baseline", "pins --key", "pins --from", "--targets", "host --next", "host --cert",
            "host --device ios-12 --device-data", "host --addresses", "host --extra-root", "host --intermediate",
        ]) func oneWordingSaysThatAFileIsMissing(line: String) async throws {
            try await expectRefusal(line + " /absent", .noInput, ": there is no such file")
        }

        private static func host(_ settings: String) -> String { "{hosts: {'a.example': {\(settings)}}}" }

        static let policies: [(text: String, sentence: String)] = [
            ("{hosts: {'a.example:1': {ports: [2]}}}", ":1: the host names a port, and 'ports' stands beside it"),
            ("{hosts: {'': {}}}", "the target '' is empty: name a host, as in 'api.example.com'"),
            (host("sni: 'a\\u0000b'"), "'hosts.a.example.sni' is not a text with something in it"),
            (host("\n client: 'retrofit'"), ":2: 'client': there is no client 'retrofit': it connects by OkHttp"),
            (host("\n\n timeout: 90000"), ":3: 'timeout': '90000' is not a time in seconds"),
            (host("\n sni: '192.0.2.1'"), ":2: 'sni': the server name '192.0.2.1' is an address"),
            (host("\n warnBefore: 30"), ":2: 'warnBefore' is a number without a unit; write \"30d\""),
            (host("pins: []"), ":1: 'pins' is an empty list; leave the key out, or list"),
            (host("\n andSystem: 'yes'"), ":2: 'hosts.a.example.andSystem' is not true or false"),
            (host("ports: [0]"), "is not a whole number from 1 to 65535"),
            (host("retries: '3'"), "is not a whole number from 0 to 100"),
            (host("sni: ['b.example']"), "is not a text or false"),
            (host("client: ''"), "is not a text with something in it"), (host("\n pins: 'sha256/AAAA'"), ":2: "),
            ("{hosts: ['a.example']}", "'hosts' is a list; write each host as a key"),
            (host("request: 'health'"), "standard input:1: "),
            (host("request: '/', expectStatus: 20"), "standard input:1: "),
        ]

        @Test(arguments: policies) func aPolicyThatMakesNoSenseIsRefused(text: String, sentence: String) async {
            let hasRows = !text.contains("hosts: [")
            expectRefusal(await pincheck(["--policy", "-"], input: text.bytes), .data, sentence, hasRows: hasRows)
        }

        /// Of a line no letter is told but what is the table's own.
        static let lists: [(text: String, sentence: String)] = [
            ("127.0.0.1:1\r\n\r\ns3cr3t..y\r\n", "standard input:3: 9 characters; word 1 is no target"),
            ("127.0.0.1:1\rs3cr3t..y", "standard input:2: 9 characters; word 1 is no target"),
            ("\u{FEFF}s3cr3t..y", "standard input:1: 9 characters; word 1 is no target"),
            ("API_TOKEN=s3cr3t", "standard input:1: 16 characters; word 1 is no target"),
            ("127.0.0.1:1 'sni=s3cr3t", "standard input:1: 23 characters; word 2 is"),
            ("\"\"", "2 characters; word 1 is no target"),
            ("127.0.0.1:1 no-sni no-sni", "word 3: no-sni stands twice: write all of it once"),
            ("127.0.0.1:1 --sni=s3cr3t", "word 2 is not understood: did you mean 'sni='?"),
            ("127.0.0.1:1 sni=a.example no-sni", "exclude each other"),
            ("# first\n127.0.0.1:1 conect=s3cr3t", "input:2: 25 characters; word 2 is not understood: did you mean"),
            ("# first\n127.0.0.1:1 connect=", "word 2 has no value: write connect=VALUE"),
            ("127.0.0.1:1 client=s3cr3t", "word 2 is no value of client="),
            ("# first\n127.0.0.1:1 pins=sha256/AAAA", "'sha256/AAAA' has 3 bytes instead of 32"),
        ]

        @Test(arguments: lists) func aListThatMakesNoSenseIsRefused(text: String, sentence: String) async {
            expectRefusal(await pincheck(["--targets", "-"], input: text.bytes), .data, sentence, hasRows: true)
        }

        @Test(arguments: [
            ("--policy", "", "standard input: the policy is empty; name at least one host"),
            ("--policy", " \n\t", "the policy is empty; name at least one host"),
            ("--policy", "{hosts: {}}", "'hosts' has no host; name at least one"),
            ("--targets", "", "the list of targets is empty: write one target a line"),
            ("--targets", "\r\n\n\r# a", "the list of targets is empty: write one target a line"),
            ("--targets", "127.0.0.1:1 pins=/nonexistent", "standard input:1: '/nonexistent': there is no such file"),
        ]) func whatNamesNothingIsNoInput(option: String, text: String, sentence: String) async {
            expectRefusal(
                await pincheck([option, "-"], input: text.bytes), .noInput, sentence,
                hasRows: text.contains("nonexistent"))
        }

        @Test(arguments: [[0xFF], "a.example".bytes + [0xC3], [0xFF, 0xFE, 0x61, 0x00]] as [[UInt8]])
        func aListThatIsNotUTF8IsRefused(bytes: [UInt8]) async {
            let sentence = "standard input: a list of targets is text in UTF-8, and this is not: save it as UTF-8"
            expectRefusal(await pincheck(["--targets", "-"], input: bytes), .data, sentence)
        }
    }
}
