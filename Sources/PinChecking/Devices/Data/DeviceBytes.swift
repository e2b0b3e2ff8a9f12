/// The bytes of device data: a part of the program, or a copy of a file.
///
/// Sendable because they never change.
final class DeviceBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let isCopy: Bool

    /// Refers to bytes that stay where they are as long as the process lives.
    init(staying bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isCopy = false
    }

    init(copying source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
        isCopy = true
    }

    deinit { if isCopy { bytes.deallocate() } }
}
