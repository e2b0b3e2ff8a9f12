import Base
import Testing

@testable import Pinning

/// Which rules of App Transport Security hold for the host of a URL.
@Suite struct TransportSecurityTests {
    private static let iOS16 = DeviceVersion(16)

    private func exception(
        _ hosts: TransportSecurity.Hosts, _ change: (inout TransportSecurity.Rules) -> Void = { _ in }
    ) -> TransportSecurity.Rules {
        var exception = TransportSecurity.Rules(hosts: hosts, origin: .named("Info.plist"))
        change(&exception)
        return exception
    }

    private func names(_ name: String, below: Bool = false) -> TransportSecurity.Hosts {
        .names(HostPattern(text: name, below ? .upToOneLabel : .exact))
    }

    private func ruling(
        _ host: String, on version: DeviceVersion = .newest, _ change: (inout TransportSecurity) -> Void = { _ in }
    ) throws -> TransportSecurity.Ruling {
        var settings = TransportSecurity(origin: .named("Info.plist"))
        change(&settings)
        return settings.ruling(for: try ServerName(host), on: version)
    }

    private func isOff(_ ruling: TransportSecurity.Ruling) -> Bool { if case .off = ruling { true } else { false } }

    @Test func anAppThatSaysNothingIsBound() throws {
        #expect(try ruling("api.example.com") == .on(.init()))
        let standard = TransportSecurity.Rules()
        #expect(standard.minimumTLS == .tls12 && standard.requiresForwardSecrecy)
        #expect(!standard.allowsInsecureLoads && !standard.requiresTransparency)
    }

    @Test func arbitraryLoadsSwitchItOffWhereNothingNarrowsThem() throws {
        #expect(try isOff(ruling("api.example.com") { $0.allowsArbitraryLoads = true }))
        for key in TransportSecurity.narrowingKeys {
            let ruling = try ruling("api.example.com") {
                $0.allowsArbitraryLoads = true
                $0.narrowing = [key]
            }
            #expect(ruling == .on(.init()), "\(key)")
        }
    }

    @Test func theEntryOfAHostDecidesAlone() throws {
        // An empty one puts the host under the rules again.
        let empty = exception(names("api.example.com"))
        let again = try ruling("api.example.com") {
            $0.allowsArbitraryLoads = true
            $0.exceptions = [empty]
        }
        #expect(again == .on(empty))
        let loosened = exception(names("example.com", below: true)) {
            $0.minimumTLS = .tls10
            $0.requiresForwardSecrecy = false
        }
        for (host, isCovered) in [("example.com", true), ("a.example.com", true), ("a.b.example.com", false)] {
            let expected = isCovered ? loosened : .init()
            #expect(try ruling(host) { $0.exceptions = [loosened] } == .on(expected), "\(host)")
        }
        // The entry of the name itself goes before that of its parent.
        let own = exception(names("a.example.com"))
        #expect(try ruling("a.example.com") { $0.exceptions = [loosened, own] } == .on(own))
        // Insecure loads change neither the version nor forward secrecy.
        let insecure = exception(names("example.com")) { $0.allowsInsecureLoads = true }
        #expect(try ruling("example.com") { $0.exceptions = [insecure] } == .on(insecure))
        #expect(try ruling("example.com") { $0.exceptions = [exception(.none("EXAMPLE.com"))] } == .on(.init()))
    }

    @Test func localNamesAreLeftAloneAndAddressesBeforeIOS17() throws {
        for host in ["localhost", "printer", "printer.local"] {
            #expect(try isOff(ruling(host)), "\(host)")
            #expect(try isOff(ruling(host, on: Self.iOS16)), "\(host)")
        }
        for host in ["203.0.113.7", "2001:db8::7"] {
            #expect(try ruling(host) == .on(.init()), "\(host)")
            #expect(try isOff(ruling(host, on: Self.iOS16)), "\(host)")
            #expect(try isOff(ruling(host) { $0.allowsLocalNetworking = true }), "\(host)")
        }
        #expect(try ruling("api.example.com") { $0.allowsLocalNetworking = true } == .on(.init()))
    }

    @Test(
        arguments: [
            ("203.0.113.7", 32, "203.0.113.7", true), ("203.0.113.7", 32, "203.0.113.8", false),
            ("203.0.113.0", 24, "203.0.113.255", true), ("203.0.113.0", 24, "203.0.114.0", false),
            ("203.0.112.0", 23, "203.0.113.9", true), ("0.0.0.0", 0, "198.51.100.1", true),
            ("0.0.0.0", 0, "2001:db8::1", false), ("2001:db8::", 33, "2001:db8:7fff::1", true),
            ("2001:db8::", 33, "2001:db8:8000::1", false),
        ] as [(String, Int, String, Bool)]) func anAddressOrARangeOfThemHasAnEntry(
            prefix: String, bits: Int, host: String, isCovered: Bool
        ) throws
    {
        let entry = exception(.addresses(try #require(IPAddress(prefix)), bits: bits)) { $0.minimumTLS = .tls13 }
        let ruling = try ruling(host) { $0.exceptions = [entry] }
        #expect(ruling == (isCovered ? .on(entry) : .on(.init())))
    }
}
