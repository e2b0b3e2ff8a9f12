// swift-tools-version: 6.2
import PackageDescription

/// A package of somebody else's: what it can use of pincheck are its products.
let package = Package(
    name: "outside", platforms: [.macOS(.v15)], dependencies: [.package(name: "pincheck", path: "../..")],
    targets: [
        .executableTarget(
            name: "outside", dependencies: [.product(name: "PinChecking", package: "pincheck")],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
    ])
