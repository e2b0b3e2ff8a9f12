import Foundation
import Testing

@testable import Pinning

/// The table of stacks against the data that it was made from, and the rows that no server here can show.
@Suite struct TLSStackTests {
    private struct Recorded: Decodable {
        struct Stack: Decodable {
            let stack: String
            let releases: [String]
            let versions: [String]
            let suites: [String]
            let groups: [String]?
            let perhaps_groups: [String]?
            let signature_algorithms: [String]?
            let key_types: [String]?
            let confidence: String
        }

        let stacks: [Stack]
    }

    private static let recorded: [Recorded.Stack] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "handshakes.json")
        return try! JSONDecoder().decode(Recorded.self, from: Data(contentsOf: file)).stacks
    }()

    private static func numbers(_ words: [String]?) -> [UInt16]? { words?.map { UInt16($0, radix: 16)! } }

    private static func release(_ name: String, _ stack: String) -> PlatformRelease {
        // API level 29 has no device.
        guard let version = DeviceVersion(name) else { return .newest }
        return stack == "apple" ? .apple(version) : .android(version)
    }

    @Test(arguments: Self.recorded.indices) func theTableIsTheData(_ index: Int) {
        let row = Self.recorded[index]
        let (suites, signatures) = (Self.numbers(row.suites), Self.numbers(row.signature_algorithms))
        guard row.stack != "okhttp" else {
            // What it has and no stack offers makes no difference.
            for stack in [TLSStack(of: .apple, on: .newest), .init(of: .android, on: .newest)] {
                #expect(stack.ofOkHttp.suites == stack.suites.filter { suites?.contains($0) == true })
            }
            #expect(TLSStack(of: .android, on: .android(level: 26)).ofOkHttp.versions == .tls12 ... .tls12)
            return
        }
        let family: PlatformFamily = ["apple": .apple, "conscrypt": .android][row.stack] ?? .openssl
        for name in row.releases {
            let stack = TLSStack(of: family, on: family == .openssl ? .newest : Self.release(name, row.stack))
            #expect(
                [stack.versions.lowerBound, stack.versions.upperBound].map(\.rawValue) == Self.numbers(row.versions))
            #expect(stack.suites == suites && stack.groups == Self.numbers(row.groups), "\(row.stack) \(name)")
            #expect(stack.signatures == signatures && stack.perhaps == Self.numbers(row.perhaps_groups) ?? [])
            // OpenSSL takes any key that it knows.
            let keys = stack.curves.map { ["rsa"] + $0.map { $0.lowercased() } }
            #expect(keys == (family == .openssl ? nil : row.key_types))
            #expect(stack.confidence == row.confidence && !stack.source.isEmpty)
        }
    }

    @Test func releasesBesideTheRowsTakeTheNearestAndSaySo() {
        let names =
            [(PlatformRelease.apple(DeviceVersion(11)), "iOS 11 (TLS as of iOS 12)")] + [
                (.apple(DeviceVersion(27)), "iOS 27 (TLS as of iOS 26)"), (.apple(DeviceVersion(16, 5)), "iOS 16.5"),
            ]
        for (release, name) in names { #expect(TLSStack(of: .apple, on: release).name == name) }
        let levels = [
            (26, "8"), (27, "8.1"), (28, "9"), (29, "10"), (31, "12"), (32, "12.1"), (33, "13"), (37, "17"),
            (38, "18 (TLS as of Android 17)"),
        ]
        for (level, name) in levels {
            #expect(TLSStack(of: .android, on: .android(level: level)).name == "Android " + name)
        }
    }

    /// Choices that no server here makes, and whether phones and curl have them.
    private static let rows: [(group: UInt16, signature: UInt16, phones: Bool, curl: Bool)] = [
        (0x001E, 0x0804, false, true), (0x001D, 0x0301, false, true), (0, 0x0804, false, true),
        (0x001D, 0, false, true), (0x001D, 0x0804, true, true),
    ]

    @Test(arguments: Self.rows.indices) func whatHasNoNumberX448AndSHA224AreCurlsAlone(_ index: Int) {
        let row = Self.rows[index]
        let facts = ConnectionFacts(
            .tls12, (0xC02F, "suite"), group: (row.group, "group"), signature: (row.signature, "signature"))
        let key = Described(key: .rsa(bits: 2_048)).certificate().publicKey
        for family in PlatformFamily.allCases {
            let isWithin = TLSStack(of: family, on: .newest).lacks(facts, key).isEmpty
            #expect(isWithin == (family == .openssl ? row.curl : row.phones), "\(family)")
        }
    }
}
