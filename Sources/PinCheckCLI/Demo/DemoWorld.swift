import LoopbackLab
import Pinning

/// What the demo needs: three servers, their certificates and a stand-in for the system's roots.
struct DemoWorld: Sendable {
    static let host = "api.example.com"

    private let root: LabCertificate
    private let intermediate: LabCertificate
    private let leaf: LabCertificate
    private let defaultLeaf: LabCertificate
    private let interceptorRoot: LabCertificate
    private let interceptorLeaf: LabCertificate
    private let selfSigned: LabCertificate

    init() throws(LabError) {
        root = try .selfSigned(.authority("Example Root"))
        intermediate = try root.issue(.authority("Example CA 1"))
        leaf = try intermediate.issue(.leaf(Self.host))
        defaultLeaf = try intermediate.issue(.leaf("default.example.net"))
        interceptorRoot = try .selfSigned(.authority("Interceptor Proxy CA"))
        interceptorLeaf = try interceptorRoot.issue(.leaf(Self.host))
        selfSigned = try .selfSigned(.leaf(Self.host))
    }

    /// The files of the demo and the ports of its servers.
    struct Stage: Sendable {
        let directory: String
        /// The stand-in for the system's roots; the interceptor's is among them, as on a phone that was prepared for it.
        let systemRoots: String
        /// The root that stands for one of those that devices come with.
        let publicRoot: [UInt8]
        let rootPin: String
        let selfSignedPin: String
        /// The public-key pin of the real server, and that of a key it does not have.
        let keyPin: String
        let wrongKeyPin: String
        /// The real server: it answers to its name and has a default certificate for everyone else.
        let server: UInt16
        let interceptor: UInt16
        let selfSigned: UInt16
    }

    /// Serves everything while `body` runs.
    func open<Value: Sendable>(_ body: (Stage) async throws -> Value) async throws -> Value {
        let real = TLSServerSettings(presenting: [defaultLeaf, intermediate]).with {
            $0.identitiesByName = [Self.host: [TLSIdentity([leaf, intermediate])]]
        }
        return try await TemporaryDirectory.scoped { files in
            let systemRoots = try files.write(root.pem + interceptorRoot.pem, to: "system-roots.pem")
            try files.makeDirectory("Pins")
            let rootPin = try files.write(root.der, to: "Pins/root.cer")
            let selfSignedPin = try files.write(selfSigned.der, to: "self-signed.cer")
            return try await LoopbackServer.serving(.tls(real)) { server in
                try await LoopbackServer.serving(.presenting([interceptorLeaf])) { interceptor in
                    try await LoopbackServer.serving(.presenting([selfSigned])) { selfSignedServer in
                        try await body(
                            Stage(
                                directory: files.path, systemRoots: systemRoots, publicRoot: root.der, rootPin: rootPin,
                                selfSignedPin: selfSignedPin, keyPin: Self.pin(leaf),
                                wrongKeyPin: Self.pin(defaultLeaf), server: server.port, interceptor: interceptor.port,
                                selfSigned: selfSignedServer.port))
                    }
                }
            }
        }
    }

    private static func pin(_ certificate: LabCertificate) -> String {
        SHA256Digest(bytes: certificate.publicKeySHA256)?.description ?? ""
    }
}
