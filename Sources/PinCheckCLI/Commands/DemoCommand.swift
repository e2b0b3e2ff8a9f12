import Base
import LoopbackLab

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
        }, own: { [OptionGroup(title: "Options", options: [.color])] },
        run: { try await DemoCommand(settings: $0).run(in: $1) })
}

/// `pincheck demo`: real checks against throwaway servers.
struct DemoCommand {
    let settings: Settings

    func run(in context: Context) async throws -> ExitStatus {
        let style = context.style(settings.color, on: context.console.output)
        do {
            return try await DemoWorld.open { stage in try await perform(on: stage, style: style, in: context) }
        } catch let error as CommandError { throw error } catch {
            throw CommandError.software("the demo cannot start its servers: \(error)")
        }
    }

    private func perform(
        on stage: DemoWorld.Stage, style: TextStyle, in context: Context
    ) async throws(CommandError) -> ExitStatus {
        var writer = LineWriter(context.console.output)
        // It is there to be read, not to be searched: also where it is written to a file it is no wider than a page.
        let layout = TextLayout(columns: context.console.output.layout.columns, wraps: true)
        let inner = layout.narrowed(by: 3)
        func write(_ text: String, indent: Int = 0) throws(CommandError) {
            try writer.write(layout.folded(text, indent: indent))
        }
        try write("Three TLS servers run on 127.0.0.1; \(DemoWorld.host) is one of them, and two pretend to be it.")
        var surprises = 0
        for (index, scene) in DemoScene.all(on: stage).enumerated() {
            let output = OutputBuffer()
            let errors = OutputBuffer()
            var world = context
            world.console = Console(output: output.stream(layout: inner), errors: errors.stream(layout: inner))
            world.publicRoots = [stage.publicRoot]
            world.environment["SSL_CERT_FILE"] = stage.systemRoots
            world.environment["SSL_CERT_DIR"] = stage.directory + "/none"
            let colored = scene.arguments + ["--color", style.isColored ? "always" : "never"]
            let status = await context.run(colored, world)

            try writer.write("")
            try write("\(index + 1). \(scene.title)", indent: 3)
            try writer.write(scene.commandLine(in: stage.directory, layout).map { "   " + $0 }.joined(separator: "\n"))
            for line in scene.excerpt(of: output.text, errors: errors.text) { try writer.write("   " + line) }
            let isExpected = status == scene.status
            if !isExpected { surprises += 1 }
            let verdict = isExpected ? "as it should" : style.bad("should be \(scene.status.rawValue)")
            try writer.write(style.faint("   exit status \(status.rawValue), ") + verdict)
        }
        try writer.write("")
        guard surprises == 0 else {
            try write("\(surprises) of these did not end as they should: this is a fault in pincheck.")
            return .software
        }
        try write("All as it should be. Now try: pincheck YOUR.HOST, then pincheck YOUR.HOST --pins sha256/…")
        return .pass
    }
}
