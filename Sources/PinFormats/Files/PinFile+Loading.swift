extension PinFile {
    /// Reads the file and refuses a private key.
    package static func load(_ path: String, mayBePipe: Bool = false) throws(PinFormatError) -> PinFile {
        let file = PinFile(path: path, bytes: try RegularFile.contents(of: path, mayBePipe: mayBePipe))
        try PrivateKeyGuard.refusePrivateKeys(in: file)
        return file
    }
}
