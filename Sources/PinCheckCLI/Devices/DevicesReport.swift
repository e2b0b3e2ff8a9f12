import Base
import PinChecking
import Pinning
import X509

/// The JSON document of `devices`.
struct DevicesReport: DocumentObject {
    /// The name and version of the document's form.
    static let schema = "pincheck-devices/1"

    var data: Data
    var devices: [Entry]

    struct Data: DocumentObject {
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

    struct Entry: DocumentObject {
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

    struct Root: DocumentObject {
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

// The keys of the document.

extension DevicesReport {
    static let fields: DocumentFields<DevicesReport> = [
        DocumentField("schema", { _ in DevicesReport.schema }, as: .constant(DevicesReport.schema)),
        DocumentField("data", \.data), DocumentField("devices", \.devices),
    ]
}

extension DevicesReport.Data {
    static let fields: DocumentFields<DevicesReport.Data> = [
        DocumentField("file", \.file, "The file of --device-data; null for the data that is part of the program."),
        DocumentField("source", \.source, "Where the lists are from."),
        DocumentField("licence", \.licence, "The licence of the lists."),
        DocumentField("date", \.date, "The day on which the newest list was read.", as: .day),
        DocumentField("age_days", \.ageDays, as: .atLeast(0)),
        DocumentField("is_stale", \.isStale, "Whether the data is older than 180 days."),
        DocumentField("certificate_count", \.certificateCount, as: .atLeast(1)),
    ]
}

extension DevicesReport.Entry {
    static let definition: String? = "device"

    static let fields: DocumentFields<DevicesReport.Entry> = [
        DocumentField("name", \.name), DocumentField("alias", \.alias, "Another name of the same list."),
        DocumentField("platform", \.platform, as: .words(DevicePlatform.allCases.map(\.rawValue))),
        DocumentField("version", \.version), DocumentField("release", \.release, "The versions in words."),
        DocumentField("url", \.url, "Where the list is published."),
        DocumentField("read", \.read, "The day on which the list was read.", as: .day),
        DocumentField("root_count", \.rootCount, as: .atLeast(1)),
        DocumentField("rules", \.rules, "What its system asks for, in words."),
        DocumentField("roots", \.roots, "The roots, by name; null in the list of all devices."),
    ]
}

extension DevicesReport.Root {
    static let definition: String? = "root"

    static let fields: DocumentFields<DevicesReport.Root> = [
        DocumentField("name", \.name, "The common name, or the whole subject."),
        DocumentField("cert_sha256", \.certSha256, as: .sha256), DocumentField("spki_sha256", \.spkiSha256, as: .pin),
        DocumentField("key", \.key, "The algorithm and its size."), DocumentField("not_before", \.notBefore, as: .time),
        DocumentField("not_after", \.notAfter, as: .time),
        DocumentField("availability", \.availability, "Which devices of the platform have it, in words."),
    ]
}
