import Base
import TLSProbe
import X509

/// The first use of OpenSSL, for which it reads the configuration that the environment names and whatever that names.
enum OpenSSLStart {
    /// How long it may take, in milliseconds: OpenSSL needs a few, and a library on a slow disk not a second.
    static let patience: Int32 = 3_000

    static var isConfigured: Bool { getenv("OPENSSL_CONF") != nil }

    /// The configuration that the environment names, where reading it could fill the memory before the time is up.
    static var endlessFile: String? {
        guard let path = getenv("OPENSSL_CONF").map({ String(cString: $0) }) else { return nil }
        var (status, null) = (stat(), stat())
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status.st_size > 1 << 20 ? path : nil
        // OpenSSL finds nothing to read there and says so.
        case S_IFDIR: return nil
        default: return stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev ? nil : path
        }
    }

    /// Whether OpenSSL is ready in time; `true` at once where the environment names no configuration.
    ///
    /// Providers, engines and inclusions can be named in more ways than anybody can look through beforehand, and opening a pipe never
    /// ends. The thread that waits for one is left alone: the process has to end.
    static func isInTime() -> Bool {
        guard isConfigured else { return true }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return true }
        let (reading, writing) = (ends[0], ends[1])
        let thread = SystemThread {
            _ = Hashing.isAvailable
            close(writing)
        }
        guard let thread else {
            close(writing)
            close(reading)
            return true
        }
        let isDone = Descriptor.wait(for: POLLIN, on: reading, milliseconds: patience)
        if isDone { thread.join() } else { thread.detach() }
        close(reading)
        return isDone
    }
}
