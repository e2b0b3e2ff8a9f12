package import Base
import PinFormats
import Pinning
import X509

extension BoundedFile {
    /// The most bytes of one file: far more than a bundle of certificates, far less than memory.
    private static let limit = 64 * 1024 * 1024

    package static func contents(ofFile path: String) throws(Problem) -> [UInt8] {
        try reading(quoted(path)) { () throws(ReadFailure) in try bytes(at: path, limit: limit, accepting: .anything) }
    }

    package static func contents(ofDescriptor descriptor: Int32, name: String) throws(Problem) -> [UInt8] {
        try reading(name) { () throws(ReadFailure) in try bytes(from: descriptor, limit: limit) }
    }

    private static func reading(_ name: String, _ read: () throws(ReadFailure) -> [UInt8]) throws(Problem) -> [UInt8] {
        do { return try read() } catch {
            let failure = RegularFile.failure(error, at: .file(name))
            throw Problem(failure.kind, "\(name): \(failure.reason)")
        }
    }
}

extension AnchorBundle {
    /// The certificates of files and directories: a bundle for each file that contains some.
    static func all(at paths: [String], as role: String) throws(Problem) -> [AnchorBundle] {
        var bundles: [AnchorBundle] = []
        for path in paths {
            // The message names the option, which the path alone does not show.
            if FileKind(at: path) == .absent { throw .noInput("\(role): \(quoted(path)): there is no such file") }
            let before = bundles.count
            if let names = (try? DirectoryListing.names(in: path) { $0.regularFile != nil }) {
                for name in names {
                    let bytes = try BoundedFile.contents(ofFile: "\(path)/\(name)")
                    // Directories of certificates often contain a note or a revocation list, too.
                    guard CertificateReader.areForCertificates(bytes) else { continue }
                    bundles.append(try bundle(bytes, from: "\(path)/\(name)", as: role))
                }
                guard bundles.count > before else {
                    throw .noInput("the directory \(quoted(path)) holds no certificate: name one with DER or PEM files")
                }
            } else {
                bundles.append(try bundle(try BoundedFile.contents(ofFile: path), from: path, as: role))
                guard bundles.last?.count != 0 else {
                    throw .data("\(quoted(path)) holds no certificate: give \(role) as DER or PEM certificates")
                }
            }
        }
        return bundles
    }

    private static func bundle(_ bytes: [UInt8], from path: String, as role: String) throws(Problem) -> AnchorBundle {
        do { return try AnchorBundle(pemOrDER: bytes) } catch {
            throw .data("\(quoted(path)) cannot be used as \(role): \(error)")
        }
    }
}

extension CheckRequest.Trust {
    func store(
        _ given: [AnchorBundle]?, beside own: @autoclosure () -> TrustStore, selected selection: AnchorSelection? = nil
    ) -> (TrustStore, HostPolicy.Trust) {
        guard let given else { return (own(), selection == nil ? .system : .device) }
        guard includesSystem == true else { return (TrustStore(anchors: given, insteadOf: selection), .anchors) }
        return (TrustStore(anchors: given, and: own()), selection == nil ? .both : .anchorsAndDevice)
    }
}
