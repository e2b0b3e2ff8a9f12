import Pinning
import X509

extension HostPolicy {
    /// On which devices a root is that some of the named ones have and others do not, a note for each.
    func rootNotes(on clients: [ClientVerdict], _ view: ServerView) -> [Finding] {
        let named = devices.filter(\.usesOwnRoots).compactMap(\.device)
        guard let lists, !named.isEmpty else { return [] }
        var roots: [Certificate] = []
        func add(_ path: [Certificate]) {
            guard let root = path.last, lists.data.lists(root.der), !roots.contains(root) else { return }
            roots.append(root)
        }
        for verdict in clients.compactMap(\.decided) {
            for path in verdict.restsOn { add(path.certificates) }
            if verdict.builtChain.isVerified { add(verdict.builtChain.certificates) }
        }
        if clients.contains(where: { $0.judgedDevice.device != nil && $0.decided?.isMissingAnchor == true }) {
            // What a device misses another one may have.
            let question = PathQuestion(
                presented: view.presented, intermediates: (pins?.certificates ?? []) + view.fetchable,
                anchors: .trustStore, policy: .basicX509, time: view.time)
            let answer = lists.verifier.evaluate(question)
            if answer.isTrusted { add(answer.builtChain.certificates) }
        }
        return roots.compactMap { note(on: $0, named, lists.data) }
    }

    private func note(on root: Certificate, _ named: [Device], _ data: DeviceData) -> Finding? {
        let holders = data.devices(listing: root.der)
        let missing = named.filter { !holders.contains($0) }
        guard !missing.isEmpty else { return nil }
        let places = DevicePlatform.allCases.filter { platform in named.contains { $0.platform == platform } }
            .compactMap { data.availability(of: root.der, on: $0) }
        return Finding(
            .info, id: "root-not-everywhere",
            message:
                "the root \(root.commonName ?? root.subject) is not on \(ClientNames.list(missing.map(\.name), of: named.map(\.name))): it is "
                + places.joined(separator: ", "))
    }
}
