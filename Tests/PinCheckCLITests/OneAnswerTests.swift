import LoopbackLab
import PinCheckCLI
import Testing

/// However a question is asked, its answer is the same: alone, among others in any order, of a server or of a file.
@Suite(.endsSomeTime) struct OneAnswerTests {
    @Test(arguments: Seeds.sample(3)) func aTargetAloneAmongOthersAndOfflineIsJudgedAlike(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let world = try ServerWorld(using: &generator)
        // One moment for all: days that are left are counted to the second.
        let now = LabClock.now
        let files = try TemporaryDirectory()
        let store = try world.writeStore(to: files)
        try await LoopbackServer.serving(all: world.servers.map { .presenting($0) }) { servers in
            let places = servers.map(\.place)
            var settings = store.options + ["--client", "afnetworking,okhttp,curl", "--format", "json"]
            if let pin = world.pin { settings += ["--pins", pin] }
            func run(_ arguments: [String]) async throws -> JSONValue {
                let outcome = await pincheck(arguments + settings, environment: store.environment, at: now)
                return try outcome.json
            }
            var alone: [String] = []
            for (number, place) in places.enumerated() {
                let name = ServerWorld.name(number)
                let online = Answer(try await run([name, "--connect", place]))
                let chain = try files.write(pem(of: world.servers[number]), to: "chain.pem")
                let offline = Answer(try await run(["verify", chain, "--host", name]))
                #expect(online == offline, "seed \(seed), server \(number), offline, \(store.kind)")
                #expect(online.reason != nil, "seed \(seed), server \(number)")
                alone.append(online.text)
            }
            let forwards = Array(places.indices) + places.indices
            for order in [forwards, forwards.reversed()] {
                let lines = order.map { "\(ServerWorld.name($0)) connect=\(places[$0])\n" }
                let list = try files.write(lines.joined(), to: "list.txt")
                let results = try await run(["--targets", list])["results"].array
                #expect(results.count == order.count)
                for (number, result) in zip(order, results) {
                    #expect(Answer(result).text == alone[number], "seed \(seed), server \(number), \(store.kind)")
                }
            }
        }
    }

}

/// What a report says of a chain, without what it says of the way it came.
private struct Answer: Equatable {
    let reason: String?
    let text: String

    init(_ report: JSONValue) {
        reason = report["reason"]["id"].text
        let parts = ["verdict", "reason", "built", "built_is_valid", "pins", "warnings", "outlook", "exit"]
        let client = ["name", "device", "verdict", "reason", "disposition", "settings", "outlook"]
        let clients = report["clients"].array.flatMap { own in client.map { own[$0].canonicalText } }
        let checks = report["checks"].array.filter { $0["client"].text != nil && $0["id"].text != "handshake" }
        // What a server has to send a chain from a file has to hold.
        text = (parts.map { report[$0].canonicalText } + clients + checks.map(\.canonicalText)).joined(separator: "\n")
            .replacing("the server must send its intermediate", with: "the chain must hold its intermediate")
    }
}

private struct ServerWorld {
    /// What each server presents, its own certificate first.
    let servers: [[LabCertificate]]
    let entries: [(certificate: LabCertificate, settings: TrustSettings?)]
    let pin: String?
    private let kind: StoreKind

    enum StoreKind: CaseIterable { case anchors, manyAnchors, anchorsDirectory, bundle, directory, both }

    static func name(_ number: Int) -> String { "s\(number).example.com" }

    init(using generator: inout SeededGenerator) throws {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        var authorities = try (0..<2).map { number in
            let name = chance(20) ? "Root" : DistinguishedName(commonName: "Root \(number)")
            return try LabCertificate.selfSigned(.authority(name))
        }
        let roots = authorities
        for number in 0..<3 {
            let name = chance(20) ? "CA" : DistinguishedName(commonName: "CA \(number)")
            authorities.append(try authorities.randomElement(using: &generator)!.issue(.authority(name)))
        }
        for _ in 0..<2 where chance(70) {
            let subject = authorities.randomElement(using: &generator)!
            authorities.append(try authorities.randomElement(using: &generator)!.reissue(subject))
        }
        servers = try (0..<3).map { number in
            let leaf = try authorities.randomElement(using: &generator)!.issue(.leaf(Self.name(number)))
            var others = authorities.filter { _ in chance(85) }
            if chance(30) { others.append(others.randomElement(using: &generator) ?? leaf) }
            return [leaf] + others.shuffled(using: &generator)
        }
        let settings = [
            TrustSettings(rejected: [.serverAuth]), TrustSettings(trusted: [.clientAuth]),
            TrustSettings(trusted: [.serverAuth]), TrustSettings(rejected: [.clientAuth]),
        ]
        var entries: [(LabCertificate, TrustSettings?)] = roots.filter { _ in chance(85) }.map { ($0, nil) }
        for certificate in authorities + servers.map({ $0[0] }) where chance(15) {
            entries.append((certificate, chance(75) ? settings.randomElement(using: &generator) : nil))
        }
        if entries.isEmpty { entries.append((roots[0], nil)) }
        entries.shuffle(using: &generator)
        self.entries = entries
        pin = chance(50) ? (authorities + servers.map { $0[0] }).randomElement(using: &generator)!.pin : nil
        kind = StoreKind.allCases.randomElement(using: &generator)!
    }

    func writeStore(to files: TemporaryDirectory) throws -> (
        kind: String, options: [String], environment: [String: String]
    ) {
        let texts = entries.map { $0.settings.map($0.certificate.pem) ?? $0.certificate.pem }
        let directory = try files.makeDirectory("store")
        var options: [String] = []
        var environment = ["SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent"]
        switch kind {
        case .anchors: options = ["--anchors", try files.write(texts.joined(), to: "anchors.pem")]
        case .manyAnchors:
            let crowd = try LabCertificate.strangers(20).map(\.pem)
            options = ["--anchors", try files.write((crowd + texts).joined(), to: "anchors.pem")]
        case .anchorsDirectory:
            for (number, text) in texts.enumerated() { try files.write(text, to: "store/\(number).pem") }
            options = ["--anchors", directory]
        case .bundle: environment["SSL_CERT_FILE"] = try files.write(texts.joined(), to: "bundle.pem")
        case .directory, .both:
            let split = kind == .both ? texts.count / 2 : texts.count
            environment["SSL_CERT_FILE"] = try files.write(texts[split...].joined(), to: "bundle.pem")
            environment["SSL_CERT_DIR"] = directory
            // Each file holds a stranger to its name too.
            let stranger = try LabCertificate.strangers(1)[0].pem + servers[0][0].pem
            var counts: [Substring: Int] = [:]
            for (entry, text) in zip(entries, texts).prefix(split) {
                let stem = entry.certificate.hashedFileName.dropLast()
                try files.write(text + stranger, to: "store/\(stem)\(counts[stem, default: 0])")
                counts[stem, default: 0] += 1
            }
        }
        return ("\(kind)", options, environment)
    }
}
