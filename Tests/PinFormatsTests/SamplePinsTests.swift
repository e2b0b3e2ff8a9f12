import PinFormats
import Pinning
import Testing

/// `Pins/` of this repository, as `--pins Pins` reads it.
@Suite struct SamplePinsTests {
    private static let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Pins"

    @Test func theSamplePinsAreTwoKeysInTextAndABackupKey() throws {
        let reading = try PinSource(Self.path).read()
        #expect(
            reading.pins.map(\.spkiSHA256.base64) == [
                "kEsLJtB2qAnwYwymiln5wPm7yarzzMnrIw6IAwkV0lE=", "czqAStwt/WEayHj5xhyjazo6zfxAgFz9fdWVOwMOx0c=",
                "w1P4K1+hqivjjRs3gbX0C0ySAPUAMOPkN+yN/AS1ZxM=",
            ])
        #expect(
            reading.pins.map { $0.origin.dropFirst(Self.path.count) } == [
                "/api.example.com-backup.pem:1", "/api.example.com.txt:4", "/api.example.com.txt:5",
            ])
        #expect(reading.pins.allSatisfy { $0.certificate == nil })
    }

    @Test func thePolicyNamesThemForItsHosts() throws {
        let reading = try PinSource(Self.path + "/pins.json5").read()
        #expect(reading.pins.isEmpty)
        let entries = try #require(reading.configurations.first?.entries)
        #expect(reading.configurations.map(\.kind) == [.policy])
        try #require(entries.map { $0.hosts?.name } == ["api.example.com", "api.example.com"])
        #expect(
            entries.map { $0.pins.map { $0.origin.dropFirst(Self.path.count) } }[1].last
                == "/api.example.com-backup.pem:1")
        #expect(entries[0].pins.count == 3)
        #expect(reading.notes.map(\.id) == [.policySettings])
    }

    @Test func theirExplanationGoesWithoutSaying() throws { #expect(try PinSource(Self.path).read().notes.isEmpty) }
}
