package import Pinning
import X509

/// The paths by which devices come to a server.
package struct PathsOnDevices: Sendable {
    /// The lists of roots.
    package let data: DeviceData
    /// The devices that are asked, oldest first on each system.
    package let devices: [Device]
    /// The roots of all devices by their keys: of several certificates of one key that of the newest lists.
    package let roots: [SHA256Digest: Certificate]
    private let verifiers: [OpenSSLPathVerifier]
    private let names: JudgeNames

    /// The devices of some data.
    ///
    /// - Parameters:
    ///   - path: a file with the data, `nil` for the program's own.
    ///   - selection: the devices, `nil` for all.
    /// - Throws: ``CheckError`` for data that cannot be used, and for a device that there is not.
    package init(dataAt path: String?, _ selection: DeviceSelection?) throws(CheckError) {
        let data = try DeviceLists.data(at: path)
        var devices = data.devices
        if let selection, !selection.includesAll {
            var named: Set<Device> = []
            for name in selection.names {
                if case .device(let device) = try DeviceLists.choice(named: name, in: data) { named.insert(device) }
            }
            devices = devices.filter(named.contains)
        }
        let bundle = try DeviceLists.roots(of: data, at: path)
        self.data = data
        self.devices = devices
        let shared = SharedFindings()
        verifiers = devices.map { device in
            OpenSSLPathVerifier(
                trustStore: TrustStore(AnchorSelection(data.positions(of: device), of: bundle)), sharing: shared)
        }
        names = JudgeNames(devices.map { JudgeNames.Judge(client: "", device: $0.name) })
        roots = Self.roots(of: data)
    }

    private static func roots(of data: DeviceData) -> [SHA256Digest: Certificate] {
        var roots: [SHA256Digest: Certificate] = [:]
        for der in data.certificates {
            guard let root = try? CertificateReader.certificate(der: der) else { continue }
            let key = root.publicKey.spkiSHA256
            if let known = roots[key], data.devices(listing: known.der).count > data.devices(listing: der).count,
                !data.isOnNewestApple(der)
            {
                continue
            }
            roots[key] = root
        }
        return roots
    }

    /// The paths of the devices to a server: each once with its devices, those of the newest first; and the devices without one.
    package func paths(
        of presented: PresentedChain, at time: Timestamp
    ) -> (found: [RecommendationQuestion.OtherPath], without: DeviceNames?) {
        let question = PathQuestion(presented: presented, anchors: .trustStore, policy: .basicX509, time: time)
        var found: [(path: [Certificate], devices: [String])] = []
        var without: [String] = []
        for (device, verifier) in zip(devices, verifiers).reversed() {
            guard case .trusted(let path, _) = verifier.evaluate(question) else {
                without.append(device.name)
                continue
            }
            if let index = found.firstIndex(where: { $0.path == path.certificates }) {
                found[index].devices.append(device.name)
            } else {
                found.append((path.certificates, [device.name]))
            }
        }
        return (
            found.map { RecommendationQuestion.OtherPath($0.path, on: named($0.devices)) },
            without.isEmpty ? nil : named(without)
        )
    }

    private func named(_ devices: [String]) -> DeviceNames {
        DeviceNames(self.devices.map(\.name).filter(devices.contains), words: names.list(devices))
    }
}
