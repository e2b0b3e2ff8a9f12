import ArgumentParser
import Base
import TLSProbe

/// What servers get that ask who their client is.
struct ClientCertificateOptions: ParsableArguments {
    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "A certificate for servers that ask for one (PEM).",
            discussion: "Its intermediates and its key may stand in the same file.", valueName: "file"),
        completion: .file()) var clientCertificate: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The private key of --cert (PEM, no passphrase).", valueName: "file"), completion: .file())
    var clientKey: String?
}

extension ClientCertificateOptions {
    /// What servers get that ask for a client certificate.
    ///
    /// The same file may hold both, as curl has it; no message shows anything of a key.
    func identity() throws(CommandError) -> ClientIdentity? {
        guard let clientCertificate else {
            guard let clientKey else { return nil }
            throw .usage("--key \(quoted(clientKey)) needs the certificate that goes with it: give --cert FILE")
        }
        let certificates = try CommandError.contents(ofFile: clientCertificate)
        let keyFile = clientKey ?? clientCertificate
        let key = keyFile == clientCertificate ? certificates : try CommandError.contents(ofFile: keyFile)
        do { return try ClientIdentity(certificates: certificates, key: key) } catch {
            switch error {
            case .noCertificate, .unreadableCertificate: throw .data("\(quoted(clientCertificate)) \(error)")
            case .noKey where clientKey == nil:
                throw .usage(
                    "\(quoted(clientCertificate)) holds no private key beside the certificate: give --key FILE")
            default: throw .data("\(quoted(keyFile)) \(error)")
            }
        }
    }
}
