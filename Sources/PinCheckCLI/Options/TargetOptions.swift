import ArgumentParser

/// Which servers are checked beside those that are named.
struct TargetOptions: ParsableArguments {
    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            "Check the targets of a list, one on each line.",
            discussion: """
                TARGET [connect=ADDR] [sni=NAME] [no-sni] [host=NAME] [verify-name=NAME] [pins=SOURCE] [client=NAME] \
                [device=NAME] [request=PATH] [expect-status=STATUS]. '#' begins a comment. '-' is standard input. It \
                is read as it is needed. Repeatable.
                """, valueName: "file"), completion: .file()) var lists: [String] = []

    @Option(
        help: ArgumentHelp(
            "Check the hosts of a policy (JSON5).",
            discussion: """
                The file says by what each host is checked. It is all of them, or those that are named as targets or in \
                --targets. '-' is standard input. Repeatable.
                """, valueName: "file"), completion: .file()) var policy: [String] = []
}

/// What a check is compared with, and what is about to be deployed.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Compare with this snapshot.", discussion: "A file of 'pincheck snapshot'.", valueName: "file"),
        completion: .file()) var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Would the pins accept what is about to be deployed?",
            discussion: "A chain, a certificate, a request or a public key. It needs no target. Repeatable.",
            valueName: "file"), completion: .file()) var next: [String] = []

    @OptionGroup var rotation: RotationOptions
}
