internal import CLibraries

/// International domain names.
package enum InternationalName {
    /// The length in bytes above which no name outside ASCII has an A-label form of 253 characters.
    private static let longestName = 1_024

    /// The A-label form of a name with characters outside ASCII (IDNA 2008 with the mapping of UTS 46); others as they are.
    ///
    /// Returns `nil` when the name is no valid international domain name. Addresses and ASCII names pass unchanged.
    package static func ascii(_ name: String) -> String? {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        guard name.utf8.count <= longestName else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        let flags = Int32(CIDN2_NFC_INPUT | CIDN2_NONTRANSITIONAL)
        guard !name.utf8.contains(0) else { return nil }
        let library = NameLibraries.internationalNames
        guard library.to_ascii_8z(name, &output, flags) == Int32(CIDN2_OK), let output else { return nil }
        defer { library.free(output) }
        return String(cString: output)
    }
}
