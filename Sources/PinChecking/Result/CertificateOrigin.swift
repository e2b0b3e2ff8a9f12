package import Pinning
import X509

/// Where a certificate of a chain is from, in the words that people know it by.
package enum CertificateOrigin: String, CaseIterable, Sendable {
    /// The server sent it.
    case presented
    case pin
    /// `--intermediate` gave it, for one that a device would fetch.
    case intermediate = "intermediate given"
    /// An app's configuration trusts it.
    case configuration = "app's own"
    /// It was installed by hand.
    case extraRoot = "extra root"
    case anchors
    /// The system's roots have it.
    case system
    /// The device's list of roots has it.
    case device
}

extension CheckResult {
    /// Where a certificate of the chain that is shown is from, `nil` where there is nothing it could be from.
    package func origin(of certificate: Certificate) -> CertificateOrigin? {
        if presented.contains(certificate) { return .presented }
        guard let policy else { return nil }
        if (policy.pins?.pins ?? []).contains(where: { $0.certificate == certificate }) { return .pin }
        if policy.fetchable.contains(certificate) { return .intermediate }
        let sources = judged?.shown?.client.androidTrust?.sources ?? []
        if sources.contains(where: { $0.origin.holds(certificate) }) { return .configuration }
        if policy.installedRoots.contains(certificate) { return .extraRoot }
        func isGiven() -> Bool { policy.givenRoots?.holds(certificate) == true }
        switch (judged?.shown?.judgedDevice ?? policy.devices.first)?.trust {
        case .system: return .system
        case .anchors: return .anchors
        case .both: return isGiven() ? .anchors : .system
        case .device: return .device
        case .anchorsAndDevice: return isGiven() ? .anchors : .device
        case nil: return nil
        }
    }
}
