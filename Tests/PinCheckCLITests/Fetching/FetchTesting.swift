import LoopbackLab
import Base
import Testing

/// Tests of downloads from a loopback server.
protocol FetchTesting: Sendable {}

/// A command line that fetches from the loopback server.
struct Fetching {
    let host: String
    let port: UInt16
    let anchors: String
    let pin: String
    let files: TemporaryDirectory

    func callAsFunction(_ path: String, pins: [String]? = nil, to name: String? = nil, _ arguments: String...) async
        -> Outcome
    {
        await pincheck(
            ["fetch", "https://\(host):\(port)\(path)", "--resolve", "\(host):\(port):127.0.0.1", "--anchors", anchors]
                + (pins ?? [pin]).flatMap { ["--pins", $0] } + (name.map { ["-o", "\(files.path)/\($0)"] } ?? [])
                + arguments)
    }
}

/// Bytes of which none stands where another could.
let fetchedDocument = (0..<40_000).flatMap { [UInt8($0 >> 8 & 255), UInt8($0 & 255)] }

extension FetchTesting {
    var pki: StandardPKI { try! .shared() }
    var host: String { StandardPKI.serverName }
    var document: [UInt8] { fetchedDocument }

    /// What a line of a ``Desk`` needs to reach its server by name and to keep the document as `a.bin`.
    var kept: String { "--resolve $HOST:$PORT:127.0.0.1 --anchors @root.pem -o @a.bin" }

    func settings(_ answer: @escaping @Sendable (String) -> Responder.Answer, chain: [LabCertificate]? = nil)
        -> TLSServerSettings
    {
        TLSServerSettings(presenting: chain ?? [pki.leaf, pki.interA]).with {
            $0.application = .responds(Responder(answer))
        }
    }

    func serving<Value: Sendable>(
        chain: [LabCertificate]? = nil, _ answer: @escaping @Sendable (String) -> Responder.Answer,
        _ body: (_ server: LoopbackServer, _ fetch: Fetching, _ files: TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(.tls(settings(answer, chain: chain))) { server in
                try await body(
                    server, Fetching(host: host, port: server.port, anchors: anchors, pin: pki.leaf.pin, files: files),
                    files)
            }
        }
    }

    /// A server that has the document, with ranges.
    func ranges(_ document: [UInt8], tag: String = "\"v1\"", cutAfter limit: Int? = nil)
        -> @Sendable (String) -> Responder.Answer
    {
        { request in
            let lines = request.split(separator: "\r\n").map(String.init)
            let start = lines.first { $0.hasPrefix("Range: bytes=") }.flatMap { Int($0.dropFirst(13).dropLast()) }
            let isSame = lines.contains("If-Range: \(tag)")
            guard let start, isSame else {
                let head = "HTTP/1.1 200 OK\nContent-Length: \(document.count)\nETag: \(tag)"
                let count = min(limit ?? document.count, document.count)
                return Responder.Answer(head, document.prefix(count), count < document.count ? .cut : .goodbye)
            }
            let rest = document.dropFirst(start)
            let end = limit.map { min(rest.count, $0) } ?? rest.count
            return Responder.Answer(
                "HTTP/1.1 206 Partial\nETag: \(tag)\nContent-Length: \(rest.count)\n"
                    + "Content-Range: bytes \(start)-\(document.count - 1)/\(document.count)", rest.prefix(end),
                end < rest.count ? .cut : .goodbye)
        }
    }

    func path(_ files: TemporaryDirectory, _ name: String) -> String { "\(files.path)/\(name)" }

    func bytes(_ files: TemporaryDirectory, _ name: String) -> [UInt8]? {
        try? BoundedFile.bytes(at: self.path(files, name), limit: 1 << 20)
    }
}
