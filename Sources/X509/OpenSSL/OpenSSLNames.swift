internal import COpenSSL

/// What has to come before everything that OpenSSL looks up by name.
package enum OpenSSLNames {
    /// Has OpenSSL learn the names of all kinds of keys, once in a process; other threads wait meanwhile.
    ///
    /// Called before keys are read and before TLS is set up, which different threads begin with.
    package static func learn() { COpenSSL_learn_names() }
}
