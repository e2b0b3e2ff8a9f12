import LoopbackLab
import Testing
import X509

/// What OpenSSL's configuration includes (config(5)) is looked at before OpenSSL reads it.
@Suite(.timeLimit(.minutes(10))) struct OpenSSLConfigurationTests {
    /// The part of the path below the directory that must not be read, `nil` when all may be.
    private func danger(_ text: String, environment: [String: String] = [:]) throws -> String? {
        try TemporaryDirectory.scoped { files in
            let directory = files.path
            func put(_ text: String, _ name: String) throws {
                try files.write(text.replacing("DIR", with: directory), to: name)
            }
            _ = try files.makeDirectory("more")
            _ = try files.makeDirectory("fine")
            for fifo in ["fifo", "more/x.CNF", "fine/fifo"] { #expect(mkfifo("\(directory)/\(fifo)", 0o600) == 0) }
            try put("[a]\nb = c\n", "fine/a.cnf")
            try put(".include DIR/fifo\n", "second.cnf")
            try put(".include DIR/itself.cnf\n.include DIR/itself.cnf\n", "itself.cnf")
            try put(text, "openssl.cnf")
            let path = OpenSSLConfiguration.dangerousPath(in: "\(directory)/openssl.cnf") { name in
                environment[name]?.replacing("DIR", with: directory)
            }
            return path.map { String($0.dropFirst(directory.count + 1)) }
        }
    }

    @Test(arguments: [
        (".include DIR/fifo", "fifo"), (".include = DIR/fifo", "fifo"), (".include=DIR/fifo", "fifo"),
        ("  .include\t\"DIR/fifo\" # why", "fifo"), ("[a]\nb = c\n.include DIR/fi\\\nfo\r\n", "fifo"),
        (".include DIR/more", "more/x.CNF"), (".include DIR/second.cnf", "fifo"),
        (".include DIR/itself.cnf", "itself.cnf"), ("name = DIR\n.include $name/fifo", "fifo"),
        (".include ${ENV::PLACE}/fifo", "fifo"), (".pragma includedir:DIR\n.include fifo", "fifo"),
        (".include /dev/zero", "ero"), (".incl\\\nude DIR/fifo", "fifo"), ("[y]\n dynamic_path = DIR/fifo", "fifo"),
        ("a = b\n[p]\nmodule=DIR/fifo # c", "fifo"), ("a = b\n\u{FEFF} .include DIR/fifo", "fifo"),
    ]) func whatCouldBlockIsFound(text: String, path: String) throws {
        let danger = try #require(try danger(text, environment: ["PLACE": "DIR"]))
        #expect(path == "ero" || danger == path)
    }

    @Test func aRelativePathBeginsInTheDirectoryThatTheEnvironmentNames() throws {
        #expect(try danger(".include fifo", environment: ["OPENSSL_CONF_INCLUDE": "DIR"]) == "fifo")
        #expect(try danger(".include fifo", environment: ["OPENSSL_CONF_INCLUDE": "DIR/more"]) == nil)
    }

    @Test(arguments: [
        "", "# .include DIR/fifo", "a = .include DIR/fifo", ".include DIR/fine", ".include DIR/nothing",
        ".include DIR/fine/a.cnf\n.include DIR/fine/a.cnf", ".include /dev/null", ".include $nothing", ".include",
    ]) func whatCanBeReadIs(text: String) throws { #expect(try danger(text) == nil) }
}
