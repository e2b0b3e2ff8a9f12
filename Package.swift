// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: visible existentials, imports that do not leak, no warning left standing.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "pincheck", platforms: [.macOS(.v15)],
    products: [
        .executable(name: "pincheck", targets: ["pincheck"]), .library(name: "LoopbackLab", targets: ["LoopbackLab"]),
        .library(name: "PinChecking", targets: ["PinChecking"]), .library(name: "Pinning", targets: ["Pinning"]),
        .library(name: "X509", targets: ["X509"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "COpenSSLShims", dependencies: ["COpenSSL"]),
        .target(name: "COpenSSLTrimmed", dependencies: ["COpenSSL"]),
        .target(name: "CLibraries", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "Text", swiftSettings: swiftSettings),
        .target(name: "Machine", dependencies: ["Text"], swiftSettings: swiftSettings),
        .target(name: "Pinning", dependencies: ["Text"], swiftSettings: swiftSettings),
        .target(
            name: "X509", dependencies: ["CLibraries", "COpenSSL", "COpenSSLShims", "Machine", "Pinning", "Text"],
            swiftSettings: swiftSettings),
        .target(
            name: "TLSProbe",
            dependencies: [
                "COpenSSL", "COpenSSLShims", "COpenSSLTrimmed", "Pinning", "Text", "X509", nioCore, nioHTTP1, nioPosix,
            ], swiftSettings: swiftSettings),
        .target(name: "Exporter", dependencies: ["Text", nioCore, nioHTTP1, nioPosix], swiftSettings: swiftSettings),
        .target(name: "HTTPDNS", dependencies: ["Pinning", "TLSProbe", "Text"], swiftSettings: swiftSettings),
        .target(
            name: "PinFormats", dependencies: ["CLibraries", "Devices", "Machine", "Pinning", "Text", "X509"],
            swiftSettings: swiftSettings),
        .target(
            name: "PinLint", dependencies: ["PinFormats", "Pinning", "Text", "X509"], swiftSettings: swiftSettings),
        .target(name: "Rotation", dependencies: ["Pinning", "Text"], swiftSettings: swiftSettings),
        .target(name: "CDeviceData", exclude: ["LICENSE.trust_stores_observatory", "make-device-data"]),
        .target(
            name: "Devices", dependencies: ["CDeviceData", "Pinning"],
            exclude: ["Authorities/authorities.json", "Authorities/make-authorities"], swiftSettings: swiftSettings),
        .target(
            name: "PinChecking",
            dependencies: [
                "Devices", "HTTPDNS", "Machine", "PinFormats", "Pinning", "Rotation", "TLSProbe", "Text", "X509",
            ], swiftSettings: swiftSettings),
        .target(name: "LoopbackLab", dependencies: ["COpenSSL", "COpenSSLShims"], swiftSettings: swiftSettings),
        .target(
            name: "PinCheckCLI",
            dependencies: [
                "Devices", "Exporter", "HTTPDNS", "LoopbackLab", "Machine", "PinChecking", "PinFormats", "PinLint",
                "Pinning", "Rotation", "TLSProbe", "Text", "X509", argumentParser,
            ], swiftSettings: swiftSettings),
        .executableTarget(
            name: "pincheck", dependencies: ["PinCheckCLI"], exclude: ["README.zh.md", "functions.order"],
            swiftSettings: swiftSettings),
        .testTarget(name: "MachineTests", dependencies: ["LoopbackLab", "Machine"], swiftSettings: swiftSettings),
        .testTarget(name: "TextTests", dependencies: ["LoopbackLab", "Text"], swiftSettings: swiftSettings),
        .testTarget(name: "PinningTests", dependencies: ["LoopbackLab", "Pinning"], swiftSettings: swiftSettings),
        .testTarget(
            name: "X509Tests", dependencies: ["COpenSSLShims", "LoopbackLab", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "SemanticsTests", dependencies: ["LoopbackLab", "PinFormats", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TLSProbeTests",
            dependencies: ["COpenSSL", "COpenSSLShims", "LoopbackLab", "Pinning", "TLSProbe", "X509", nioCore],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ExporterTests", dependencies: ["Exporter", "LoopbackLab", "Text"], swiftSettings: swiftSettings),
        .testTarget(
            name: "HTTPDNSTests", dependencies: ["HTTPDNS", "LoopbackLab", "Pinning", "TLSProbe"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "PinFormatsTests", dependencies: ["Devices", "LoopbackLab", "PinFormats", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "PinLintTests", dependencies: ["LoopbackLab", "PinFormats", "PinLint", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        .testTarget(name: "RotationTests", dependencies: ["Pinning", "Rotation"], swiftSettings: swiftSettings),
        .testTarget(
            name: "DevicesTests", dependencies: ["Devices", "LoopbackLab", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "PinCheckingTests", dependencies: ["LoopbackLab", "PinChecking", "Pinning", "Rotation"],
            swiftSettings: swiftSettings),
        .testTarget(name: "LoopbackLabTests", dependencies: ["LoopbackLab"], swiftSettings: swiftSettings),
        .testTarget(
            name: "PinCheckCLITests",
            dependencies: [
                "Devices", "Exporter", "LoopbackLab", "Machine", "PinCheckCLI", "PinChecking", "PinFormats", "Pinning",
                "Rotation", "TLSProbe", "Text", "X509", argumentParser,
            ], exclude: ["PublishedSchemas"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ChainTests", dependencies: ["COpenSSL", "COpenSSLShims", "LoopbackLab", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ConformanceTests", dependencies: ["LoopbackLab", "PinCheckCLI", "Pinning", "X509"],
            swiftSettings: swiftSettings),
        // The corpus of the fuzzer as tests; Tests/Fuzz/run builds the fuzzer itself.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "Devices", "Exporter", "HTTPDNS", "LoopbackLab", "PinFormats", "Pinning", "TLSProbe", "X509",
            ], path: "Tests/Fuzz", exclude: ["Corpus", "Dictionaries", "Driver", "FailCases", "run"],
            swiftSettings: swiftSettings),
    ])
