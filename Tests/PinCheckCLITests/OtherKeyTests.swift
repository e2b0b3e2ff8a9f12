import LoopbackLab
import PinCheckCLI
import Testing

/// A server with an EC and an RSA key, of which most clients see one: the other is in use as well, and no reserve.
@Suite(.endsSomeTime) struct OtherKeyTests {
    @Test func theKeysOfAllTypesAreToldOnceAndAreNoReserve() async throws {
        let pki = try StandardPKI.shared()
        let rsa = try pki.interA.issue(
            .leaf(StandardPKI.serverName), key: try LabKey.shared(.rsa(bits: 2_048), label: "other key"))
        let settings = TLSServerSettings([TLSIdentity([pki.leaf, pki.interA]), TLSIdentity([rsa, pki.interA])])
        let texts = ["rsa.key": try rsa.key.privateKeyPEM(), "backup.key": try LabKey.generate().privateKeyPEM()]
        func added(_ pin: String) -> String { "\n    .add(\"\(StandardPKI.serverName)\", \"\(pin)\")" }
        try await Desk.serving(.tls(settings), texts) { desk, _ in
            let all = "pins CHECK --key-types all "
            let results = try JSONValue(await desk(all + "-f json").expect(.pass).output)["results"].array
            #expect(results.map { $0["key_type"].text } == [nil, "RSA"])
            await desk(all).says("asked for RSA\n  0 leaf", "no certificate with a key for Ed25519")
            await desk(all + "-f okhttp").says(added(pki.leaf.pin), added(rsa.pin))
            await desk("pins CHECK --key-types rsa -f okhttp --key @rsa.key").says(
                "// Backup: add the pin of a second key", errors: "is no reserve")
            // Those of all types are shipped beside one in reserve.
            let advised = all + "--recommend --key @backup.key -f "
            let advice = try JSONValue(await desk(advised + "json").output)["results"].array
            let pins = advice.map { $0["recommendation"]["pins"].array.compactMap { $0["pin"].text } }
            #expect(pins.map(\.first) == [pki.leaf.pin, rsa.pin] && pins.allSatisfy { $0.count == 2 })
            let block = await desk(advised + "okhttp").output
            for pin in Set(pins.joined()) { #expect(block.contains(added(pin)), "\(block)") }
            await desk(all + "--recommend --key @rsa.key").says(
                errors: desk.expand("rsa.key:1 is the key of $HOST, which is on the chain already"))
        }
    }
}
