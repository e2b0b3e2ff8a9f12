import LoopbackLab
import Pinning
import Testing

@Suite("An address is what inet_pton takes") struct IPAddressTests {
    /// What the C library makes of `text`, the independent opinion.
    static func inetPton(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    @Test(arguments: [
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.4.",
        ".1.2.3.4", "1..3.4", "0x7f.0.0.1", "127.1", "2130706433", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "1.2.3.+4",
        "00.0.0.0", "١.2.3.4", "::", "::1", "1::", "1::8", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3::5:6:7:8", "1::2::3", ":::", ":1", "1:", "12345::", "fe80::1%eth0",
        "::ffff:1.2.3.4", "::1.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4",
        "::01.2.3.4", "::g", "FE80::ABCD", "[::1]", "", ":", "1", "::\u{0}1", "2001:db8::1/64",
        "0000:0000:0000:0000:0000:0000:0000:0001", "::00001",
    ]) func `both read the same bytes or refuse`(_ text: String) {
        #expect(IPAddress(text)?.bytes == Self.inetPton(text))
    }

    @Test(arguments: Seeds.sample(2)) func `texts put together at random are read as inet_pton reads them`(seed: UInt64)
    {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["0", "1", "01", "255", "256", "a", "ffff", "10000", ":", "::", ".", "1.2.3.4", "", "-", "%"]
        for _ in 0..<6_000 {
            let text = (0..<Int.random(in: 1...17, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            #expect(IPAddress(text)?.bytes == Self.inetPton(text), "\(text)")
        }
    }

    @Test func `an address is written as inet_ntop writes it and can be read back`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<5_000 {
            var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Long and short runs of zero groups, which the notation folds away.
            for group in 0..<8 where Bool.random(using: &generator) {
                bytes[2 * group] = 0
                bytes[2 * group + 1] = 0
            }
            let address = IPAddress(bytes: bytes)!
            #expect(IPAddress(address.description) == address)
        }
        #expect(IPAddress("2001:DB8:0:0:1:0:0:1")?.description == "2001:db8::1:0:0:1")
        #expect(IPAddress("1:0:2:0:3:0:4:0")?.description == "1:0:2:0:3:0:4:0")
        #expect(IPAddress("::")?.description == "::")
        #expect(IPAddress("192.0.2.7")?.description == "192.0.2.7")
    }
}
