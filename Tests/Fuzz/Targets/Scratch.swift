import Base

/// Where files are made for readers that want a path.
struct Scratch {
    let directory: String
    /// A number that the input decides, to choose by what is not tried every time.
    let choice: Int

    init(_ directory: String, for bytes: [UInt8]) {
        self.directory = directory
        choice = bytes.reduce(0) { $0 &+ Int($1) }
    }

    /// Writes `bytes` to a file, over an old one of the same name; returns its path.
    func write(_ bytes: [UInt8], to name: String) -> String {
        let path = "\(directory)/\(name)"
        guard let file = fopen(path, "w") else { preconditionFailure("cannot write to \(path)") }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return path
    }
}
