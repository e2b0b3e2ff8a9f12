import HTTPDNS
import Pinning
import TLSProbe
import Text

/// Which variants of a target are checked, as the flags say.
struct VariantSettings: Sendable {
    /// Whether all addresses of a name are checked.
    var allAddresses = false
    /// Whom to ask for the addresses of names, `nil` for the system's resolver.
    var service: AddressService?
    /// The types of keys that are asked for, each for itself.
    var keyTypes: [CertificateKeyType] = []
    /// Whether each TLS version is offered for itself.
    var eachVersion = false
    /// Whether a client without SNI is compared.
    var comparesSNI = false

    /// Whether nothing is checked but what an ordinary client sees.
    var isEmpty: Bool { !(asksForAddresses || eachVersion || comparesSNI) && keyTypes.isEmpty }

    /// Whether all addresses of a name are wanted rather than the one that answers first.
    var asksForAddresses: Bool { allAddresses || service != nil }
}

extension VariantSettings {
    /// What the flags say.
    init(_ options: VariantOptions) throws(CommandError) {
        allAddresses = options.allAddresses || options.thorough
        service = try options.service()
        keyTypes = try options.readKeyTypes()
        eachVersion = options.eachTLSVersion || options.thorough
        comparesSNI = options.comparesSNI || options.thorough
    }
}

extension VariantOptions {
    fileprivate func service() throws(CommandError) -> AddressService? {
        do {
            switch (httpDNS, dnsOverHTTPS) {
            case (nil, nil): return nil
            case (let text?, nil): return try AddressService(httpdns: text)
            case (nil, let text?): return try AddressService(dnsOverHTTPS: text)
            default: break
            }
        } catch {
            let option = httpDNS.map { "--httpdns " + quoted($0) } ?? "--doh " + quoted(dnsOverHTTPS ?? "")
            throw .usage("\(option) \(error)")
        }
        throw .usage("--httpdns and --doh contradict each other: give one of them")
    }

    fileprivate func readKeyTypes() throws(CommandError) -> [CertificateKeyType] {
        // What public authorities issue; Ed25519 has to be asked for.
        guard let keyTypes else { return thorough ? [.rsa, .ecdsa] : [] }
        guard keyTypes != "all" else { return CertificateKeyType.allCases }
        var result: [CertificateKeyType] = []
        for name in keyTypes.split(separator: ",", omittingEmptySubsequences: false) {
            guard let keyType = CertificateKeyType(rawValue: name.lowercased()) else {
                let names = CertificateKeyType.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage(
                    "--key-types \(quoted(keyTypes)) names no type of key in \(quoted(name)): choose from \(names), all"
                )
            }
            if !result.contains(keyType) { result.append(keyType) }
        }
        return result
    }

    /// The addresses in the answers of `--addresses`, for the hosts that the answers name or for all targets.
    ///
    /// - Parameters:
    ///   - family: the kind of addresses wanted; answers hold both.
    ///   - context: where standard input is.
    /// - Returns: none without the option, else at least one for each answer.
    /// - Throws: ``CommandError`` for a file that holds no answer, and for an answer without such an address.
    func givenAddresses(
        of family: ProbeRequest.AddressFamily,
        in context: Context
    ) throws(CommandError) -> [ConnectAddress] {
        var result: [ConnectAddress] = []
        for path in addresses {
            let name = path == "-" ? "standard input" : quoted(path)
            let bytes = path == "-" ? try context.readStandardInput() : try FileReader.contents(ofFile: path)
            let answers: [AddressAnswer]
            do {
                answers = try AddressAnswer.read(bytes)
            } catch {
                // What is not there is another thing than what is wrong.
                throw error.problem == .empty
                    ? .noInput("\(name) holds no addresses: \(error)")
                    : .data("\(name) holds no addresses: \(error)")
            }
            for answer in answers {
                let wanted = answer.places.filter { family == .any || $0.address.isIPv6 == (family == .ipv6) }
                guard !wanted.isEmpty else {
                    throw CommandError(
                        status: answer.places.isEmpty ? .noInput : .data,
                        description: "the answer in \(name) gives no address"
                            + (answer.host.map { " for \(quoted($0))" } ?? "")
                            + (answer.addresses.isEmpty ? ": the service knows none" : " of the family asked for")
                    )
                }
                let host: ServerName?
                do {
                    host = try answer.host.map { (text) throws(ServerNameError) in try ServerName(text) }
                } catch {
                    throw .data("the answer in \(name) is for no host: \(error)")
                }
                result += wanted.map {
                    ConnectAddress(
                        onlyForHost: host,
                        onlyForPort: nil,
                        host: .ip($0.address),
                        port: $0.port.map(Int.init)
                    )
                }
            }
        }
        return result
    }
}
