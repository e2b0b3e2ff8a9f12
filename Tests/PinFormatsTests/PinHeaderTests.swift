import Pinning
import Testing

@testable import PinFormats

/// Which pins a browser notes of a recorded response.
@Suite struct PinHeaderTests {
    private static let own = "Public-Key-Pins: pin-sha256=\"\(first.base64)\"; max-age=9\n"
    private static let other = "Public-Key-Pins: pin-sha256=\"\(second.base64)\"; max-age=9\n"

    private func reading(_ text: String) throws -> PinReading { try PinFormatsTests.reading(ofFile: "header", text) }

    @Test(arguments: [
        "HTTP/1.1 200 OK\n\(own)\nbody\n", "HTTP/2 200\r\n\(own)\r\n",
        "HTTP/1.1 200 Connection established\n\nHTTP/1.1 301 Moved\nLocation: /\n\nHTTP/2 200\n\(own)\n",
        "HTTP/1.1 301 Moved\n\(own)\n\nHTTP/2 200\n\(own)\n",
    ]) func theHeaderOfTheLastResponseCounts(text: String) throws {
        let reading = try reading(text)
        #expect(reading.pins.map(\.spkiSHA256) == [first])
        #expect(reading.notes.isEmpty)
    }

    @Test(arguments: [
        (
            "HTTP/1.1 301 Moved\n\(other)\nHTTP/1.1 200 OK\n\(own)\n", 2,
            "another pin header than that of the last response"
        ), ("HTTP/1.1 301 Moved\n\(other)\nHTTP/1.1 200 OK\nServer: x\n", 2, "before the last one, which has none"),
        (
            "HTTP/1.1 301 Moved\n\n<a>HTTP/1.1 200 OK\n\(own)\n", 4,
            "in the body of one response or in the header of the next"
        ), ("HTTP/1.1 301 Moved\n\nmoved\n\nHTTP/1.1 200 OK\n\(own)\n", 6, "in the body of one response or"),
    ]) func responsesOfOthersAreAMistake(text: String, line: Int, reason: String) throws {
        let error = try failure(ofFile: "header", text)
        #expect(error.problem == .wrongValue)
        #expect(error.reason.contains(reason), "\(error)")
        #expect(error.place.description.hasSuffix(":\(line)"), "\(error)")
    }

    @Test func aBodyHasNoHeader() throws {
        #expect(try failure(ofFile: "header", "HTTP/1.1 200 OK\nX: 1\n\n\(Self.own)").problem == .notAPin)
        let reading = try reading("HTTP/1.1 200 OK\n\(Self.own)\n\(Self.other)")
        #expect(reading.pins.map(\.spkiSHA256) == [first])
        #expect(reading.notes.map(\.text) == ["in the body of a response no header counts: passed over"])
    }

    @Test func directivesThatBrowsersDoNotKnowArePassedOver() throws {
        let text = "Public-Key-Pins: pin-sha256=\"\(first.base64)\"; pin-sha512=\"AAAA\"; foo=bar; strict\n"
        for text in [text, "HTTP/1.1 200 OK\n" + text] {
            let reading = try reading(text)
            #expect(reading.pins.map(\.spkiSHA256) == [first])
            #expect(
                reading.notes.map(\.text)
                    == ["pin-sha512", "foo"].map { "browsers pass over the directive '\($0)', which they do not know" })
        }
        #expect(try failure(ofFile: "header", "Public-Key-Pins: pin-sha512=\"AAAA\"; max-age=9\n").problem == .notAPin)
        #expect(try failure("pin-sha256=\"\(first.base64)\"; foo=bar").problem == .notAPin)
    }
}
