import LoopbackLab
import Pinning
import Testing

@Suite("Names are compared as the decision table's vectors 146 to 150 say") struct NameVectors {
    static let vectors: [(String, names: [GeneralName], host: String, Bool)] = [
        // YH: nothing but a common name, which OpenSSL alone would take.
        ("146", [], "fake.yahoo.com", false), ("147", [.dns("10.0.0.1")], "10.0.0.1", false),
        ("147 (iPAddress)", [.ip([10, 0, 0, 1])], "10.0.0.1", true),
        ("147 (other address)", [.ip([10, 0, 0, 1])], "10.0.0.2", false),
        ("147 (IPv6)", [.ip([UInt8](repeating: 0, count: 15) + [1])], "[::1]", true),
        ("147 (name)", [.ip([10, 0, 0, 1])], "host.example", false),
        ("148", [.dns("api.example.com")], "API.Example.COM.", true),
        ("148 (certificate)", [.dns("API.EXAMPLE.COM")], "api.example.com", true),
        ("149", [.dns("*.example.com")], "www.example.com", true),
        ("149 (two labels)", [.dns("*.example.com")], "a.b.example.com", false),
        ("149 (no label)", [.dns("*.example.com")], "example.com", false),
        ("149 (part of a label)", [.dns("w*.example.com")], "www.example.com", false),
        ("150 (co.uk)", [.dns("*.co.uk")], "example.co.uk", false),
        ("150 (com)", [.dns("*.com")], "example.com", false),
        ("leading dot", [.dns("*.example.com")], ".example.com", false),
        ("wildcard asked for", [.dns("*.example.com")], "*.example.com", false),
    ]

    @Test(arguments: vectors) func `a certificate is valid for its names and for no others`(
        _ number: String, names: [GeneralName], host: String, expected: Bool
    ) throws {
        let leaf = try pki.interA.issue(.leaf(subject: "fake.yahoo.com", names: names))
        let scene = Scene.ordinary(presented: [leaf, pki.interA], host: host)
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason.id == (expected ? "trusted-without-pins" : "name-mismatch"), "vector \(number)")
    }

    @Test func `vector 147: the message says why an address written as a name does not match`() throws {
        let leaf = try pki.interA.issue(.leaf(subject: "leaf", names: [.dns("10.0.0.1")]))
        let verdict = try Scene.ordinary(presented: [leaf, pki.interA], host: "10.0.0.1").afNetworking4()
        guard case .untrusted(let failures) = verdict.reason else {
            Issue.record("\(verdict.reason)")
            return
        }
        #expect(failures.first?.description.hasSuffix("10.0.0.1 (a dNSName, which matches no address)") == true)
    }

    @Test func `vector 146: the message says that the common name does not count`() throws {
        let leaf = try pki.interA.issue(.leaf(subject: "fake.yahoo.com", names: []))
        let verdict = try Scene.ordinary(presented: [leaf, pki.interA], host: "fake.yahoo.com").afNetworking4()
        guard case .untrusted(let failures) = verdict.reason else {
            Issue.record("\(verdict.reason)")
            return
        }
        #expect(failures.map(\.id) == ["name-mismatch"])
        let explanation = "it names no server (the common name does not count) (a rule of Apple's platforms)"
        #expect(failures[0].description.hasSuffix(explanation))
    }
}
