import COpenSSLShims
import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

/// Certificates that cost a client much to read, whoever sent them.
@Suite(.timeLimit(.minutes(5)))
struct CostlyCertificateTests {
    let world: StandardPKI
    private let reason = ProbeError.Reason.unreadableCertificate(
        "a key is on a curve of its own (explicit parameters), which no client takes"
    )

    init() throws {
        world = try StandardPKI.shared()
    }

    /// A certificate whose key describes its curve.
    private var described: LabCertificate {
        get throws {
            try world.interA.issue(.leaf(StandardPKI.serverName), key: .shared(.p256Described, label: "described"))
        }
    }

    @Test(arguments: [LoopbackLab.TLSVersion.tls12, .tls13])
    func aKeyOnACurveOfItsOwnIsNotRead(version: LoopbackLab.TLSVersion) async throws {
        let settings = try TLSServerSettings(presenting: [world.leaf, world.interA, described]).with {
            $0.maximumVersion = version
        }
        #expect(try await failure(of: .tls(settings)).reason == reason)
    }

    // MARK: Messages

    private func vector(_ width: Int, _ bytes: [UInt8]) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) } + bytes
    }

    private func message(_ certificates: [[UInt8]], hasContext: Bool) -> [UInt8] {
        var list: [UInt8] = []
        for certificate in certificates { list += vector(3, certificate) + (hasContext ? [0, 0] : []) }
        let body: [UInt8] = (hasContext ? [0] : []) + vector(3, list)
        return [11] + vector(3, body)
    }

    private func objection(to message: [UInt8], hasContext: Bool) -> Int {
        Int(COpenSSLShims_certificate_message(message, message.count, hasContext ? 1 : 0, 4))
    }

    @Test(arguments: [false, true])
    func messagesAreLookedThroughBeforeTheyAreRead(hasContext: Bool) throws {
        let leaf = world.leaf.der
        func objection(_ certificates: [[UInt8]]) -> Int {
            self.objection(to: message(certificates, hasContext: hasContext), hasContext: hasContext)
        }
        #expect(objection([leaf, world.interA.der, world.rootA.der]) == 0)
        #expect(objection(Array(repeating: leaf, count: 4)) == 0)
        #expect(objection(Array(repeating: leaf, count: 5)) == COpenSSLShims_CERTIFICATES_MANY)
        #expect(objection([leaf, try described.der]) == COpenSSLShims_CERTIFICATES_OWN_CURVE)
        let point: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 5, 0x2B, 0x81, 4, 0, 0x21, 3, 3, 0, 2, 1, 0]
        #expect(objection([Array(repeating: point, count: 8).flatMap(\.self)]) == 0)
        #expect(objection([Array(repeating: point, count: 9).flatMap(\.self)]) == COpenSSLShims_CERTIFICATES_COMPRESSED)
    }

    @Test(arguments: [false, true])
    func messagesThatAreCutOffAreLeftToOpenSSL(hasContext: Bool) throws {
        let whole = message([world.leaf.der, try described.der], hasContext: hasContext)
        for count in 0..<whole.count {
            // In a buffer of its own, so that the sanitizer sees a byte too many.
            #expect(objection(to: Array(whole[..<count]), hasContext: hasContext) == 0)
        }
    }
}
