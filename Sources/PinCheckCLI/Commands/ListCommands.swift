import Base
import PinChecking
import PinFormats
import TLSProbe
import X509

extension Command {
    static let clients = Command(
        name: "clients", abstract: "List the clients that can be asked, with settings.", usage: "pincheck clients",
        discussion: """
            Several clients judge one connection, and all of them must accept:
              pincheck api.example.com --pins Pins/ --client afnetworking,okhttp
              pincheck api.example.com --pins Pins/ --client all
            Settings follow a name, separated by colons:
              pincheck api.example.com --pins Pins/ --client trustkit:no-enforce
            AFNetworking's settings have flags of their own, such as --mode.
            """, run: { try $0.clients() })

    static let devices = Command(
        name: "devices", abstract: "List the devices that are known, or one's roots.",
        usage: "pincheck devices [<device>] [<options>]",
        discussion: """
              pincheck devices
              pincheck devices ios-17
              pincheck devices android-8 --format json

            Apple's lists are named after iOS; the macOS of the same year has the same one.
            A version without a list is refused: roots come and go between versions.
            Manufacturers add roots to Android's list.
            """,
        arguments: [
            Argument(
                name: "device", help: "The device whose roots to list.",
                values: .one { Option.words(DeviceData.builtIn.names.filter { $0 != DeviceData.systemName }) })
        ], own: { [.deviceList] }, run: { try $0.devices() })
}

extension Invocation {
    func clients() throws -> ExitStatus {
        let layout = console.output.layout
        let table = Table(rows: Client.all.map { [$0.name, $0.summary] }, indent: 0)
        let indent = table.widths[0] + 4
        for (entry, line) in zip(Client.all, table.lines(foldedIn: layout)) {
            try console.output.write(line + "\n")
            for setting in entry.settings {
                let line = String(repeating: " ", count: indent) + setting.usage + "  " + setting.help
                try console.output.write(layout.folded(line, indent: indent + 2) + "\n")
            }
        }
        return .pass
    }

    func devices() throws -> ExitStatus {
        let report = try DevicesReport(settings.request.judging.deviceData, in: context)
        // The list is text to read: its lines are folded in a pipe, too.
        let layout = TextLayout(columns: console.output.layout.columns, wraps: true)
        let (document, text) =
            try settings.arguments.first.map { name in
                guard let device = try report.data.device(named: name) else {
                    throw Problem.usage(
                        "'\(name)' has the roots of this machine, which are not part of the data: name another device")
                }
                try Hashing.require()
                let roots = try report.roots(of: device)
                return (report.document([device], roots: roots), report.list(roots, of: device, layout))
            } ?? (report.document([nil] + report.data.devices), report.table([nil] + report.data.devices, layout))
        try OutputFile.deliver(
            settings.devicesForm == .json ? JSONRenderer.document(document) : text.map { $0 + "\n" }.joined(), to: nil,
            in: context)
        return .pass
    }
}

/// The documents and texts of `devices`; a `nil` device is this machine.
struct DevicesReport {
    let data: DeviceData
    private let path: String?
    private let time: Timestamp

    init(_ path: String?, in context: Context) throws {
        (self.path, time) = (path, context.now())
        data = try DeviceData.read(path)
        guard let warning = data.warning(at: time) else { return }
        context.console.report("Warning: \(warning.reason.told)")
    }

    func roots(of device: Device) throws(Problem) -> [Certificate] {
        func order(_ root: Certificate) -> String { "\(root.shownName.lowercased())\0\(root.fingerprint.hexadecimal)" }
        do {
            return try data.roots(of: device).map { (der) throws(X509Error) in
                try CertificateReader.certificate(der: der)
            }.sorted { order($0) < order($1) }
        } catch {
            throw .data("\(path.map { quoted($0) } ?? "the device data") has a root of \(device.name) that is \(error)")
        }
    }

    /// The rules in which devices differ, in the words that the table's legend explains.
    private static func rules(of device: Device?) -> [String] {
        guard let device else { return ["this machine's roots and rules"] }
        let tls = device.stack.map { stack in
            (stack.versions.upperBound < .tls13 ? ["\(stack.versions.upperBound)"] : [])
                + (stack.groups?.contains(TLSStack.hybrid) == true ? ["hybrid"] : [])
        }
        switch device.platformRelease {
        case nil, .newest: return ["a browser's"]
        case .apple(let rules):
            return (rules.requiresTransparency ? ["SCTs"] : [])
                + (rules.limitsLeavesOfOwnAnchors ? ["leaf limits"] : [])
                + (rules.judgesAddressesByTransportSecurity ? ["ATS for IPs"] : []) + (tls ?? [])
        case .android(let level):
            let transparency = level == 36 ? "SCTs if the app asks" : "SCTs from targetSdk 37"
            return ["API \(level)", level < 36 ? "no SCTs" : transparency] + (tls ?? [])
        }
    }

