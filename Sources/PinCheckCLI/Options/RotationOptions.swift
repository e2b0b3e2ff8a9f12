import ArgumentParser
import Rotation

/// Which changes since a baseline are fine, and what becomes of the baseline then.
struct RotationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Changes that are fine, as in 'renewed,names-added'. Others end with exit status 4. Repeatable. See \
            'pincheck help diff'.
            """,
            valueName: "changes"
        )
    )
    var allow: [String] = []

    @Flag(help: "Rewrite the baseline when nothing but allowed changes were found.")
    var update = false
}
