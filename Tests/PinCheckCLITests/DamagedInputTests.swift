import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

@Suite(.serialized, .timeLimit(.minutes(5))) struct DamagedInputTests {
    private static let list = """
        # what the apps talk to
        api.example.com connect=192.0.2.1:8443 pins=sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=  # one
        https://www.example.com:443/path host=api.example.com client=okhttp,curl
        [2001:db8::1]:443 verify-name=example.org no-sni
        bücher.example sni=www.example.org

        """

    private static let snapshot = """
        {"schema": "pincheck-snapshot/1", "endpoints": [{"target": "api.example.com:443", "connect": "192.0.2.1:443",
        "sni": "api.example.com", "verify_name": null, "tls": {"version": "TLSv1.3", "client_certificate_requested": false},
        "chain": [{"subject": "CN=api.example.com", "issuer": "CN=CA", "issuer_key_id": "00ff", "names": ["api.example.com"],
        "not_before": "2026-01-01T00:00:00Z", "not_after": "2027-01-01T00:00:00Z", "key": "EC P-256",
        "spki_sha256": "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "cert_sha256": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}]}]}
        """

    private func readList(_ bytes: [UInt8]) -> Problem? {
        do throws(Problem) {
            var list = try TargetList("-", in: .lab(input: bytes))
            while let entry = list.next() { if case .failure(let bad) = entry { return bad.problem } }
            return nil
        } catch { return error }
    }

    private func readSnapshot(_ bytes: [UInt8]) -> Problem? {
        do throws(Problem) {
            _ = try Snapshot.snapshot(in: bytes, at: "old.json")
            return nil
        } catch { return error }
    }

    @Test func theOriginalsAreRead() {
        #expect(readList(Self.list.bytes) == nil)
        #expect(readSnapshot(Self.snapshot.bytes) == nil)
    }

    @Test(arguments: Seeds.sample(3)) func damagedFilesAreReadOrRefusedInOneShortLine(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let error =
                round.isMultiple(of: 2)
                ? readList(Self.list.bytes.damaged(using: &random))
                : readSnapshot(Self.snapshot.bytes.damaged(using: &random))
            guard let error else { continue }
            #expect(error.kind == .data)
            #expect(TerminalText.escaped(error.description).utf8.count < 2_000, "round \(round)")
        }
    }

    @Test func aWordAsLongAsTheListIsReadOnce() throws {
        let error = try #require(readList(Array(repeating: UInt8(ascii: "a"), count: 300_000)))
        #expect(error.description.utf8.count < 1_000)
        let marks = String(repeating: "\u{301}", count: 100_000)
        #expect(try #require(readList("a\(marks)".bytes)).description.utf8.count < 1_000)
    }

    @Test func deepSnapshotsAreRefused() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try #require(readSnapshot(deep.bytes)).description.utf8.count < 1_000)
        let nested = "{\"schema\": \"pincheck-snapshot/1\", \"endpoints\": \(deep)"
        #expect(try #require(readSnapshot(nested.bytes)).description.utf8.count < 1_000)
    }
}

/// A file that cannot be read as it stands is refused, be it of the store, of which ChainTests prove what is damaged, or given.
@Suite(.endsSomeTime) struct DamagedStoreTests {
    private static let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    private static let rejecting = TrustSettings(rejected: [.serverAuth])
    private static let root = pki.rootA.pem
    private static let rejected = pki.interA.pem(rejecting)
    private static let passes = "pass trusted-without-pins"
    private static let damaged = "data damaged-trust-store: the system's store is damaged in $DIR/"
    private static let verify = "verify @chain.pem --host $HOST"

    /// A desk with files of a store by the subjects of their names: `store/ROOT` is the hashed name of the root.
    private func desk(_ texts: [String: String]) throws -> Desk {
        let names = ["ROOT": pki.rootA, "INTER": pki.interA, "OTHER": pki.rootB].mapValues(\.hashedFileName)
        func named(_ name: String) -> String { names.reduce(name) { $0.replacing($1.key, with: $1.value) } }
        return try Desk(Dictionary(uniqueKeysWithValues: texts.map { (named($0), $1) }))
    }

    private let store = ["SSL_CERT_DIR": "$DIR/store", "SSL_CERT_FILE": "$DIR/bundle"]

