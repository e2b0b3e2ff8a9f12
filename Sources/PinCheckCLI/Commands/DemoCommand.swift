import Base
import LoopbackLab
import Pinning

extension Command {
    static let demo = Command(
        name: "demo", abstract: "Start throwaway TLS servers on this machine and run real checks against them.",
        usage: "pincheck demo [--color <when>]",
        discussion: {
            """
            Everything is issued in memory and served on 127.0.0.1; nothing else is
            contacted. Each scene shows the command that does the same. The exit
            status is 0 when every scene ended as it should.
            """
        }, own: { [OptionGroup(title: "Options", options: [.color])] }, run: { try await $0.demo() })
}

extension Invocation {
    func demo() async throws -> ExitStatus {
        let style = context.style(settings.color, on: context.console.output)
        do { return try await DemoWorld.open { stage in try await perform(on: stage, style: style) } } catch let error
            as CommandError
        { throw error } catch { throw CommandError.software("the demo cannot start its servers: \(error)") }
    }

    private func perform(on stage: DemoWorld.Stage, style: TextStyle) async throws(CommandError) -> ExitStatus {
        let output = context.console.output
        // It is there to be read, not to be searched: also where it is written to a file it is no wider than a page.
        let layout = TextLayout(columns: context.console.output.layout.columns, wraps: true)
        let inner = layout.narrowed(by: 3)
        func write(_ text: String, indent: Int = 0) throws(CommandError) {
            try output.write(layout.folded(text, indent: indent) + "\n")
        }
        try write("Three TLS servers run on 127.0.0.1; \(DemoWorld.host) is one of them, and two pretend to be it.")
        var surprises = 0
        for (index, scene) in DemoScene.all(on: stage).enumerated() {
            let result = OutputBuffer()
            let errors = OutputBuffer()
            var world = context
            world.console = Console(output: result.stream(layout: inner), errors: errors.stream(layout: inner))
            world.publicRoots = [stage.publicRoot]
            world.environment["SSL_CERT_FILE"] = stage.systemRoots
            world.environment["SSL_CERT_DIR"] = stage.directory + "/none"
            let colored = scene.arguments + ["--color", style.isColored ? "always" : "never"]
            let status = await context.run(colored, world)

            try output.write("\n")
            try write("\(index + 1). \(scene.title)", indent: 3)
            let lines =
                scene.commandLine(in: stage.directory, layout) + scene.excerpt(of: result.text, errors: errors.text)
            try output.write(lines.map { "   \($0)\n" }.joined())
            let isExpected = status == scene.status
            if !isExpected { surprises += 1 }
            let verdict = isExpected ? "as it should" : style.bad("should be \(scene.status.rawValue)")
            try output.write(style.faint("   exit status \(status.rawValue), ") + verdict + "\n")
        }
        try output.write("\n")
        guard surprises == 0 else {
            try write("\(surprises) of these did not end as they should: this is a fault in pincheck.")
            return .software
        }
        try write("All as it should be. Now try: pincheck YOUR.HOST, then pincheck YOUR.HOST --pins sha256/…")
        return .pass
    }
}

enum DemoWorld {
    static let host = "api.example.com"

    struct Stage: Sendable {
        let directory: String
        /// The stand-in for the system's roots; the interceptor's is among them, as on a phone that was prepared for it.
        let systemRoots: String
        /// The root that stands for one of those that devices come with.
        let publicRoot: [UInt8]
        let rootPin: String
        let selfSignedPin: String
        /// The public-key pin of the real server, and that of a key it does not have.
        let keyPin: String
        let wrongKeyPin: String
        let server: UInt16
        let interceptor: UInt16
        let selfSigned: UInt16
    }

