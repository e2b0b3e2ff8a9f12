/// Files of gzip for tests.
enum GzipFile {
    /// Bytes as they are, in one block: less than 64 KiB.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        func number(_ value: UInt32, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        let length = UInt32(bytes.count)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + number(length, 2) + number(~length, 2) + bytes
            + number(~crc, 4) + number(length, 4)
    }
}