    func document(_ devices: [Device?], roots: [Certificate]? = nil) -> JSONObject {
        [
            "schema": "pincheck-devices/1",
            "data": [
                "file": path, "source": data.source, "licence": data.licence, "date": data.date.date,
                "age_days": data.age(at: time), "is_stale": data.isStale(at: time),
                "certificate_count": data.certificateCount,
            ] as JSONObject, "devices": devices.map { entry($0, roots) },
        ]
    }

    private func entry(_ device: Device?, _ roots: [Certificate]?) -> JSONObject {
        [
            "name": device?.name ?? DeviceData.systemName, "alias": device?.alias, "platform": device?.platform.system,
            "version": device?.version?.description, "release": device?.release, "url": device?.address,
            "read": device?.date.date, "root_count": device?.rootCount, "rules": Self.rules(of: device),
            "tls": device?.stack, "roots": device.flatMap { device in roots?.map { entry($0, of: device) } },
        ]
    }

    private func entry(_ root: Certificate, of device: Device) -> JSONObject {
        [
            "name": root.shownName, "cert_sha256": root.fingerprint.hexadecimal,
            "spki_sha256": root.spkiSHA256.description, "key": root.publicKey.algorithm.description,
            "not_before": root.notBefore, "not_after": root.notAfter,
            "availability": data.availability(of: root.der, on: device.platform),
        ]
    }

    func table(_ devices: [Device?], _ layout: TextLayout) -> [String] {
        let heading = ["device", "also", "roots", "read", "rules"]
        let rows = devices.map { device in
            let rules = Self.rules(of: device)
            return [
                device?.name ?? DeviceData.systemName, device?.alias ?? "", device.map { String($0.rootCount) } ?? "",
                device?.date.date ?? "", rules.isEmpty ? "-" : rules.listed,
            ]
        }
        return Table(rows: [heading] + rows, indent: 0).lines(foldedIn: layout)
            + [
                "", "SCTs: certificates of public roots need timestamps of Certificate Transparency",
                "leaf limits: 825 days and serverAuth, also below an app's own anchors",
                "ATS for IPs: App Transport Security holds for addresses too",
                "TLS 1.2: offers no newer version; hybrid: offers X25519MLKEM768", "",
                "\(data.certificateCount) roots; the newest list was read \(data.date.date)",
                "source: \(Self.safe(data.source))",
            ].map { layout.folded($0) }
    }

    func list(_ roots: [Certificate], of device: Device, _ layout: TextLayout) -> [String] {
        let names = [device.name, device.alias].compactMap(\.self).listed
        let count = roots.count == 1 ? "1 root" : "\(roots.count) roots"
        let heading = [
            "\(names): \(Self.safe(device.release)), \(count), read \(device.date.date) at \(Self.safe(device.address))",
            "rules: \(Self.rules(of: device).listed)",
        ].map { layout.folded($0) }
        return heading
            + roots.map { root in
                let holders = data.devices(listing: root.der)
                let isEverywhere = data.devices.allSatisfy { $0.platform != device.platform || holders.contains($0) }
                let remark = isEverywhere ? "" : "  (\(data.availability(of: root.der, on: device.platform)))"
                let name = "ends \(root.notAfter.date)  \(Self.safe(root.shownName))" + remark
                return layout.folded(layout.joined(["  \(root.fingerprint.hexadecimal)", name], by: "  "))
            }
    }

    private static func safe(_ text: String) -> String { TerminalText.excerpt(text, to: 200) }
}

extension TLSStack: JSONDocument {
    var document: JSONObject {
        [
            "name": name, "versions": [versions.lowerBound.name, versions.upperBound.name],
            "suites": suites.map { String(String(0x1_0000 + Int($0), radix: 16, uppercase: true).dropFirst()) },
            "groups": (groups ?? []).compactMap(NamedGroup.name), "perhaps_groups": perhaps.compactMap(NamedGroup.name),
            "signature_algorithms": signatures.compactMap(SignatureScheme.name),
            "leaf_keys": curves.map { ["rsa"] + $0.map { $0.lowercased() } } ?? [], "source": source,
            "confidence": confidence,
        ]
    }
}
