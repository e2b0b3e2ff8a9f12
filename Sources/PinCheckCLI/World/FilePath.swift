#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Paths in files.
enum FilePath {
    /// What a text in a file means: the path beside that file where something is there, and the text itself otherwise, which may
    /// be a pin as well as a path.
    ///
    /// The directory of the file has its slash and is `nil` for the current one.
    static func beside(_ directory: String?, _ text: String) -> String {
        guard let directory, !text.hasPrefix("/"), !text.utf8.contains(0) else { return text }
        var status = stat()
        return stat(directory + text, &status) == 0 ? directory + text : text
    }
}
