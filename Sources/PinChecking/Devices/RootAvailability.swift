/// Which devices of one platform have a root.
package enum RootAvailability: Sendable, Hashable {
    case everywhere
    case nowhere
    case from(Device)
    case upTo(Device)
    /// Those from one to another, which may be the same.
    case between(Device, Device)
    /// Several stretches of versions, with gaps between them.
    case several([Device])

    /// As in `not before ios-17`.
    package var description: String {
        switch self {
        case .everywhere: "on all"
        case .nowhere: "on none"
        case .from(let first): "not before \(first.name)"
        case .upTo(let last): "not after \(last.name)"
        case .between(let first, let last) where first == last: "only on \(first.name)"
        case .between(let first, let last): "only from \(first.name) to \(last.name)"
        case .several(let devices): "only on \(devices.map(\.name).joined(separator: ", "))"
        }
    }
}

extension DeviceData {
    /// Which devices of a platform have a certificate on their list; `nil` for a platform without devices.
    package func availability(of certificate: [UInt8], on platform: DevicePlatform) -> RootAvailability? {
        let devices = devices.filter { $0.platform == platform }
        guard !devices.isEmpty else { return nil }
        let holders = Set(self.devices(listing: certificate))
        let isHolder = devices.map(holders.contains)
        guard let first = isHolder.firstIndex(of: true), let last = isHolder.lastIndex(of: true) else {
            return .nowhere
        }
        guard !isHolder[first...last].contains(false) else { return .several(devices.filter(holders.contains)) }
        return switch (first == devices.startIndex, last == devices.endIndex - 1) {
        case (true, true): .everywhere
        case (false, true): .from(devices[first])
        case (true, false): .upTo(devices[last])
        case (false, false): .between(devices[first], devices[last])
        }
    }
}
