import Pinning
import X509

extension HostPolicy {
    /// The hash of what a server called `name` is accepted by: what was downloaded from it is gone on with by the same alone.
    func acceptance(of name: String) -> SHA256Digest {
        var parts = [name, "\(mode)", time?.description ?? "now"]
        for client in clients {
            parts.append("client \(client.client.name) installed roots \(client.trustsInstalledRoots)")
            parts += client.settings.map { "\($0.name) \($0.value)" }
            parts +=
                client.pins?.pins.map { "pin \($0.certificate?.fingerprint.hexadecimal ?? $0.spkiSHA256.description)" }
                ?? []
        }
        parts += applied.flatMap { ["\($0.kind)"] + $0.settings }
        for device in devices {
            parts.append("device \(device.name) \(device.trust) \(device.verifier.trustStore.systemPlaces ?? "")")
        }
        parts += (givenRoots?.givenCertificates ?? []).map { "anchor \($0.fingerprint.hexadecimal)" }
        parts += installedRoots.map { "installed \($0.fingerprint.hexadecimal)" }
        parts += fetchable.map { "fetched \($0.fingerprint.hexadecimal)" }
        return Hashing.sha256(parts.flatMap { Array("\($0.utf8.count) \($0)".utf8) })
    }
}
