import Base
import LoopbackLab
import Pinning

extension Command {
    static let demo = Command(
        name: "demo", abstract: "See it work, on throwaway servers of this machine.",
        usage: "pincheck demo [--color <when>]",
        discussion: """
            Everything is issued in memory and served on 127.0.0.1; nothing else is
            contacted. Each scene shows the command that does the same. The exit
            status is 0 when every scene ended as it should.
            """, own: { [OptionGroup("Options") { Option.color }] }, run: { try await $0.demo() })
}

extension Invocation {
    func demo() async throws -> ExitStatus {
        do { return try await DemoScene.staged(in: context, perform) } catch let error as Problem {
            throw error
        } catch { throw Problem.software("the demo cannot start its servers: \(error)") }
    }

    private func perform(_ scenes: [DemoScene], in directory: String, _ world: Context) async throws -> ExitStatus {
        let output = context.console.output
        let style = context.style(settings.color, on: output)
        // The demo is text to read: its lines are folded in a file or pipe, too.
        let layout = TextLayout(columns: output.layout.columns, wraps: true)
        let inner = layout.narrowed(by: 3)
        func write(_ text: String, indent: Int = 0) throws {
            try output.write(layout.folded(text, indent: indent) + "\n")
        }
        try write("Three TLS servers run on 127.0.0.1; \(DemoScene.host) is one of them, and two pretend to be it.")
        var surprises = 0
        for (index, scene) in scenes.enumerated() {
            let (result, errors) = (OutputBuffer(), OutputBuffer())
            var world = world
            world.console = Console(output: result.stream(layout: inner), errors: errors.stream(layout: inner))
            let words = scene.line.split(separator: " ").map {
                $0.hasSuffix(".cer") ? "\(directory)/\($0)" : String($0)
            }
            let colored = words + ["--color", style.isColored ? "always" : "never"]
            let status = await context.run(colored, world)

            try output.write("\n")
            try write("\(index + 1). \(scene.title)", indent: 3)
            let command = inner.folded("$ pincheck \(scene.line)", indent: 4).split(separator: "\n").map(String.init)
            let lines = command + scene.excerpt(of: result.text, errors: errors.text)
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

struct DemoScene: Sendable {
    enum Excerpt: Sendable { case all, pins, verdict, warningsAndVerdict }

    let title: String
    /// The command line after `pincheck`, in words without blanks; its files are in the scene's directory.
    let line: String
    let status: ExitStatus
    let excerpt: Excerpt

    init(_ title: String, _ line: String, _ status: ExitStatus, _ excerpt: Excerpt = .verdict) {
        (self.title, self.line, self.status, self.excerpt) = (title, line, status, excerpt)
    }

    static let host = "api.example.com"

    /// Runs the servers while `body` plays the scenes in a directory and a world with roots of their own.
    static func staged(
        in context: Context, _ body: ([DemoScene], String, Context) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let root = try LabCertificate.selfSigned(.authority("Example Root"))
        let intermediate = try root.issue(.authority("Example CA 1"))
        let leaf = try intermediate.issue(.leaf(host))
        let defaultLeaf = try intermediate.issue(.leaf("default.example.net"))
        let interceptorRoot = try LabCertificate.selfSigned(.authority("Interceptor Proxy CA"))
        let interceptorLeaf = try interceptorRoot.issue(.leaf(host))
        let selfSignedLeaf = try LabCertificate.selfSigned(.leaf(host))
        let real = TLSServerSettings(presenting: [defaultLeaf, intermediate]).with {
            $0.identitiesByName = [host: [TLSIdentity([leaf, intermediate])]]
        }
        let files = try TemporaryDirectory()
        defer { withExtendedLifetime(files) {} }
        try files.makeDirectory("Pins")
        try files.write(root.der, to: "Pins/root.cer")
        try files.write(selfSignedLeaf.der, to: "self-signed.cer")
        var world = context
        // The only public root; the system's store also has the interceptor's, as on a phone prepared for it.
        world.publicRoots = [root.der]
        world.environment["SSL_CERT_FILE"] = try files.write(root.pem + interceptorRoot.pem, to: "system-roots.pem")
        world.environment["SSL_CERT_DIR"] = files.path + "/none"
        func pin(of certificate: LabCertificate) -> String {
            SHA256Digest(bytes: certificate.publicKeySHA256)?.description ?? ""
        }
        func scenes(_ server: String, _ interceptor: String, _ selfSigned: String) -> [DemoScene] {
            [
                DemoScene(
                    "The server has the pinned key: an app with this pin connects.",
                    "\(host) --connect \(server) --pins \(pin(of: leaf))", .pass, .all),
                DemoScene(
                    "The pin is for another key: the app refuses. The pins to choose from are shown.",
                    "\(host) --connect \(server) --pins \(pin(of: defaultLeaf))", .fail, .pins),
                DemoScene(
                    "A proxy intercepts, and its root is in the system store: without pins the app notices nothing.",
                    "\(host) --connect \(interceptor)", .pass, .warningsAndVerdict),
                DemoScene(
                    "The same proxy, but the app ships the real root's certificate: caught.",
                    "\(host) --connect \(interceptor) --pins Pins/root.cer --mode certificate", .fail),
                DemoScene(
                    "HTTPDNS on Android: the app connects to an address and sends the name.",
                    "\(host) --connect \(server) --pins Pins/root.cer --client okhttp", .pass),
                DemoScene(
                    "HTTPDNS on iOS: the address stands in the URL, so no name is sent, and another's certificate comes back.",
                    "https://\(server)/ --host \(host) --pins Pins/root.cer", .fail),
                DemoScene(
                    "The same app without the Host header: the address stands where the name belongs.",
                    "https://\(server)/ --pins Pins/root.cer", .fail),
                DemoScene("A self-signed server, as the system sees it.", "\(host) --connect \(selfSigned)", .fail),
                DemoScene(
                    "The same server, pinned by an app with allowInvalidCertificates.",
                    "\(host) --connect \(selfSigned) --pins self-signed.cer --allow-invalid-certificates", .pass),
            ]
        }
        return try await LoopbackServer.serving(.tls(real)) { server in
            try await LoopbackServer.serving(.presenting([interceptorLeaf])) { interceptor in
                try await LoopbackServer.serving(.presenting([selfSignedLeaf])) { selfSigned in
                    let places = [server, interceptor, selfSigned].map { "127.0.0.1:\($0.port)" }
                    return try await body(scenes(places[0], places[1], places[2]), files.path, world)
                }
            }
        }
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
}
