/// A reader, with what has to hold whatever the fuzzer makes up, and for what is kept in `Corpus` and `FailCases`.
enum FuzzTarget: String, CaseIterable, Sendable {
    case argument
    case der
    case pem
    case android
    case plist
    case json
    case source
    case list
    case app
    /// The manifest of an Android app in the binary form.
    case binary
    case resources
    case bundle
    /// Paths through certificates, one after the other in DER.
    case chain
    case name
    case answer
    case devices
    /// Lists of signed certificate timestamps, alone and in certificates.
    case timestamps
    /// OCSP responses behind the two certificates they are about.
    case staple
    case proxy
    /// Where redirects lead, and which part of a document an answer holds.
    case location
    /// What a scrape asks for, and on the next line how long it may take.
    case scrape

    /// Gives `bytes` to the reader; files are made in `directory`, which has nothing else in it.
    func run(_ bytes: [UInt8], in directory: String) throws(Violation) {
        let scratch = Scratch(directory, for: bytes)
        switch self {
        case .argument: try PinSourceProperties.checkArgument(bytes, in: scratch)
        case .der, .pem:
            try PinSourceProperties.checkFile(bytes, named: self == .der ? "source.cer" : "source", in: scratch)
            try KeyProperties.check(bytes, in: scratch)
        case .binary, .resources, .bundle: try AppProperties.check(bytes, as: self, in: scratch)
        case .app: try PinSourceProperties.checkFile(bytes, named: "source.ipa", in: scratch)
        case .android, .plist, .source, .list: try PinSourceProperties.checkFile(bytes, named: "source", in: scratch)
        case .json:
            try PinSourceProperties.checkFile(bytes, named: "source", in: scratch)
            try PinSourceProperties.checkPolicy(bytes, in: scratch)
        case .chain: try ChainProperties.check(bytes)
        case .name: try NameProperties.check(bytes)
        case .answer: try AnswerProperties.check(bytes)
        case .devices: try DeviceDataProperties.check(bytes, in: scratch)
        case .timestamps: try TransparencyProperties.checkTimestamps(bytes)
        case .staple: try TransparencyProperties.checkStaple(bytes)
        case .proxy: try ProxyProperties.check(bytes)
        case .location: try LocationProperties.check(bytes)
        case .scrape: try ScrapeProperties.check(bytes)
        }
    }
}

struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(Violation) {
        if !condition { throw Violation(description()) }
    }

    /// Throws unless `message` is one line of bounded length: messages quote what they are about, which can be anything.
    static func unlessMessage(_ message: String) throws(Violation) {
        try unless(!message.isEmpty, "an empty message")
        try unless(!message.contains(where: \.isNewline), "a message of several lines: \(message.debugDescription)")
        try unless(message.utf8.count <= 4_000, "a message of \(message.utf8.count) bytes: \(message.prefix(200))")
    }

    /// Throws if `message` is long: line breaks of the input may be in it, because whoever shows it escapes it.
    static func unlessShort(_ message: String) throws(Violation) {
        try unless(message.utf8.count <= 1_000, "a message of \(message.utf8.count) bytes")
    }
}
