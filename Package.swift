// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: visible existentials, imports that do not leak.
///
/// A warning is an error in CI alone: a deprecation in a later Swift or swift-nio breaks no user's build.
let swiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["PINCHECK_WARNINGS"] == "errors" ? [.treatAllWarnings(as: .error)] : [])

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")

func module(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], embedding files: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: files.map { .embedInCode($0) },
        swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

let package = Package(
    name: "pincheck",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "pincheck", targets: ["pincheck"]),
        .library(name: "PinChecking", targets: ["PinChecking"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0")],
    targets: [
        .systemLibrary(
            name: "OpenSSL", path: "Sources/COpenSSL/OpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(
            name: "COpenSSL", dependencies: ["OpenSSL"], exclude: ["OpenSSL"],
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .systemLibrary(
            name: "Expat", path: "Sources/CLibraries/Expat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(
            name: "CLibraries", dependencies: ["Expat"], exclude: ["Expat"],
            linkerSettings: [.linkedLibrary("expat"), .linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "CDeviceData", exclude: ["LICENSE.trust_stores_observatory", "make-device-data"]),

        module("Base", []),
        module("Pinning", ["Base"]),
        module("X509", ["Base", "CLibraries", "COpenSSL", "Pinning"]),
        module("TLSProbe", ["Base", "COpenSSL", "Pinning", "X509", nioCore, nioHTTP1, nioPosix]),
        module("PinFormats", ["Base", "CLibraries", "Pinning", "X509"]),
        module("PinLint", ["Base", "PinFormats", "Pinning", "X509"]),
        module(
            "PinChecking", ["Base", "CDeviceData", "PinFormats", "Pinning", "TLSProbe", "X509"],
            exclude: ["Pins/PublicCAs/public-cas.json", "Pins/PublicCAs/make-public-cas"],
            embedding: ["Pins/PublicCAs/public-cas.tsv"]),
        module("LoopbackLab", ["Base", "COpenSSL"]),
        module(
            "PinCheckCLI",
            [
                "Base", "LoopbackLab", "PinChecking", "PinFormats", "PinLint", "Pinning", "TLSProbe", "X509",
                nioCore, nioHTTP1, nioPosix,
            ],
            embedding: [
                "Help/completion.bash", "Help/completion.zsh", "Help/completion.fish",
                "Reports/HTML/page.css", "Reports/HTML/timeline.css",
            ]),
        .executableTarget(
            name: "pincheck", dependencies: ["PinCheckCLI"], exclude: ["README.zh.md", "schemas"],
            swiftSettings: swiftSettings),

        tests("BaseTests", ["Base", "LoopbackLab"]),
        tests("PinningTests", ["Base", "LoopbackLab", "Pinning"], exclude: ["Platforms/handshakes.json"]),
        tests("X509Tests", ["COpenSSL", "LoopbackLab", "Pinning", "X509"]),
        tests("SemanticsTests", ["Base", "LoopbackLab", "PinFormats", "Pinning", "X509"]),
        tests("TLSProbeTests", ["COpenSSL", "LoopbackLab", "Pinning", "TLSProbe", nioCore]),
        tests("PinFormatsTests", ["Base", "LoopbackLab", "PinFormats", "Pinning", "X509"], exclude: ["pinners.txt"]),
        tests("PinLintTests", ["LoopbackLab", "PinFormats", "PinLint", "Pinning", "X509"]),
        tests("PinCheckingTests", ["LoopbackLab", "PinChecking", "PinFormats", "Pinning", "TLSProbe", "X509"]),
        tests(
            "PinCheckCLITests",
            ["Base", "LoopbackLab", "PinCheckCLI", "PinChecking", "PinFormats", "Pinning", "TLSProbe", "X509"],
            exclude: ["Apps/Samples", "Golden", "published-keys.txt"]),
        tests("ChainTests", ["Base", "COpenSSL", "LoopbackLab", "Pinning", "X509"]),
        tests("ConformanceTests", ["Pinning", "X509"]),
        // The corpus of the fuzzer as tests; Tests/Fuzz/run builds the fuzzer itself.
        .testTarget(
            name: "FuzzTests",
            dependencies: ["LoopbackLab", "PinCheckCLI", "PinChecking", "PinFormats", "Pinning", "TLSProbe", "X509"],
            path: "Tests/Fuzz", exclude: ["Corpus", "Dictionaries", "Driver", "FailCases", "run"],
            swiftSettings: swiftSettings),
    ])

// `make asan TESTS=…` builds some tests alone: for CI, less than half of the work.
if let names = Context.environment["PINCHECK_TESTS"]?.split(separator: " ") {
    package.targets.removeAll { $0.type == .test && !names.contains(Substring($0.name)) }
}
