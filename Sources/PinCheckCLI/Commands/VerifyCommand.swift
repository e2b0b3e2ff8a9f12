import Base
import PinChecking
import PinFormats
import Pinning
import X509

extension Command {
    static let verify = Command(
        name: "verify", abstract: "Judge a chain from a file, without a network.",
        usage: "pincheck verify <chain> [--host <name>] [--pins <source>] [<options>]",
        discussion: """
            The first certificate is the server's; the others may stand in any order.
            Without --host or --verify-name no name is checked.

              pincheck verify chain.pem --host api.example.com --pins Pins/api.cer
              pincheck verify chain.pem --anchors ca.pem --at 2027-01-01
              openssl s_client -connect api.example.com:443 -showcerts </dev/null |
                pincheck verify - --host api.example.com
            """,
        arguments: [
            Argument(
                name: "chain", help: "A file with PEM certificates or one in DER.", detail: "'-' is standard input.",
                isRequired: true, values: .file)
        ], own: { [.output] }, shared: { [.judging, .devices, .outlook, .names] },
        most: [
            "--pins", "--client", "--mode", "--host", "--anchors", "--at", "--device", "--warn-before", "--format",
            "--explain",
        ], run: { try $0.verify() })
}

extension Invocation {
    func verify() throws -> ExitStatus {
        let outputs = try settings.outputs(in: context)
        let (request, chain) = (settings.request, settings.arguments[0])
        let referenceName = request.names.referenceName(of: nil)
        try Hashing.require()
        var policies = context.policies
        let policy = try policies.policy(
            request.judging, for: referenceName, writtenAs: request.names.writtenName(of: nil))
        let result = CheckResult(
            of: try presentedChain(chain), named: chain, for: referenceName, by: policy, at: context.now())
        var writer = try ResultWriter(settings, outputs, notes: policies.notes, in: context)
        try writer.add([result])
        return try writer.finish()
    }

    private func presentedChain(_ chain: String) throws(CommandError) -> PresentedChain {
        if case .absent = FileKind(at: chain), chain != "-", let host = settings.request.names.host?.writtenHost,
            case .regular = FileKind(at: host)
        {
            throw .noInput(
                "\(quoted(chain)): there is no such file, but \(quoted(host)) is one: write 'pincheck verify' with the file, and the "
                    + "name behind --host")
        }
        let name = chain == "-" ? "standard input" : quoted(chain)
        let bytes = try context.contents(of: chain)
        guard !KeyFile.isBundle(bytes) else {
            throw .data(
                "\(name) is a PKCS #7 bundle, whose certificates are in no order: give PEM certificates, the server's first, as "
                    + "'openssl pkcs7 -print_certs' writes them (with -inform DER for bytes)")
        }
        let certificates: [Certificate]
        do { certificates = try CertificateReader.certificates(pemOrDER: bytes) } catch {
            throw .data("\(name) holds no readable chain: \(error)")
        }
        guard let presented = PresentedChain(certificates) else {
            throw .data("\(name) holds no certificate: give PEM certificates, the server's first, or one in DER")
        }
        return presented
    }
}
