import PinChecking
import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing
import Base

/// `pincheck devices`.
@Suite(.endsSomeTime) struct DevicesCommandTests {
    private let date = DeviceData.builtIn.date.secondsSinceEpoch

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func theDocumentHoldsTheSame() async throws {
        let outcome = await pincheck("devices", "--format", "json", at: date).expect(.pass)
        let document = try json(outcome.output)
        let devices = try #require(document["devices"] as? [[String: Any]])
        #expect(devices.count == 24)
        #expect(devices[1]["name"] as? String == "ios-12" && devices[1]["alias"] as? String == "macos-10.14")
        #expect(devices[1]["root_count"] as? Int == 174 && devices[1]["roots"] is NSNull)
        #expect((document["data"] as? [String: Any])?["is_stale"] as? Bool == false)
    }

    @Test func theRootsOfADeviceAreListedByName() async throws {
        let outcome = await pincheck("devices", "macos-14", at: date).expect(.pass)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(
            lines[0].hasPrefix("ios-17, macos-14: iOS 17, iPadOS 17, ") && outcome.output.contains("169\n      roots"))
        let hash = "  96bcec06264976f37460779acf28c5a7cfe8a3c0aae11a8ffcee05c0bddf08c6"
        let place = try #require(lines.firstIndex(of: hash))
        #expect(lines[place + 1] == "      ends 2035-06-04  ISRG Root X1")
        // Also in a pipe.
        #expect(lines.allSatisfy { TerminalText.cells($0) <= 80 })
        let document = try json(await pincheck("devices", "ios-17", "--format", "json", at: date).output)
        let device = try #require((document["devices"] as? [[String: Any]])?.first)
        #expect((device["roots"] as? [Any])?.count == 169)
    }

    @Test func aFileTakesThePlaceOfTheProgramsOwnData() async throws {
        let pki = try StandardPKI.shared()
        try await TemporaryDirectory.scoped { directory in
            let file = try DeviceLists.write([("ios-99", [pki.rootA])], in: directory)
            await pincheck("devices", "ios-99", "--device-data", file, at: LabClock.now).expect(
                .pass, "  RootA", errors: "")
            await pincheck("devices", "ios-17", "--device-data", file, at: LabClock.now).expect(
                .usage, errors: "next to it is ios-99")
        }
    }

    @Test func dataOlderThan180DaysIsWarnedOf() async {
        let outcome = await pincheck("devices", at: date + 181 * 86_400).expect(.pass)
        #expect(outcome.errors.hasPrefix("Warning: the lists of roots are from 2026-07-19, 181 days ago: "))
    }

    @Test func aFileThatCannotBeUsedIsRefusedByItsName() async throws {
        try await TemporaryDirectory.scoped { directory in
            let file = try directory.write([0x30, 0x82, 1, 0], to: "devices.bin")
            await pincheck("devices", "--device-data", file).expect(
                .data, errors: "devices.bin: is not JSON, in which lists of devices are given")
            await pincheck("devices", "--device-data", directory.path + "/none").expect(.noInput)
            await pincheck("devices", "--format", "xml").expect(.usage, errors: "choose from text, json")
        }
    }
}
