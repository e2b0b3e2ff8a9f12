internal import PinFormats
internal import Pinning

/// Files in a directory that a client would not load from an app bundle.
struct BundleRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.inspections.filter(\.isDirectory).flatMap { inspection in
            let certificates = inspection.pins.filter { $0.certificate != nil }.map {
                inspection.lintPlace($0.origin, in: source.name)
            }
            return notLoadedByAFNetworking(certificates, scene) + notLoadedByAlamofire(certificates, scene)
        }
    }

    private func notLoadedByAFNetworking(_ certificates: [LintPlace], _ scene: LintScene) -> [LintFinding] {
        let ignored = certificates.filter { $0.file?.hasSuffix(".cer") == false }
        // Without a file that it loads, the directory is probably some other client's.
        let isAFNetworkings = scene.isForAFNetworking || ignored.count < certificates.count
        guard scene.isForAFNetworking || scene.linter.clients.isEmpty else { return [] }
        return ignored.map { place in
            LintFinding(
                .notLoadedByAFNetworking, isAFNetworkings ? .warning : .note, at: place,
                "AFNetworking does not load this certificate: it takes DER files named .cer from a bundle, and no others",
                remedy: "convert it to DER and name it .cer")
        }
    }

    private func notLoadedByAlamofire(_ certificates: [LintPlace], _ scene: LintScene) -> [LintFinding] {
        guard scene.isFor("alamofire") else { return [] }
        let endings = [".cer", ".CER", ".crt", ".CRT", ".der", ".DER"]
        return certificates.filter { place in
            // Only PEM has lines.
            place.line != nil || !endings.contains { place.file?.hasSuffix($0) == true }
        }.map { place in
            LintFinding(
                .notLoadedByAlamofire, at: place,
                "Alamofire does not load this certificate: it takes DER files named .cer, .crt or .der from a bundle",
                remedy: "convert it to DER and name it .cer")
        }
    }
}

extension LintScene {
    /// Whether the user said that a version of AFNetworking ships the pins.
    var isForAFNetworking: Bool { linter.clients.contains { $0.hasPrefix("afnetworking") } }
}