    private static let stores: [(texts: [String: String], end: String)] = [
        // A broken block of a hashed file concerns the name alone, also where it stands behind a word of distrust.
        (
            ["store/ROOT": root, "store/INTER": rejected + broken],
            "\(damaged)store/\(pki.interA.hashedFileName): not a whole X.509 certificate at line "
                + "\(rejected.count { $0 == "\n" } + 1): reinstall ca-certificates, or give anchors"
        ), (["store/ROOT": root, "store/INTER": pki.interA.pem, "store/OTHER": broken], passes),
        // A broken bundle counts where it may be the cause: with the root from elsewhere only if distrust may be what is broken.
        (["bundle": root + broken], "\(damaged)bundle:  …  at line "),
        (["store/ROOT": root, "bundle": root + broken], passes),
        // Another root of the name is not the one that may be lost.
        (["bundle": try! LabCertificate.selfSigned(pki.rootA.template).pem + broken], damaged),
        (["store/ROOT": root, "bundle": root + broken + pki.rootB.pem(rejecting)], damaged),
    ]

    @Test(arguments: stores.indices) func aDamagedStoreIsNoVerdictWhereItMayBeTheCause(index: Int) async throws {
        let (texts, end) = Self.stores[index]
        let desk = try desk(texts.merging(["store/README": ""]) { $1 })
        await desk.expect(Self.verify, end, environment: store)
        try await LoopbackServer.serving(.presenting(served)) { server in
            let pins = "pins $HOST --connect 127.0.0.1:\(server.port) --save @Pins -f okhttp"
            let outcome = await desk(pins, environment: store).expect(end == Self.passes ? .pass : .data)
            if end != Self.passes { outcome.says(errors: "the system's store is damaged", "nothing was saved of") }
        }
    }

    @Test func aFileThatIsTooLargeToReadIsRefused() async throws {
        let desk = try desk(["store/ROOT": Self.root, "bundle": pki.rootA.pem(Self.rejecting), "store/README": ""])
        let file = "\(desk.files.path)/bundle"
        // A hole of the file system: nothing is written.
        #expect(truncate(file, 65 << 20) == 0)
        await desk.expect(
            Self.verify, "data: \(file): larger than any file of certificates, so it was not read", environment: store)
    }

    @Test(arguments: ["--anchors", "--extra-root"]) func aBrokenGivenFileIsRefused(option: String) async throws {
        let role = option == "--anchors" ? "anchors" : "extra roots"
        let desk = try desk(["bundle": Self.root, "all/a-good.pem": Self.root, "all/README": "Some notes.\n"])
        try desk.files.write([0x30, 0x03, 0x02, 0x01, 0x05], to: "all/list.crl")
        await desk.expect("\(Self.verify) \(option) @all", Self.passes, environment: store)
        try desk.write(Self.root + Self.broken, to: "all/z.pem")
        for path in ["@all/z.pem", "@all"] {
            await desk.expect(
                "\(Self.verify) \(option) \(path)",
                "data: '$DIR/all/z.pem' cannot be used as \(role) … at line \(Self.root.count { $0 == "\n" } + 1)",
                environment: store)
        }
    }
}

@Suite(.endsSomeTime) struct BadInputTests {
    @Test(
        .hasBuiltBinary,
        arguments: [
            (#"$(printf '\xff')"#, 64, "is not ASCII: write it with its xn-- labels"),
            (#"host --sni=$(printf '\xff')"#, 64, "--sni: the host name '\u{FFFD}' is not ASCII"),
            (#"--$(printf '\xff\xfe')"#, 64, "there is no option '--\u{FFFD}\u{FFFD}': "),
            (#"-$(printf '\xff')"#, 64, "there is no option '-\u{FFFD}': "),
            (#"host --client $(printf '\xc3')"#, 64, "is not known: choose from"),
            (#"host --pins /nonexistent/$(printf '\xff')"#, 66, "there is no such file, and it is not a pin either"),
            (#"verify /nonexistent/$(printf '\xff')"#, 66, "there is no such file"),
        ] as [(String, Int32, String)]) func anArgumentThatIsNotUTF8IsRefused(
            words: String, status: Int32, sentence: String
        ) async throws
    {
        let outcome = try await BuiltBinary.run("$PINCHECK \(words)")
        #expect(outcome.status == status && outcome.output.isEmpty && outcome.errors.contains(sentence), "\(outcome)")
        #expect(outcome.errors.count(where: \.isNewline) == 1)
    }

    @Test(.hasBuiltBinary) func aListIsReadFromAPipe() async throws {
        let outcome = try await BuiltBinary.run("$PINCHECK --targets <(printf '# a\\nx..y\\n')")
        #expect(outcome.status == 65 && outcome.errors.contains(":2: 4 characters; word 1 is no target"), "\(outcome)")
    }
}
