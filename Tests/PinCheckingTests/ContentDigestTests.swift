import Pinning
import Testing
import X509

@testable import PinChecking

/// What tells questions apart.
@Suite struct ContentDigestTests {
    private struct Hidden { let value: Int }

    private enum Choice { case origin(String), place(String) }

    @Test func aPrivateTypeHasTheSameNameInEveryProcess() {
        struct Local {}
        // An address begins with this sign.
        for type in [Hidden.self, Local.self, [Hidden?].self] as [Any.Type] {
            #expect(!ContentDigest.name(of: type).contains("$"))
        }
    }

    @Test func whatTheWordOriginMeansElsewhereCounts() {
        typealias Source = NetworkSecurityConfiguration.Source
        func digest(_ source: Source) -> SHA256Digest { ContentDigest.of([source]) }
        #expect(digest(Source(.system)) != digest(Source(.user)))
        #expect(digest(Source(.resource(name: "a", []))) != digest(Source(.resource(name: "b", []))))
        #expect(ContentDigest.of([Choice.origin("a")]) != ContentDigest.of([Choice.origin("b")]))
        #expect(ContentDigest.of([Choice.place("a")]) != ContentDigest.of([Choice.place("b")]))
    }

    @Test func whereAPinWasReadDoesNotCount() {
        func pins(_ origin: String, _ byte: UInt8) -> SHA256Digest {
            ContentDigest.of([Pin(.publicKey(Hashing.sha256([byte])), origin: origin)])
        }
        #expect(pins("a:1", 0) == pins("b:2", 0))
        #expect(pins("a:1", 0) != pins("a:1", 1))
    }
}
