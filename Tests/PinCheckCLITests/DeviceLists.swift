import LoopbackLab
import Pinning

/// Root stores of devices as `--device-data` takes them.
enum DeviceLists {
    /// Devices of a laboratory: `rootA` is not on all of them, `rootB` on all but the first.
    static func lab(_ pki: StandardPKI) -> [(name: String, roots: [LabCertificate])] {
        [
            ("ios-12", [pki.rootB]), ("ios-13", [pki.rootA, pki.rootB]), ("ios-26", [pki.rootA, pki.rootB]),
            ("android-9", [pki.rootA, pki.rootB]), ("android-17", [pki.rootB]),
        ]
    }

    /// Writes lists that were read ten days ago, with their certificates beside them.
    ///
    /// - Returns: the path of the file.
    static func write(
        _ lists: [(name: String, roots: [LabCertificate])], to name: String = "devices.json",
        in files: TemporaryDirectory
    ) throws -> String {
        var stores: [String] = []
        for (device, roots) in lists {
            let version = device.drop { $0 != "-" }.dropFirst()
            let names = try roots.enumerated().map { index, root in
                let file = "\(device)-\(index).cer"
                _ = try files.write(root.der, to: file)
                return "\"\(file)\""
            }
            let day = Timestamp(secondsSinceEpoch: LabClock.now - 10 * LabClock.day).date
            stores.append(
                """
                { platform: "\(device.hasPrefix("ios") ? "apple" : "aosp")", version: "\(version)", fetched: "\(day)",
                  url: "https://lists.example", roots: [\(names.joined(separator: ", "))] }
                """)
        }
        return try files.write("{ source: \"a laboratory\", stores: [\(stores.joined(separator: ", "))] }", to: name)
    }
}
