import Base
import LoopbackLab
import PinCheckCLI
import PinChecking
import Pinning
import Testing

/// `pincheck devices`; the list itself is in ``GoldenTests``.
@Suite(.endsSomeTime) struct DevicesCommandTests {
    private let date = DeviceData.builtIn.date.secondsSinceEpoch

    @Test func theDocumentHoldsTheSame() async throws {
        let document = try JSONValue(await pincheck("devices", "--format", "json", at: date).expect(.pass).output)
        let devices = document["devices"].array
        #expect(devices.count == 24 && document["data"]["is_stale"].flag == false)
        #expect(devices[1]["name"].text == "ios-12" && devices[1]["alias"].text == "macos-10.14")
        #expect(devices[1]["root_count"].number == 174 && devices[1]["roots"].isNull)
        let one = try JSONValue(await pincheck("devices", "ios-17", "--format", "json", at: date).output)
        #expect(one["devices"][0]["roots"].array.count == 169)
    }

    @Test func theRootsOfADeviceAreListedByName() async throws {
        let outcome = await pincheck("devices", "macos-14", at: date).expect(
            .pass, "169\n      roots",
            "\n  96bcec06264976f37460779acf28c5a7cfe8a3c0aae11a8ffcee05c0bddf08c6\n      ends 2035-06-04  ISRG Root X1\n",
            starting: "ios-17, macos-14: iOS 17, iPadOS 17, ")
        // Also in a pipe.
        #expect(outcome.output.split(separator: "\n").allSatisfy { TerminalText.cells($0) <= 80 })
    }

    @Test func aFileTakesThePlaceOfTheProgramsOwnData() async throws {
        try await Desk.open(["devices.bin": "PCDD"]) { desk in
            _ = try DeviceLists.write([("ios-99", [try StandardPKI.shared().rootA])], to: "own.json", in: desk.files)
            await desk("devices ios-99 --device-data @own.json").expect(.pass, "  RootA", errors: "")
            await desk("devices ios-17 --device-data @own.json").expect(.usage, errors: "next to it is ios-99")
            await desk("devices --device-data @devices.bin").expect(
                .data, errors: "devices.bin: is not JSON, in which lists of devices are given")
            await desk("devices --device-data @none").expect(.noInput)
        }
    }

    @Test func dataOlderThan180DaysIsWarnedOf() async {
        let outcome = await pincheck("devices", at: date + 181 * 86_400).expect(.pass)
        #expect(outcome.errors.hasPrefix("Warning: the lists of roots are from 2026-07-19, 181 days ago: "))
    }
}
