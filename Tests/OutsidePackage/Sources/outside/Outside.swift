import PinChecking

/// Reads pins and asks for a check, as a program of somebody else's would, and fails where an answer is not as it should be.
@main struct Outside {
    static func main() async throws {
        let backup = "Pins/api.example.com-backup.pem"
        expect(try PinChecker.pins(in: [backup]).count == 1, "one public key is one pin")
        let checker = try PinChecker(pins: [backup], clients: [.okhttp, .curl])
        let result = try await checker.check("api.example.com:1", connectingTo: "127.0.0.1")
        expect(result.outcome == .unreachable, "nobody listens at port 1: \(result.outcome)")
        // Values of the API can be named, and have their members, by the one import.
        let pins: [Pin] = try PinChecker.pins(in: [backup])
        let presented: [Certificate] = result.presented
        let time: Timestamp = result.time
        expect(presented.first?.notAfter ?? time == time && pins[0].certificate == nil, "a connection had a chain")
        // Tests/thorough leaves the program 64 descriptors.
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<300 { group.addTask { try await PinChecker().check("127.0.0.1:1").outcome } }
            for try await outcome in group { expect(outcome == .unreachable, "one of 300 checks at once: \(outcome)") }
        }
        do throws(Problem) {
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
