import Pinning
import Testing

@Suite struct HostIndexTests {
    @Test func aHostIsFoundAsByLookingAtEachPattern() {
        let depths: [HostPattern.Depth] = [.exact, .oneLabel, .upToOneLabel, .anyNumber]
        let names = [
            "com", "example.com", "api.example.com", "a.api.example.com", "example.com.", ".com", "", "1.2.3.4",
        ]
        let patterns = names.flatMap { name in depths.map { HostPattern(text: name, $0) } }
        let index = HostIndex(patterns.map { ($0, $0) })
        for host in names + ["b.a.api.example.com", "xample.com", "a..com", "4", "api.example.org"] {
            #expect(index.covering(host) == patterns.filter { $0.covers(host) }, "\(host)")
        }
    }
}