    static func open<Value: Sendable>(_ body: (Stage) async throws -> Value) async throws -> Value {
        let root = try LabCertificate.selfSigned(.authority("Example Root"))
        let intermediate = try root.issue(.authority("Example CA 1"))
        let leaf = try intermediate.issue(.leaf(host))
        let defaultLeaf = try intermediate.issue(.leaf("default.example.net"))
        let interceptorRoot = try LabCertificate.selfSigned(.authority("Interceptor Proxy CA"))
        let interceptorLeaf = try interceptorRoot.issue(.leaf(host))
        let selfSigned = try LabCertificate.selfSigned(.leaf(host))
        let real = TLSServerSettings(presenting: [defaultLeaf, intermediate]).with {
            $0.identitiesByName = [host: [TLSIdentity([leaf, intermediate])]]
        }
        let files = try TemporaryDirectory()
        defer { withExtendedLifetime(files) {} }
        let systemRoots = try files.write(root.pem + interceptorRoot.pem, to: "system-roots.pem")
        try files.makeDirectory("Pins")
        let rootPin = try files.write(root.der, to: "Pins/root.cer")
        let selfSignedPin = try files.write(selfSigned.der, to: "self-signed.cer")
        return try await LoopbackServer.serving(.tls(real)) { server in
            try await LoopbackServer.serving(.presenting([interceptorLeaf])) { interceptor in
                try await LoopbackServer.serving(.presenting([selfSigned])) { selfSignedServer in
                    try await body(
                        Stage(
                            directory: files.path, systemRoots: systemRoots, publicRoot: root.der, rootPin: rootPin,
                            selfSignedPin: selfSignedPin, keyPin: pin(leaf), wrongKeyPin: pin(defaultLeaf),
                            server: server.port, interceptor: interceptor.port, selfSigned: selfSignedServer.port))
                }
            }
        }
    }

    private static func pin(_ certificate: LabCertificate) -> String {
        SHA256Digest(bytes: certificate.publicKeySHA256)?.description ?? ""
    }
}

struct DemoScene: Sendable {
    enum Excerpt: Sendable { case all, pins, verdict, warningsAndVerdict }

    let title: String
    let arguments: [String]
    let status: ExitStatus
    let excerpt: Excerpt

    init(_ title: String, _ arguments: [String], ends status: ExitStatus, showing excerpt: Excerpt = .verdict) {
        (self.title, self.arguments, self.status, self.excerpt) = (title, arguments, status, excerpt)
    }

    static func all(on stage: DemoWorld.Stage) -> [DemoScene] {
        let host = DemoWorld.host
        let server = "127.0.0.1:\(stage.server)"
        let interceptor = "127.0.0.1:\(stage.interceptor)"
        let selfSigned = "127.0.0.1:\(stage.selfSigned)"
        return [
            DemoScene(
                "The server has the pinned key: an app with this pin connects.",
                [host, "--connect", server, "--pins", stage.keyPin], ends: .pass, showing: .all),
            DemoScene(
                "The pin is for another key: the app refuses. The pins to choose from are shown.",
                [host, "--connect", server, "--pins", stage.wrongKeyPin], ends: .fail, showing: .pins),
            DemoScene(
                "A proxy intercepts, and its root is in the system store: without pins the app notices nothing.",
                [host, "--connect", interceptor], ends: .pass, showing: .warningsAndVerdict),
            DemoScene(
                "The same proxy, but the app ships the real root's certificate: caught.",
                [host, "--connect", interceptor, "--pins", stage.rootPin, "--mode", "certificate"], ends: .fail),
            DemoScene(
                "HTTPDNS on Android: the app connects to an address and sends the name.",
                [host, "--connect", server, "--pins", stage.rootPin, "--client", "okhttp"], ends: .pass),
            DemoScene(
                "HTTPDNS on iOS: the address stands in the URL, so no name is sent, and another's certificate comes back.",
                ["https://\(server)/", "--host", host, "--pins", stage.rootPin], ends: .fail),
            DemoScene(
                "The same app without the Host header: the address stands where the name belongs.",
                ["https://\(server)/", "--pins", stage.rootPin], ends: .fail),
            DemoScene("A self-signed server, as the system sees it.", [host, "--connect", selfSigned], ends: .fail),
            DemoScene(
                "The same server, pinned by an app with allowInvalidCertificates.",
                [host, "--connect", selfSigned, "--pins", stage.selfSignedPin, "--allow-invalid-certificates"],
                ends: .pass),
        ]
    }

    func excerpt(of result: String, errors: String) -> [String] {
        let lines = result.split(separator: "\n").map(String.init)
        let warnings = errors.split(separator: "\n").map(String.init)
        let verdict = lines.isEmpty ? warnings[...] : lines[(lines.lastIndex { !$0.hasPrefix(" ") } ?? 0)...]
        return switch excerpt {
        case .all: warnings + lines
        case .pins: Array(lines.drop { !$0.hasPrefix("  served:") })
        case .verdict: Array(verdict)
        case .warningsAndVerdict: lines.isEmpty ? warnings : warnings + verdict
        }
    }

    func commandLine(in directory: String, _ layout: TextLayout) -> [String] {
        let words = arguments.map { word in
            word.hasPrefix(directory + "/") ? String(word.dropFirst(directory.count + 1)) : word
        }
        // Three cells go before each line.
        return ManualWriter.commandLines(["$", "pincheck"] + words, columns: layout.columns - 3)
    }
}
