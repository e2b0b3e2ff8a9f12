import PinChecking

/// Reads pins and asks for a check, as a program of somebody else's would, and fails where an answer is not as it should be.
@main struct Outside {
    static func main() async throws {
        let backup = "Pins/api.example.com-backup.pem"
        expect(try PinChecker.pins(in: [backup]).count == 1, "one public key is one pin")
        let checker = try PinChecker(pins: [backup], clients: [.okhttp, .curl])
        let result = try await checker.check("api.example.com:1", connectingTo: "127.0.0.1")
        expect(result.outcome == .unreachable, "nobody listens at port 1: \(result.outcome)")
        do throws(CheckError) {
            _ = try PinChecker(pins: ["sha256/AAAA"])
            expect(false, "a pin of three bytes was read")
        } catch { expect(error.kind == .data, "\(error)") }
        print("everything that was asked of the product was answered rightly")
    }

    private static func expect(_ condition: Bool, _ message: String) {
        guard !condition else { return }
        fatalError("not as it should be: \(message)")
    }
}
