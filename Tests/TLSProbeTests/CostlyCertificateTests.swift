import COpenSSL
import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

/// Certificates that cost a client much to read, whoever sent them.
@Suite(.timeLimit(.minutes(5))) struct CostlyCertificateTests {
    private func described() throws -> LabCertificate {
        try pki.interA.issue(.leaf(serverName), key: .shared(.p256Described, label: "described"))
    }

    @Test(arguments: versions) func aKeyOnACurveOfItsOwnIsNotRead(version: ServerVersion) async throws {
        let settings = serverSettings([pki.leaf, pki.interA, try described()], upTo: version)
        let reason = ProbeError.Reason.unreadableCertificate(
            "a key describes a curve of its own, which costs too much to read")
        #expect(try await failure(of: .tls(settings)).reason == reason)
    }

    private let x = [UInt8](repeating: 7, count: 32)
    private let ecKey: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    private func key(_ algorithm: [UInt8]? = nil, parameters: [UInt8], point: [UInt8]? = nil) -> [UInt8] {
        element(0x30, element(0x30, algorithm ?? ecKey, parameters), element(3, [0], point ?? [4] + x + x))
    }

    private func certificate(_ key: [UInt8]) -> [UInt8] {
        let empty = element(0x30)
        return element(
            0x30, element(0x30, element(0xA0, element(2, [2])), element(2, [1]), empty, empty, empty, empty, key),
            empty, element(3, [0]))
    }

    @Test func keysAreLookedAtAsOpenSSLReadsThem() {
        func objection(_ key: [UInt8]) -> Int { Int(COpenSSL_public_key(key, key.count)) }
        let named: [UInt8] = [6, 5, 0x2B, 0x81, 4, 0, 0x21]
        #expect(objection(key(parameters: named)) == 0)
        let own = COpenSSL_OWN_CURVE
        #expect(objection(key(parameters: element(0x30))) == own)
        // SM2, and the name of the algorithm in longer lengths.
        let others: [[UInt8]] = [
            [6, 8, 0x2A, 0x81, 0x1C, 0xCF, 0x55, 1, 0x82, 0x2D], [6, 0x81, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1],
            [6, 0x82, 0, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1],
            [6, 0x83, 0, 0, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1],
        ]
        for algorithm in others { #expect(objection(key(algorithm, parameters: element(0x30))) == own) }
        // Nobody reads a curve of GOST R 34.10-2012.
        let gost: [UInt8] = [6, 8, 0x2A, 0x85, 3, 7, 1, 1, 1, 1]
        #expect(objection(key(gost, parameters: element(0x30))) == 0)
        // Lengths without an end, tags of several bytes, and strings in parts.
        let unreadable = COpenSSL_UNREADABLE
        #expect(objection([0x30, 0x80] + key(parameters: named).dropFirst(4) + [0, 0]) == unreadable)
        #expect(objection([0x3F, 0x10] + key(parameters: named).dropFirst(1)) == unreadable)
        #expect(
            objection(element(0x30, element(0x30, ecKey, named), element(0x23, element(3, [0], [2] + x)))) == unreadable
        )
    }

    private func vector(_ width: Int, _ bytes: [UInt8]) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) } + bytes
    }

    private func message(_ certificates: [[UInt8]], hasContext: Bool) -> [UInt8] {
        var list: [UInt8] = []
        for certificate in certificates { list += vector(3, certificate) + (hasContext ? [0, 0] : []) }
        let body: [UInt8] = (hasContext ? [0] : []) + vector(3, list)
        return [11] + vector(3, body)
    }

    private func objection(to message: [UInt8], hasContext: Bool, most: Int = 12) -> Int {
        Int(COpenSSL_certificate_message(message, message.count, hasContext ? 1 : 0, most))
    }

    @Test(arguments: [false, true]) func messagesAreLookedThroughBeforeTheyAreRead(hasContext: Bool) throws {
        let leaf = pki.leaf.der
        func objection(_ certificates: [[UInt8]]) -> Int {
            self.objection(to: message(certificates, hasContext: hasContext), hasContext: hasContext)
        }
        #expect(objection([leaf, pki.interA.der, pki.rootA.der]) == 0)
        #expect(objection(Array(repeating: leaf, count: 12)) == 0)
        #expect(objection(Array(repeating: leaf, count: 13)) == COpenSSL_MANY)
        let strange = certificate(key(parameters: element(0x30)))
        #expect(objection([leaf, strange]) == COpenSSL_OWN_CURVE)
        #expect(objection([leaf, Array(strange.dropLast(20))]) == COpenSSL_UNREADABLE)
        let compressed = certificate(key(parameters: [6, 5, 0x2B, 0x81, 4, 0, 0x21], point: [3] + x))
        #expect(objection([leaf] + Array(repeating: compressed, count: 8)) == 0)
        #expect(objection([leaf] + Array(repeating: compressed, count: 9)) == COpenSSL_COSTLY)
        // RSA keys, also those for PSS: the bytes of the modulus and of the exponent, each with one for the sign.
        let rsa: [(kind: UInt8, modulus: Int, exponent: Int, objection: Int)] = [
            (1, 1_025, 9, 0), (10, 1_025, 9, 0), (1, 1_026, 3, COpenSSL_LONG_RSA), (10, 257, 10, COpenSSL_LONG_RSA),
        ]
        for row in rsa {
            let numbers = [row.modulus, row.exponent].map { element(2, [0] + Array(repeating: 0xFF, count: $0 - 1)) }
            let name: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, row.kind]
            let long = certificate(key(name, parameters: [5, 0], point: element(0x30, numbers[0], numbers[1])))
            #expect(objection([leaf, long]) == row.objection)
            // In a file it costs nobody but its owner.
            #expect(COpenSSL_certificate(long, long.count) == 0)
        }
    }

    @Test(arguments: [false, true]) func messagesThatAreCutOffAreLeftToOpenSSL(hasContext: Bool) throws {
        let whole = message([pki.leaf.der, pki.interA.der], hasContext: hasContext)
        for count in 0..<whole.count {
            // In a buffer of its own, so that the sanitizer sees a byte too many.
            #expect(objection(to: Array(whole[..<count]), hasContext: hasContext) == 0)
        }
    }

    @Test func certificatesThatAreCutOffAreNotRead() throws {
        let whole = pki.leaf.der
        for count in 0..<whole.count {
            let part = Array(whole[..<count])
            #expect(COpenSSL_certificate(part, part.count) == COpenSSL_UNREADABLE)
        }
        #expect(COpenSSL_certificate(whole, whole.count) == 0)
    }

    @Test func staplesAreLookedThroughBeforeTheyAreRead() throws {
        func objection(_ responder: LabCertificate?, most: Int = 2) throws -> Int {
            let response = try StatusResponse().with { $0.responder = responder }.der(about: pki.leaf, from: pki.interA)
            for count in 0..<response.count {
                let part = Array(response[..<count])
                #expect(COpenSSL_staple(part, part.count, most) == COpenSSL_UNREADABLE)
            }
            return Int(COpenSSL_staple(response, response.count, most))
        }
        #expect(try objection(nil) == 0)
        #expect(try objection(pki.rootA) == 0)
        #expect(try objection(pki.rootA, most: 0) == COpenSSL_MANY)
        #expect(try objection(described()) == COpenSSL_OWN_CURVE)
        let refusal = StatusResponse.refusal(status: 3)
        #expect(COpenSSL_staple(refusal, refusal.count, 2) == 0)
    }
}
