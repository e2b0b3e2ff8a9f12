import Pinning
package import X509

/// A device that chains are judged for: its roots, and the version of its system.
package struct JudgedDevice: Sendable {
    /// The device, `nil` for this machine.
    package let device: Device?
    package let trust: HostPolicy.Trust
    package let verifier: OpenSSLPathVerifier
    package let verifierWithInstalledRoots: OpenSSLPathVerifier

    /// What `--device` calls it.
    package var name: String { device?.name ?? DeviceChoice.systemName }

    /// Whether paths may end at the roots it comes with: given anchors can stand in their place.
    package var usesOwnRoots: Bool { trust == .device || trust == .anchorsAndDevice }

    /// The version of its system; of this machine each client's newest.
    var release: PlatformRelease { device?.platformRelease ?? .newest }

    func runs(_ client: ClientRegistry.Entry) -> Bool { device?.platform.runs(client.platform) ?? true }

    func verifier(for client: ConfiguredClient) -> OpenSSLPathVerifier {
        client.trustsInstalledRoots ? verifierWithInstalledRoots : verifier
    }
}

extension HostPolicy {
    /// The lists of roots that devices were named of.
    package struct Lists: Sendable {
        package let data: DeviceData
        /// The file they were read from, `nil` for the program's own.
        package let file: String?
        let verifier: OpenSSLPathVerifier
    }
}
