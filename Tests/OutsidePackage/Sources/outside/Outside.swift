import LoopbackLab
import PinChecking
import Pinning

/// Checks a throwaway server and its chain, as a program of somebody else's would, and fails where a verdict is not as it should be.
@main struct Outside {
    static func main() async throws {
        let pki = try StandardPKI.shared()
        let host = "api.example.com"
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let leaf = try files.write(pki.leaf.pem, to: "leaf.pem")
            let other = try files.write(pki.rootB.pem, to: "other.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let checker = try PinChecker(pins: [leaf], clients: [.okhttp, .curl], anchors: [anchors])
                let result = try await checker.check("\(host):\(server.port)", connectingTo: "127.0.0.1")
                expect(result.outcome == .accepted, "\(result.reason)")
                expect(result.clients.map(\.name) == ["okhttp", "curl"], "\(result.clients.map(\.name))")

                let mismatch = try PinChecker(pins: [other], clients: [.okhttp], anchors: [anchors])
                let rejected = try await mismatch.check("\(host):\(server.port)", connectingTo: "127.0.0.1")
                expect(rejected.outcome == .rejected && rejected.reason.id == "pin-mismatch", "\(rejected.reason)")
                let offline = try mismatch.check(chain: [pki.leaf.der, pki.interA.der], for: host)
                expect(offline.reason == rejected.reason, "\(offline.reason)")
            }
            expect(try PinChecker.pins(in: [leaf]).count == 1, "one certificate is one pin")
        }
        expect(Client.all.contains(.okhttp), "OkHttp is a client")
        do throws(CheckError) {
            _ = try PinChecker(pins: ["sha256/AAAA"])
            expect(false, "a pin of three bytes was read")
        } catch { expect(error.kind == .data, "\(error)") }
        print("everything that was asked of the products was answered rightly")
    }

    private static func expect(_ condition: Bool, _ message: String) {
        guard !condition else { return }
        fatalError("not as it should be: \(message)")
    }
}
