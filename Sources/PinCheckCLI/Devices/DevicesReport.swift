import Base
import PinChecking
import Pinning
import X509

/// What `devices` says of the device data, the program's own or that of `--device-data`: as a document, and as text.
///
/// No device is this machine.
struct DevicesReport {
    let data: DeviceData
    private let path: String?
    private let time: Timestamp

    init(_ path: String?, in context: Context) throws(CommandError) {
        (self.path, time) = (path, context.now())
        data = try CommandError.reading(try DeviceData.read(path))
        guard let warning = data.warning(at: time) else { return }
        context.console.report("Warning: \(Report.Message(warning.reason).message)")
    }

    typealias Root = (certificate: Certificate, name: String, availability: String, isEverywhere: Bool)

    func roots(of device: Device) throws(CommandError) -> [Root] {
        var roots: [Root] = []
        for der in data.roots(of: device) {
            let holders = data.devices(listing: der)
            do throws(X509Error) {
                let certificate = try CertificateReader.certificate(der: der)
                roots.append(
                    (
                        certificate, certificate.commonName ?? certificate.subject,
                        data.availability(of: der, on: device.platform) ?? "",
                        data.devices.allSatisfy { $0.platform != device.platform || holders.contains($0) }
                    ))
            } catch {
                throw .data(
                    "\(path.map { quoted($0) } ?? "the device data") has a root of \(device.name) that is \(error)")
            }
        }
        return roots.sorted {
            ($0.name.lowercased(), $0.certificate.fingerprint.hexadecimal) < (
                $1.name.lowercased(), $1.certificate.fingerprint.hexadecimal
            )
        }
    }

    private static func rules(of device: Device?) -> [String] {
        guard let device else { return ["this machine's roots and rules"] }
        switch device.platformRelease {
        case nil, .newest: return ["a browser's"]
        case .apple(let rules):
            return (rules.requiresTransparency ? ["SCTs"] : [])
                + (rules.limitsLeavesOfOwnAnchors ? ["leaf limits"] : [])
                + (rules.judgesAddressesByTransportSecurity ? ["ATS for IPs"] : [])
        case .android(let level):
            let asked = level < 36 ? "no SCTs" : level == 36 ? "SCTs if the app asks" : "SCTs from targetSdk 37"
            return ["API \(level)", asked]
        }
    }

    func document(_ devices: [Device?], roots: [Root]? = nil) -> JSONObject {
        [
            "schema": "pincheck-devices/1",
            "data": [
                "file": path, "source": data.source, "licence": data.licence, "date": data.date.date,
                "age_days": data.age(at: time), "is_stale": data.isStale(at: time),
                "certificate_count": data.certificateCount,
            ] as JSONObject, "devices": devices.map { entry($0, roots) },
        ]
    }

    private func entry(_ device: Device?, _ roots: [Root]?) -> JSONObject {
        [
            "name": device?.name ?? DeviceData.systemName, "alias": device?.alias,
            "platform": device?.platform.rawValue, "version": device?.version?.description, "release": device?.release,
            "url": device?.address, "read": device?.date.date, "root_count": device?.rootCount,
            "rules": Self.rules(of: device), "roots": roots?.map(Self.entry),
        ]
    }

    private static func entry(_ root: Root) -> JSONObject {
        let certificate = root.certificate
        return [
            "name": root.name, "cert_sha256": certificate.fingerprint.hexadecimal,
            "spki_sha256": certificate.publicKey.spkiSHA256.description,
            "key": certificate.publicKey.algorithm.description, "not_before": certificate.notBefore.description,
            "not_after": certificate.notAfter.description, "availability": root.availability,
        ]
    }

    func table(_ devices: [Device?], _ layout: TextLayout) -> [String] {
        let heading = ["device", "also", "roots", "read", "rules"]
        let rows = devices.map { device in
            let rules = Self.rules(of: device)
            return [
                device?.name ?? DeviceData.systemName, device?.alias ?? "", device.map { String($0.rootCount) } ?? "",
                device?.date.date ?? "", rules.isEmpty ? "-" : rules.joined(separator: ", "),
            ]
        }
        return Table(rows: [heading] + rows, indent: 0).lines(foldedIn: layout)
            + [
                "", "SCTs: certificates of public roots need timestamps of Certificate Transparency",
                "leaf limits: 825 days and serverAuth, also below an app's own anchors",
                "ATS for IPs: App Transport Security holds for addresses too", "",
                "\(data.certificateCount) roots; the newest list was read \(data.date.date)",
                "source: \(Self.safe(data.source))",
            ].map { layout.folded($0) }
    }

    func list(_ roots: [Root], of device: Device, _ layout: TextLayout) -> [String] {
        let names = [device.name, device.alias].compactMap(\.self).joined(separator: ", ")
        let count = roots.count == 1 ? "1 root" : "\(roots.count) roots"
        let heading = [
            "\(names): \(Self.safe(device.release)), \(count), read \(device.date.date) at \(Self.safe(device.address))",
            "rules: \(Self.rules(of: device).joined(separator: ", "))",
        ].map { layout.folded($0) }
        return heading
            + roots.map { root in
                let name =
                    "ends \(root.certificate.notAfter.date)  \(Self.safe(root.name))"
                    + (root.isEverywhere ? "" : "  (\(root.availability))")
                return layout.folded(layout.joined(["  \(root.certificate.fingerprint.hexadecimal)", name], by: "  "))
            }
    }

    private static func safe(_ text: String) -> String { TerminalText.shown(text, to: 200) }
}
