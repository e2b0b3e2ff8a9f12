extension DeviceData {
    /// Which devices of a platform have a root, in words, as in `on ios-13 and newer`; `nil` for a platform without devices.
    package func availability(of certificate: [UInt8], on platform: DevicePlatform) -> String? {
        let all = devices.filter { $0.platform == platform }
        guard !all.isEmpty else { return nil }
        let listing = devices(listing: certificate)
        let isHolder = all.map(listing.contains)
        guard let first = isHolder.firstIndex(of: true), let last = isHolder.lastIndex(of: true) else {
            return all.count > 1 ? "on no \(platform.rawValue)" : "not on \(all[0].name)"
        }
        let (oldest, newest) = (all[first].name, all[last].name)
        if isHolder[first...last].contains(false) {
            return "on \(all.filter(listing.contains).map(\.name).joined(separator: ", "))"
        }
        guard all.count > 1 else { return "on \(oldest)" }
        if last == all.count - 1 { return "on \(oldest) and newer" }
        if first == 0 { return "on \(newest) and older" }
        return first == last ? "on \(oldest)" : "on \(oldest) to \(newest)"
    }
}
