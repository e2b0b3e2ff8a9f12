import Base
import PinChecking
import Pinning
import X509

/// The device data that a command works with: the program's own, or that of `--device-data`.
struct DeviceDataFile {
    let data: DeviceData
    /// The file it was read from, `nil` for the program's own.
    let path: String?

    /// Reads the file, or takes the program's own data when none is named; warns of data that is old.
    init(_ path: String?, in context: Context) throws(CommandError) {
        self.path = path
        data = try CommandError.reading { () throws(CheckError) in try DeviceData.read(path) }
        guard let warning = data.warning(at: context.now()) else { return }
        context.console.report("Warning: \(Report.Message(warning.reason).message)")
    }

    func device(named name: String) throws(CommandError) -> Device? {
        try CommandError.reading { () throws(CheckError) in try data.device(named: name) }
    }
}

/// The JSON document of `devices`.
struct DevicesReport: Encodable {
    let schema = "pincheck-devices/1"
    var data: Data
    var devices: [Entry]

    struct Data: Encodable {
        /// The file, `nil` for what is part of the program.
        var file: String?
        var source: String
        var licence: String
        /// The day on which the newest list was read.
        var date: String
        var ageDays: Int
        var isStale: Bool
        var certificateCount: Int
    }

    struct Entry: Encodable {
        var name: String
        var alias: String?
        /// Whose list it is: `ios`, `android` or `mozilla`; `nil` for this machine.
        var platform: String?
        var version: String?
        var release: String?
        var url: String?
        var read: String?
        var rootCount: Int?
        var rules: [String]
        var roots: [Root]?
    }

    struct Root: Encodable {
        /// The common name, or the whole subject of a root without one.
        var name: String
        var certSha256: String
        var spkiSha256: String
        var key: String
        var notBefore: String
        var notAfter: String
        var availability: String
        /// Whether all of them have; no part of the document.
        var isEverywhere: Bool

        private enum CodingKeys: CodingKey { case name, certSha256, spkiSha256, key, notBefore, notAfter, availability }
    }
}

extension DevicesReport {
    /// A document of the data, without its devices.
    init(_ file: DeviceDataFile, at time: Timestamp) {
        data = Data(
            file: file.path, source: file.data.source, licence: file.data.licence, date: file.data.date.date,
            ageDays: file.data.age(at: time), isStale: file.data.isStale(at: time),
            certificateCount: file.data.certificateCount)
        devices = []
    }
}

extension DevicesReport.Entry {
    static let system = DevicesReport.Entry(name: DeviceData.systemName, rules: ["this machine's roots and rules"])

    init(_ device: Device, roots: [DevicesReport.Root]? = nil) {
        self.init(
            name: device.name, alias: device.alias, platform: device.platform.rawValue,
            version: device.version?.description, release: device.release, url: device.address, read: device.date.date,
            rootCount: device.rootCount, rules: Self.rules(of: device), roots: roots)
    }

    private static func rules(of device: Device) -> [String] {
        switch device.platformRelease {
        case nil, .newest: ["a browser's"]
        case .apple(let rules):
            (rules.requiresTransparency ? ["SCTs"] : []) + (rules.limitsLeavesOfOwnAnchors ? ["leaf limits"] : [])
                + (rules.judgesAddressesByTransportSecurity ? ["ATS for IPs"] : [])
        case .android(let rules): ["API \(rules.level)", transparency(rules)]
        }
    }

    private static func transparency(_ rules: AndroidRelease) -> String {
        switch rules.transparency {
        case .never: "no SCTs"
        case .optIn: "SCTs if the app asks"
        case .byTarget: "SCTs from targetSdk 37"
        }
    }
}

extension DevicesReport.Root {
    /// A root of a device.
    ///
    /// - Throws: ``CommandError`` for data with something else than a certificate in it.
    init(_ der: [UInt8], of device: Device, in file: DeviceDataFile) throws(CommandError) {
        let certificate: Certificate
        do throws(X509Error) { certificate = try CertificateReader.certificate(der: der) } catch {
            let data = file.path.map { quoted($0) } ?? "the device data"
            throw .data("\(data) has a root of \(device.name) that is \(error)")
        }
        name = certificate.commonName ?? certificate.subject
        certSha256 = certificate.fingerprint.hexadecimal
        spkiSha256 = certificate.publicKey.spkiSHA256.description
        key = certificate.publicKey.algorithm.description
        notBefore = certificate.notBefore.description
        notAfter = certificate.notAfter.description
        availability = file.data.availability(of: der, on: device.platform) ?? ""
        let holders = file.data.devices(listing: der)
        isEverywhere = file.data.devices.allSatisfy { $0.platform != device.platform || holders.contains($0) }
    }
}

/// Writes devices, or the roots of one, as text.
enum DevicesTextRenderer {
    static func table(_ report: DevicesReport, _ layout: TextLayout) -> [String] {
        let layout = TextLayout(columns: layout.columns, wraps: true)
        let heading = ["device", "also", "roots", "read", "rules"]
        let rows = report.devices.map { device in
            [
                device.name, device.alias ?? "", device.rootCount.map { String($0) } ?? "", device.read ?? "",
                device.rules.isEmpty ? "-" : device.rules.joined(separator: ", "),
            ]
        }
        return Table(rows: [heading] + rows, indent: 0).lines(foldedIn: layout)
            + [
                "", "SCTs: certificates of public roots need timestamps of Certificate Transparency",
                "leaf limits: 825 days and serverAuth, also below an app's own anchors",
                "ATS for IPs: App Transport Security holds for addresses too", "",
                "\(report.data.certificateCount) roots; the newest list was read \(report.data.date)",
                "source: \(safe(report.data.source))",
            ].map { layout.folded($0) }
    }

    static func roots(_ report: DevicesReport, _ layout: TextLayout) -> [String] {
        guard let device = report.devices.first, let roots = device.roots else { return [] }
        // A list to be read: in a pipe it is as narrow as at a terminal.
        let layout = TextLayout(columns: layout.columns, wraps: true)
        let names = [device.name, device.alias].compactMap(\.self).joined(separator: ", ")
        let count = roots.count == 1 ? "1 root" : "\(roots.count) roots"
        let heading = [
            "\(names): \(safe(device.release ?? "")), \(count), read \(device.read ?? "") at \(safe(device.url ?? ""))",
            "rules: \(device.rules.joined(separator: ", "))",
        ].map { layout.folded($0) }
        return heading
            + roots.map { root in
                let name =
                    "ends \(root.notAfter.prefix(10))  \(safe(root.name))"
                    + (root.isEverywhere ? "" : "  (\(root.availability))")
                return layout.folded(layout.joined(["  \(root.certSha256)", name], by: "  "))
            }
    }

    private static func safe(_ text: String) -> String { TerminalText.shown(text, to: 200) }
}
