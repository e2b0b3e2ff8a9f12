import Base
import Foundation
import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import Testing
import X509

@Suite("The table of public CAs says what the roots of devices show") struct PublicCATests {
    private static var roots: [SHA256Digest: [Certificate]] {
        var roots: [SHA256Digest: [Certificate]] = [:]
        for der in DeviceData.builtIn.certificates {
            guard let root = try? CertificateReader.certificate(der: der) else { continue }
            roots[root.spkiSHA256, default: []].append(root)
        }
        return roots
    }

    @Test func eachRootIsOneThatDevicesHaveWithItsNameAndKindOfKey() throws {
        let known = Self.roots
        let published = CARoot.published
        #expect(Set(published.map(\.ca)).count >= 7)
        for root in published where root.state != .coming {
            let certificates = try #require(known[root.key], "\(root.name)")
            for certificate in certificates {
                #expect(certificate.publicKey.algorithm.description == root.algorithm, "\(root.name)")
                #expect(certificate.isSelfIssued && certificate.subject.contains(root.name), "\(root.name)")
            }
        }
    }

    @Test func eachLineHasItsSourceAndDayAndRootsInUseAreOnTheNewestLists() throws {
        let newest = ["ios-26", "android-17"].compactMap { name in DeviceData.builtIn.devices.first { $0.name == name }
        }
        try #require(newest.count == 2)
        let known = Self.roots
        for (ca, roots) in CARoot.published.grouped(by: \.ca) {
            #expect(roots.contains { $0.state == .inUse }, "\(ca)")
            for root in roots {
                #expect(root.source.hasPrefix("https://"))
                #expect((try? TimeText.read(root.date)) != nil)
                #expect(CARoot.published.root(withKey: root.key)?.ca == ca)
                guard root.state == .inUse else { continue }
                let holders = Set((known[root.key] ?? []).flatMap { DeviceData.builtIn.devices(listing: $0.der) })
                #expect(newest.allSatisfy(holders.contains), "\(root.name)")
            }
        }
    }

    @Test func aRootToComeIsOnNoListYetAndKnownRootsSignedItsKey() {
        let coming = CARoot.published.filter { $0.state == .coming }
        #expect(coming.map(\.name) == ["Root YE", "Root YR"])
        #expect(coming.allSatisfy { !$0.crossSigners.isEmpty && Self.roots[$0.key] == nil })
    }

    @Test func aRootThatAnotherOneSignedNamesOneThatDevicesHaveOrHad() {
        let names = Self.roots.values.joined().map(\.subject)
        for signer in CARoot.published.flatMap(\.crossSigners) {
            #expect(names.contains { $0.contains(signer) }, "\(signer)")
        }
    }

    @Test(DeviceDataScriptTests.needsPython) func theScriptMakesTheTableOfTheProgramAgain() throws {
        let folder = DeviceDataScriptTests.script.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "PinChecking/Pins/PublicCAs")
        let roots = DeviceData.builtIn.certificates.map { pem($0, label: "CERTIFICATE") }.joined()
        let files = try TemporaryDirectory()
        let output = files.path + "/public-cas.tsv"
        let end = try DeviceDataScriptTests.run(
            folder.appending(path: "make-public-cas"),
            arguments: [
                folder.appending(path: "public-cas.json").path, try files.write(roots, to: "roots.pem"), "--output",
                output,
            ])
        #expect(end.status == 0, "\(end.errors)")
        let made = try String(contentsOfFile: output, encoding: .utf8)
        let committed = try String(contentsOf: folder.appending(path: "public-cas.tsv"), encoding: .utf8)
        #expect(made == committed)
    }
}
