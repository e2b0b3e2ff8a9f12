import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import Testing
import X509

@Suite("The lists that are part of the program are whole, and every question to them has its answer")
struct BuiltInDevicesTests {
    let data = DeviceData.builtIn

    @Test func everyCertificateStandsInItsOrderIsOnAListAndIsFound() throws {
        let certificates = Array(data.certificates)
        #expect(certificates.count == data.certificateCount)
        for (left, right) in zip(certificates, certificates.dropFirst()) {
            #expect(left.count < right.count || left.count == right.count && left.lexicographicallyPrecedes(right))
        }
        #expect(certificates.allSatisfy { !data.devices(listing: $0).isEmpty })
        for der in certificates {
            let key = try CertificateReader.certificate(der: der).spkiSHA256
            let found = data.roots(withKey: key).first { $0.der == der }
            #expect(
                found?.devices == data.devices(listing: der) && CertificateReader.keyHash(ofCertificate: der) == key)
        }
    }

    @Test func theyNameTheirSourceItsVersionAndItsLicence() {
        #expect(data.source.hasPrefix("nabla-c0d3/trust_stores_observatory (MIT), commit "))
        #expect(data.licence.contains("Alban Diquet") && data.licence.contains("THE SOFTWARE IS PROVIDED \"AS IS\""))
    }

    @Test func theDevicesStandInTheirOrderEachWithItsOtherName() {
        #expect(
            data.devices.map(\.name) == [
                "ios-12", "ios-12.1.3", "ios-13", "ios-14", "ios-15", "ios-15.1", "ios-16", "ios-16.5", "ios-17",
                "ios-18", "ios-26", "android-8", "android-8.1", "android-9", "android-11", "android-12", "android-12.1",
                "android-13", "android-14", "android-15", "android-16", "android-17", "mozilla",
            ])
        #expect(data.devices.first?.alias == "macos-10.14")
        #expect(data.devices.first { $0.name == "ios-26" }?.alias == "macos-26")
        #expect(data.devices.last?.alias == nil)
    }

    @Test(arguments: [("ios-12", 174), ("ios-26", 156), ("android-8", 156), ("android-17", 145), ("mozilla", 121)])
    func aDeviceHasAsManyRootsAsItsPublisherLists(name: String, count: Int) throws {
        let device = try #require(data.devices.first { $0.name == name })
        let roots = data.roots(of: device)
        #expect(roots.count == count && device.rootCount == count)
        for root in roots {
            let certificate = try CertificateReader.certificate(der: root)
            #expect(data.lists(certificate.der, for: device))
        }
    }

    @Test func aCertificateOfSomebodysOwnIsOnNoListAndNeitherIsHalfARoot() throws {
        #expect(!data.lists(pki.rootA.der))
        let root = try #require(data.roots(of: data.devices[0]).first)
        #expect(data.lists(root))
        #expect(!data.lists(Array(root.dropLast())) && !data.lists(root + [0]) && !data.lists([]))
    }

    @Test func aRootThatCameWithAVersionIsToldFromOneThatWentWithOne() throws {
        let new = try #require(data.devices.first { $0.name == "ios-26" })
        let old = try #require(data.devices.first { $0.name == "ios-12" })
        let came = try #require(data.roots(of: new).first { !data.lists($0, for: old) })
        let went = try #require(data.roots(of: old).first { !data.lists($0, for: new) })
        #expect(data.availability(of: came, on: .apple).hasSuffix("ios-26"))
        #expect(data.availability(of: went, on: .apple).hasPrefix("on ios-12"))
        let own = pki.rootA.der
        #expect(data.availability(of: own, on: .android) == "on no android")
    }

    @Test func dataIsOldAfter180DaysAndNeverBeforeItWasMade() {
        let day: Int64 = 86_400
        #expect(data.age(at: data.date) == 0)
        #expect(data.age(at: data.date.advanced(bySeconds: -day)) == 0)
        #expect(!data.isStale(at: data.date.advanced(bySeconds: 181 * day - 1)))
        #expect(data.isStale(at: data.date.advanced(bySeconds: 181 * day)))
    }

    @Test(arguments: [
        ("android-10", ["android-9", "android-11"]), ("ios-17.4", ["ios-17", "ios-18"]), ("ios-11", ["ios-12"]),
        ("macos-11.5", ["macos-11", "macos-12"]), ("ios-27", ["ios-26"]), ("windows-11", []), ("ios", []), ("", []),
    ]) func aVersionWithoutAListNamesThoseNextToIt(name: String, neighbours: [String]) {
        let error = #expect(throws: Problem.self) { try data.device(named: name) }
        #expect(error?.description.contains(neighbours.joined(separator: " and ")) == true)
        #expect(error?.description.contains("list of roots") == !neighbours.isEmpty)
    }

    @Test func aDeviceIsFoundByEitherOfItsNames() throws {
        #expect(try data.device(named: "system") == nil)
        #expect(try data.device(named: "macos-10.15") == data.device(named: "ios-13"))
    }

    @Test(arguments: [
        ("ios-12", false, false, false), ("ios-12.1.3", false, true, false), ("ios-13", true, true, false),
        ("ios-16.5", true, true, false), ("ios-17", true, true, true), ("ios-26", true, true, true),
    ]) func rulesStartWithTheirVersions(name: String, limits: Bool, transparency: Bool, addresses: Bool) throws {
        let rules = try #require(data.devices.first { $0.name == name }?.version)
        #expect(rules.limitsLeavesOfOwnAnchors == limits)
        #expect(rules.requiresTransparency == transparency)
        #expect(rules.judgesAddressesByTransportSecurity == addresses)
    }

    @Test(arguments: [
        ("android-8", 26), ("android-8.1", 27), ("android-9", 28), ("android-11", 30), ("android-12", 31),
        ("android-12.1", 32), ("android-13", 33), ("android-15", 35), ("android-16", 36), ("android-17", 37),
    ]) func androidsRulesFollowTheAPILevel(name: String, level: Int) {
        #expect(data.devices.first { $0.name == name }?.platformRelease == .android(level: level))
    }
}

@Suite struct DeviceListsTests {
    @Test(arguments: [
        "tizen-9", "ios", "ios-", "ios-17.0", "ios-017", "ios-1.2.3.4", "ios-x", "mozilla-3", "android-8.1.0",
    ]) func aNameThatNoDeviceCanHaveIsRefused(name: String) {
        #expect(Device(name: name, release: "", address: "", date: Timestamp(secondsSinceEpoch: 0)) == nil)
    }
}
