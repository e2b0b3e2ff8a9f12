import Base
import PinChecking
import PinFormats
import Pinning

/// The arguments of `pins` that are no servers: files of certificates, keys and pins.
enum PinArguments {
    /// The keys or pins of the file an argument names, `nil` when it names none and has to be a target.
    ///
    /// Pins without a host of their own are for `host`.
    static func file(_ argument: String, host: String?, in context: Context) throws(CommandError) -> [KeySource]? {
        if argument == "-" {
            let bytes = try context.readStandardInput()
            let name = "standard input"
            return try sources(name, host: host, in: context) { () throws(PinFormatError) in
                try PinInput.read(bytes, name: name)
            }
        }
        guard PinFile.isThere(argument) else {
            guard !FileArgument.isMeant(by: argument) else {
                throw .noInput("\(quoted(argument)): there is no such file")
            }
            return nil
        }
        return try sources(argument, host: host, in: context) { () throws(PinFormatError) in try PinInput.read(argument)
        }
    }

    /// The pins of a source as `--pins` takes it.
    static func source(_ text: String, host: String?, in context: Context) throws(CommandError) -> [KeySource] {
        try sources(text, host: host, in: context) { () throws(PinFormatError) in .reading(try PinSource(text).read()) }
    }

    private static func sources(
        _ name: String, host: String?, in context: Context, _ read: () throws(PinFormatError) -> PinInput
    ) throws(CommandError) -> [KeySource] {
        switch try reading(read) {
        case .items(let items): return [KeySource(file: name, items: items)]
        case .reading(let reading):
            for note in reading.notes { context.console.report("Note: \(note)") }
            return PinGroup.groups(of: reading, host: host).map(KeySource.init)
        }
    }

    static func keyFile(_ path: String) throws(CommandError) -> KeySource {
        KeySource(
            file: path, items: [try reading { () throws(PinFormatError) in try KeyFile.publicHalf(ofKeyFile: path) }])
    }

    private static func reading<Value>(_ read: () throws(PinFormatError) -> Value) throws(CommandError) -> Value {
        do { return try read() } catch {
            throw CommandError(status: error.kind == .missing ? .noInput : .data, description: error.message)
        }
    }
}
