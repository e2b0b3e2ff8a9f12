import Base
import PinChecking
import Pinning
import TLSProbe

extension VariantOptions {
    /// The addresses in the answers of `--addresses`, for the hosts that the answers name or for all targets.
    ///
    /// - Returns: none without the option, else at least one for each answer.
    /// - Throws: ``CommandError`` for a file that holds no answer, and for an answer without such an address.
    func answeredAddresses(
        of family: ProbeRequest.AddressFamily?, in context: Context
    ) throws(CommandError) -> [ConnectAddress] {
        let family = family ?? RequestDefaults.family
        var result: [ConnectAddress] = []
        for path in addresses {
            let name = path == "-" ? "standard input" : quoted(path)
            let bytes = path == "-" ? try context.readStandardInput() : try CommandError.contents(ofFile: path)
            let answers: [AddressAnswer]
            do { answers = try AddressAnswer.read(bytes) } catch {
                // What is not there is another thing than what is wrong.
                throw error.problem == .empty
                    ? .noInput("\(name) holds no addresses: \(error)") : .data("\(name) holds no addresses: \(error)")
            }
            for answer in answers {
                let wanted = answer.addresses.filter { family == .any || $0.isIPv6 == (family == .ipv6) }
                guard !wanted.isEmpty else {
                    throw CommandError(
                        status: answer.addresses.isEmpty ? .noInput : .data,
                        description: "the answer in \(name) gives no address"
                            + (answer.host.map { " for \(quoted($0))" } ?? "")
                            + (answer.addresses.isEmpty ? ": the service knows none" : " of the family asked for"))
                }
                let host: ServerName?
                do { host = try answer.host.map { (text) throws(ServerNameError) in try ServerName(text) } } catch {
                    throw .data("the answer in \(name) is for no host: \(error)")
                }
                result += wanted.map { ConnectAddress(onlyForHost: host, onlyForPort: nil, host: .ip($0), port: nil) }
            }
        }
        return result
    }
}
