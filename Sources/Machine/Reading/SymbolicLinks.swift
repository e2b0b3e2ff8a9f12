#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Where paths lead to.
enum SymbolicLinks {
    /// The file that a path leads to through symbolic links, also one that is not there yet; `nil` where they go round in circles.
    static func target(of path: String) -> String? {
        var path = path
        for _ in 0..<40 {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = buffer.withUnsafeMutableBytes { bytes -> Int in
                guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
                return readlink(path, start, bytes.count)
            }
            guard count > 0 else { return path }
            let target = String(decoding: buffer[..<count], as: UTF8.self)
            path = target.utf8.first == UInt8(ascii: "/") ? target : directory(of: path) + target
        }
        return nil
    }

    /// The directory of a path with a slash at its end, empty for the current one.
    static func directory(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    }
}
