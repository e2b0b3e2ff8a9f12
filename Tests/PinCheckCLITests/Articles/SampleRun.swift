import Base
import Foundation
import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import TLSProbe

@testable import PinCheckCLI

/// Runs the commands of one text in the current directory: pincheck in this process, others by the shell.
final class SampleRun {
    private let cas: [CARoot]
    private var ports: [PeerAddress: UInt16]
    private let directory: String
    private var status: Int32 = 0
    /// The servers that the text starts, and what keeps each of them alive while it is open.
    private var servers: [(process: Process, lifeline: Foundation.Pipe)] = []

    init(_ world: ArticleWorld, ports: [PeerAddress: UInt16], in directory: String) {
        cas = world.cas
        self.ports = ports
        self.directory = directory
    }

    func end() throws {
        for server in servers {
            try server.lifeline.fileHandleForWriting.close()
            server.process.waitUntilExit()
        }
        servers = []
    }

    func output(of command: String, columns: Int) async throws -> [String] {
        if command == "echo $?" { return ["\(status)"] }
        if command.hasPrefix("openssl s_server ") {
            try serve(command)
            return []
        }
        let line = ShellLine(command)
        var output = ""
        for (number, stage) in line.stages.enumerated() {
            if let arguments = ShellLine.arguments(of: stage) {
                let isSeen = number == line.stages.count - 1 && line.file == nil
                output = try await pincheck(arguments, input: output, columns: isSeen ? columns : nil)
            } else {
                output = try shell(String(stage), input: output)
            }
        }
        if let file = line.file {
            try output.write(toFile: file, atomically: false, encoding: .utf8)
            return []
        }
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private func pincheck(_ arguments: [String], input: String, columns: Int?) async throws -> String {
        let layout = columns.map { TextLayout(columns: $0, wraps: true) } ?? TextLayout()
        // A terminal shows both streams in the order they were written.
        let screen = OutputBuffer()
        var context = Context.lab(
            screen.stream(isTerminal: columns != nil, layout: layout),
            errors: screen.stream(isTerminal: false, layout: layout),
            environment: ["NO_COLOR": "1", "SSL_CERT_FILE": ArticleWorld.systemRoots], input: input.bytes)
        context.caRoots = cas
        context.network = StagedNetwork(names: ArticleWorld.names, ports: ports, loopback: IPAddress("127.0.0.1")!)
        status = await PinCheck.run(arguments, in: context).code
        return screen.text
    }

    private func shell(_ command: String, input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(command) 2>/dev/null"]
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let (given, printed) = (Foundation.Pipe(), Foundation.Pipe())
        process.standardInput = given
        process.standardOutput = printed
        try process.run()
        given.fileHandleForWriting.write(Data(input.utf8))
        try given.fileHandleForWriting.close()
        let output = String(decoding: printed.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        return output
    }

    private func serve(_ command: String) throws {
        var words = ShellLine.words(of: command[...]).filter { $0 != "&" && $0 != "-quiet" }
        guard let place = words.firstIndex(of: "-accept").map({ $0 + 1 }), let address = Self.peer(words[place]) else {
            throw SampleError("this server is not at an address: \(command)")
        }
        words[place] = "127.0.0.1:0"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The server ends with this process, however that ends. It inherits blocked signals, so that only SIGKILL reaches it.
        process.arguments = ["-c", #""$@" & server=$!; cat >/dev/null; kill -9 $server"#, "sh"] + words
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let (lifeline, printed) = (Foundation.Pipe(), Foundation.Pipe())
        process.standardInput = lifeline
        process.standardOutput = printed
        process.standardError = FileHandle.nullDevice
        try process.run()
        servers.append((process, lifeline))
        var heard = ""
        repeat {
            let data = printed.fileHandleForReading.availableData
            guard !data.isEmpty else { throw SampleError("the server did not start: \(command)") }
            heard += String(decoding: data, as: UTF8.self)
        } while !heard.contains(/ACCEPT .*:[0-9]+\n/)
        guard let port = heard.firstMatch(of: /ACCEPT .*:([0-9]+)\n/).flatMap({ UInt16($0.output.1) }) else { return }
        ports[address] = port
    }

    private static func peer(_ text: String) -> PeerAddress? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let ip = IPAddress(parts[0]), let port = UInt16(parts[1]) else { return nil }
        return PeerAddress(ip: ip, port: port)
    }
}

struct SampleError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
