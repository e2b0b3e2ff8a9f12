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
        do { return try await DemoScene.stage(in: context, perform) } catch let error as Problem { throw error } catch {
            throw Problem.software("the demo cannot start its servers: \(error)")
        }
    }

    private func perform(_ scenes: [DemoScene], in directory: String, _ world: Context) async throws -> ExitStatus {
        let output = console.output
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
            let result = OutputBuffer()
            var world = world
            world.console = Console(output: result.stream(layout: inner), errors: result.stream(layout: inner))
            let words = scene.line.split(separator: " ").map {
                $0.hasSuffix(".cer") ? "\(directory)/\($0)" : String($0)
            }
            let colored = words + ["--color", style.isColored ? "always" : "never"]
            let status = await PinCheck.run(colored, in: world).status

            try output.write("\n")
            try write("\(index + 1). \(scene.title)", indent: 3)
            let command = inner.folded("$ pincheck \(scene.line)", indent: 4).split(separator: "\n")
            let lines = result.text.split(separator: "\n")
            let shown = scene.isWhole ? lines[...] : lines[(lines.lastIndex { !$0.hasPrefix(" ") } ?? 0)...]
            try output.write((command + shown).map { "   \($0)\n" }.joined())
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

struct DemoScene {
    let title: String
    /// The command line after `pincheck`, in words without blanks; its files are in the scene's directory.
    let line: String
    let status: ExitStatus
    var isWhole = false

    static let host = "api.example.com"

    static func stage(
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
                    title: "The server has the pinned key: an app with this pin connects.",
                    line: "\(host) --connect \(server) --pins \(pin(of: leaf))", status: .pass, isWhole: true),
                DemoScene(
                    title: "The pin is for another key: the app refuses. The pins to choose from are shown.",
                    line: "\(host) --connect \(server) --pins \(pin(of: defaultLeaf))", status: .fail, isWhole: true),
                DemoScene(
                    title:
                        "A proxy intercepts, and its root is in the system store: without pins the app notices nothing.",
                    line: "\(host) --connect \(interceptor)", status: .pass, isWhole: true),
                DemoScene(
                    title: "The same proxy, but the app ships the real root's certificate: caught.",
                    line: "\(host) --connect \(interceptor) --pins Pins/root.cer --mode certificate", status: .fail),
                DemoScene(
                    title: "HTTPDNS on Android: the app connects to an address and sends the name.",
                    line: "\(host) --connect \(server) --pins Pins/root.cer --client okhttp", status: .pass),
                DemoScene(
                    title:
                        "HTTPDNS on iOS: the address stands in the URL, so no name is sent, and another's certificate comes back.",
                    line: "https://\(server)/ --host \(host) --pins Pins/root.cer", status: .fail),
                DemoScene(
                    title: "The same app without the Host header: the address stands where the name belongs.",
                    line: "https://\(server)/ --pins Pins/root.cer", status: .fail),
                DemoScene(
                    title: "A self-signed server, as the system sees it.", line: "\(host) --connect \(selfSigned)",
                    status: .fail),
                DemoScene(
                    title: "The same server, pinned by an app with allowInvalidCertificates.",
                    line: "\(host) --connect \(selfSigned) --pins self-signed.cer --allow-invalid-certificates",
                    status: .pass),
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
}
