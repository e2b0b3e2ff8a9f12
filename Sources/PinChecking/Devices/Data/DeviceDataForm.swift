/// The form of device data, version 1.
///
/// Numbers are big-endian. Texts are UTF-8 without control characters, and begin with their length in bytes.
///
/// | bytes | what |
/// |---|---|
/// | 8 | `PCDEVICE` |
/// | 2 | the version of the form |
/// | 2 | D, how many devices there are: at least 1 |
/// | 2 | N, how many certificates there are: at least 1 |
/// | 4 | the length of all, in bytes |
/// | 4 · N | where each certificate ends, counted from the start of the first |
/// | 2 + … | where the lists are from, in words |
/// | 2 + … | the licence of the lists; it has line breaks |
/// | D times | a device |
/// | … | the certificates, one after the other, each in DER |
/// | 4 | the CRC-32 (IEEE 802.3) of all that stands before it |
///
/// The certificates are ordered by their length, those of one length by their bytes, and none stands there twice: a certificate is
/// found by its bytes, so that neither hashes nor names need any room. Each is on the list of a device.
///
/// A device, ordered by platform (Apple, Android, Mozilla) and version:
///
/// | bytes | what |
/// |---|---|
/// | 1 + … | its name: `ios-` or `android-` and a version, or `mozilla` |
/// | 1 + … | another name, `macos-` and a version; empty for none |
/// | 1 + … | its versions in words |
/// | 1 + … | the address where its list is published |
/// | 2 | the day on which that was read, in days since 1970-01-01 |
/// | ⌈N / 8⌉ | a bit for each certificate, set for its roots; the highest of the first byte is the first, and what is left over at the end is 0 |
///
/// `Sources/CDeviceData/make-device-data` writes it from lists as JSON and certificates as PEM.
enum DeviceDataForm {
    static let magic = Array("PCDEVICE".utf8)
    static let version = 1
    /// The bytes before the ends of the certificates.
    static let headerSize = 18
    static let checksumSize = 4

    /// The most bytes a file may have: far more than all roots there are.
    static let sizeLimit = 16 << 20
    /// The most devices and certificates there may be; they hold down what a file can make this process do.
    static let deviceLimit = 1_024
    static let certificateLimit = 16_384

    /// The CRC-32 of bytes (IEEE 802.3), as zip archives and PNG images have it.
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
}
