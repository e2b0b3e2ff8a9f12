import ArgumentParser
import PinChecking

/// Which changes since a baseline are fine, and what becomes of the baseline then.
struct RotationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Accept these changes, as in 'renewed,names-added'.",
            discussion: """
                Any other change ends with exit status 4. 'pincheck help diff' lists them. Repeatable.
                """, valueName: "changes")) var allow: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Rewrite the baseline if all changes are allowed.",
            discussion: """
                What a target serves at an address that is given, as by --connect, is recorded beside what is recorded \
                of its name.
                """)) var update = false
}
