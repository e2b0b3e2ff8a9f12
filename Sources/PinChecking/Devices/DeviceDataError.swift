/// Why bytes are no device data that can be used.
package struct DeviceDataError: Error, Hashable, CustomStringConvertible {
    package enum Problem: Sendable, Hashable {
        /// It is something else altogether.
        case notDeviceData
        /// It is in a form that a later pincheck writes.
        case tooNew(version: Int)
        /// It ends before all of it was there; how many bytes it should have.
        case truncated(expected: Int)
        /// More follows after its end.
        case followedByOthers(count: Int)
        /// It has more bytes than any such file.
        case tooLarge(limit: Int)
        /// The checksum is another one.
        case damaged
        /// There are none, or more than can be, of what is named.
        case count(of: String, Int)
        /// A text is not UTF-8, or holds control characters.
        case notText(String)
        case unknownPlatform(String)
        case badName(String)
        /// Two devices have a name, or they do not stand in their order.
        case outOfOrder(String)
        /// A device lists certificates that are not there, or none.
        case badList(String)
        /// A certificate ends before it starts, or beyond the end.
        case overlapping(certificate: Int)
        /// A certificate is not one element of DER.
        case notACertificate(Int)
        /// A certificate stands before one that goes before it, or twice.
        case unordered(certificate: Int)
        /// A certificate is on no device's list.
        case unlisted(certificate: Int)
    }

    package let problem: Problem
    /// Where in the bytes, from 0.
    package let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    package var description: String {
        switch problem {
        case .notDeviceData: "it is not device data: name a file that make-device-data wrote, or JSON"
        case .tooNew(let version):
            "its form is version \(version), and this pincheck knows \(DeviceDataForm.version): use a newer pincheck"
        case .truncated(let expected): "it ends at byte \(offset) of \(expected): it was cut off"
        case .followedByOthers(let count): "\(count) bytes follow after its end at byte \(offset)"
        case .tooLarge(let limit): "it is larger than \(limit >> 20) MiB, and no device data is"
        case .damaged: "its checksum at byte \(offset) does not agree with what stands before: it is damaged"
        case .count(let what, let count): "it has \(count) \(what), which cannot be, at byte \(offset)"
        case .notText(let what): "\(what) at byte \(offset) is not plain text"
        case .unknownPlatform(let name):
            "the platform of '\(name)' at byte \(offset) is unknown: this pincheck knows "
                + DevicePlatform.allCases.map(\.rawValue).joined(separator: ", ")
        case .badName(let name): "'\(name)' at byte \(offset) is not the name of a device"
        case .outOfOrder(let name): "'\(name)' at byte \(offset) is there twice, or not in its place"
        case .badList(let name):
            "the list of '\(name)' at byte \(offset) is empty, or has more certificates than there are"
        case .overlapping(let certificate):
            "certificate \(certificate) overlaps with its neighbours, by its end at byte \(offset)"
        case .notACertificate(let certificate): "certificate \(certificate) at byte \(offset) is not one element of DER"
        case .unordered(let certificate):
            "certificate \(certificate) at byte \(offset) is there twice, or not in its place"
        case .unlisted(let certificate): "certificate \(certificate) at byte \(offset) is on no list"
        }
    }
}
