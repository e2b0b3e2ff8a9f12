import LoopbackLab
@testable import PinCheckCLI
@testable import PinChecking
import Pinning
import Testing
import Base

/// Random damage to files that only commands read, and more of them than anybody needs.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DamagedInputTests {
    private static let list = """
        # what the apps talk to
        api.example.com connect=192.0.2.1:8443 pins=sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=  # one
        https://www.example.com:443/path host='api.example.com' client=okhttp,curl
        "[2001:db8::1]:443" verify-name=example.org no-sni
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

    private func readList(_ bytes: [UInt8]) -> CommandError? {
        let context = Context(
            console: Console(output: OutputBuffer().stream(), errors: OutputBuffer().stream()), environment: [:],
            now: { Timestamp(secondsSinceEpoch: 0) }, readStandardInput: { bytes })
        do throws(CommandError) {
            var list = try TargetList("-", in: context)
            while try list.next() != nil {}
            return nil
        } catch { return error }
    }

    private func readSnapshot(_ bytes: [UInt8]) -> CommandError? {
        do throws(CommandError) {
            _ = try Snapshot.snapshot(in: bytes, name: "old.json")
            return nil
        } catch { return error }
    }

    @Test func theOriginalsAreRead() {
        #expect(readList(Array(Self.list.utf8)) == nil)
        #expect(readSnapshot(Array(Self.snapshot.utf8)) == nil)
    }

    @Test(arguments: Seeds.sample(3)) func damagedFilesAreReadOrRefusedInOneShortLine(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let error =
                round.isMultiple(of: 2)
                ? readList(damaged(Self.list, &random)) : readSnapshot(damaged(Self.snapshot, &random))
            guard let error else { continue }
            #expect(error.status == .data)
            #expect(TerminalText.escaped(error.description).utf8.count < 2_000, "round \(round)")
        }
    }

    @Test func aWordAsLongAsTheListIsReadOnce() throws {
        let error = try #require(readList(Array(repeating: UInt8(ascii: "a"), count: 300_000)))
        #expect(error.description.utf8.count < 1_000)
        let marks = String(repeating: "\u{301}", count: 100_000)
        #expect(try #require(readList(Array("a\(marks)".utf8))).description.utf8.count < 1_000)
    }

    @Test func deepSnapshotsAreRefused() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try #require(readSnapshot(Array(deep.utf8))).description.utf8.count < 1_000)
        let nested = "{\"schema\": \"pincheck-snapshot/1\", \"endpoints\": \(deep)"
        #expect(try #require(readSnapshot(Array(nested.utf8))).description.utf8.count < 1_000)
    }

    /// One to four changes: a bit, a byte, a piece cut out or doubled, the rest cut off.
    private func damaged(_ original: String, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(original.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(position..<end)
            case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
            default: bytes = Array(bytes.prefix(position))
            }
        }
        return bytes
    }
}
