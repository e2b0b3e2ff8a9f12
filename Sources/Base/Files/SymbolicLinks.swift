#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Where paths lead to.
enum SymbolicLinks {
    /// The file that a path leads to through symbolic links, also one that is not there yet.
    ///
    /// - Throws: ``ReadFailure`` where they go round in circles, or to a name that is not UTF-8.
    static func target(of path: String) throws(ReadFailure) -> String {
        var path = path
        for _ in 0..<40 {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = buffer.withUnsafeMutableBytes { bytes -> Int in
                guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
                return readlink(path, start, bytes.count)
            }
            guard count > 0 else { return path }
            guard let target = String(validating: buffer[..<count], as: UTF8.self) else { throw .system(EILSEQ) }
            path = target.utf8.first == UInt8(ascii: "/") ? target : PathParts(path).directory + target
        }
        throw .system(ELOOP)
    }
}
