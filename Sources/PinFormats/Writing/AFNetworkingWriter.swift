/// How an app with AFNetworking pins: certificate files in its bundle, and the lines that load them.
struct AFNetworkingWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        var lines: [String] = []
        for group in groups {
            lines += PinRemark.heading(group).map { "// " + GeneratedText.comment($0) }
            lines += files(group)
        }
        lines += [
            "// Save the files with 'pincheck pins … --save DIR' and add them to the app target: AFNetworking loads every",
            "// DER file named .cer from the bundle, and no other. AFSSLPinningModePublicKey outlives a renewed certificate.",
        ]
        if let backup = PinRemark.backup(groups).first {
            lines.append("// " + backup)
        } else if groups.contains(where: { $0.items.contains { $0.certificate == nil } }),
            !PinRemark.backup(groups.map { $0.keeping($0.items.filter { $0.certificate != nil }) }).isEmpty
        {
            lines.append(
                "// The key in reserve needs a certificate before AFNetworking can pin it: sign one with the key itself."
            )
        }
        for group in groups {
            let host = group.hostName.contains(":") ? "[\(group.hostName)]" : group.hostName
            let url = GeneratedText.cString("https://\(host)\(group.port == 443 ? "" : ":\(group.port)")/")
            lines += ["", "// Objective-C, \(GeneratedText.comment(group.hostName))"] + Self.objectiveC(url)
            lines += ["", "// Swift, \(GeneratedText.comment(group.hostName))"] + Self.swift(url)
        }
        return lines
    }

    private func files(_ group: PinGroup) -> [String] {
        group.uses().flatMap { item, use in
            let label = "// " + GeneratedText.comment(item.label)
            guard let certificate = item.certificate else {
                return [
                    label,
                    "//   \(item.notations.okhttp)  a key without a certificate: AFNetworking pins certificates only",
                ]
            }
            let name = CertificateFileName.name(of: certificate, role: item.role)
            let verb = use == .offered ? "do not add (it would be pinned too)" : "add to the bundle"
            return [label, "//   \(item.notations.okhttp)  \(GeneratedText.comment(name)): \(verb)"]
        }
    }

    private static func objectiveC(_ url: String) -> [String] {
        [
            "AFSecurityPolicy *policy =", "    [AFSecurityPolicy policyWithPinningMode:AFSSLPinningModePublicKey",
            "                     withPinnedCertificates:[AFSecurityPolicy certificatesInBundle:NSBundle.mainBundle]];",
            "AFHTTPSessionManager *manager =",
            "    [[AFHTTPSessionManager alloc] initWithBaseURL:[NSURL URLWithString:@\"\(url)\"]];",
            "manager.securityPolicy = policy;",
        ]
    }

    private static func swift(_ url: String) -> [String] {
        [
            "let manager = AFHTTPSessionManager(baseURL: URL(string: \"\(url)\"))",
            "manager.securityPolicy = AFSecurityPolicy(", "    pinningMode: .publicKey,",
            "    withPinnedCertificates: AFSecurityPolicy.certificates(in: .main)", ")",
        ]
    }
}
