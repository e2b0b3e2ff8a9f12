import PinChecking
import LoopbackLab
@testable import PinCheckCLI
import Pinning
import Testing
import Base

/// The exit status of a command line, which Swift Testing has a type of the same name beside.
typealias ExitStatus = PinCheckCLI.ExitStatus

extension Trait where Self == TimeLimitTrait {
    /// A limit against hangs only, which no machine comes near however busy it is.
    static var endsSomeTime: Self { .timeLimit(.minutes(10)) }
}

/// What a whole command line did.
struct Outcome {
    let status: ExitStatus
    let output: String
    let errors: String

    /// The exit status and the id of the reason in a JSON report of one target, as in `fail pin-mismatch`.
    ///
    /// Another refusal has the same exit status: where the reason is the point, a test compares this.
    var decision: String {
        let reason = (try? JSONValue(output))?["reason"]["id"].text
        return "\(status) \(reason ?? "without a reason: \(output)\(errors)")"
    }

    /// Holds how it ended against a status, and what it wrote as ``says(_:ending:starting:errors:told:not:at:)`` does.
    @discardableResult func expect(
        _ status: ExitStatus, _ output: String..., ending: String = "", starting: String = "", errors: String...,
        told: String..., not: String..., at place: SourceLocation = #_sourceLocation
    ) -> Outcome {
        #expect(self.status == status, "\(self)", sourceLocation: place)
        return says(output, ending, starting, errors, told, not, place)
    }

    /// Holds its ``decision`` against another, and what it wrote as ``says(_:ending:starting:errors:told:not:at:)`` does.
    @discardableResult func expect(
        _ decision: String, _ output: String..., ending: String = "", starting: String = "", errors: String...,
        told: String..., not: String..., at place: SourceLocation = #_sourceLocation
    ) -> Outcome {
        #expect(self.decision == decision, "\(self)", sourceLocation: place)
        return says(output, ending, starting, errors, told, not, place)
    }

    /// Holds what it wrote against texts of its output, its errors, one of the two, and neither of them; an empty text
    /// stands for nothing at all.
    @discardableResult func says(
        _ output: String..., ending: String = "", starting: String = "", errors: String..., told: String...,
        not: String..., at place: SourceLocation = #_sourceLocation
    ) -> Outcome { says(output, ending, starting, errors, told, not, place) }

    private func says(
        _ output: [String], _ ending: String, _ starting: String, _ errors: [String], _ told: [String], _ not: [String],
        _ place: SourceLocation
    ) -> Outcome {
        func has(_ text: String, _ part: String) -> Bool { part.isEmpty ? text.isEmpty : text.contains(part) }
        let missing =
            output.filter { !has(self.output, $0) } + errors.filter { !has(self.errors, $0) }
            + told.filter { !has(self.output + self.errors, $0) } + (self.output.hasSuffix(ending) ? [] : [ending])
            + (self.output.hasPrefix(starting) ? [] : [starting])
        #expect(missing.isEmpty, "\(self)", sourceLocation: place)
        #expect(!not.contains { (self.output + self.errors).contains($0) }, "\(self)", sourceLocation: place)
        return self
    }
}

/// Runs a command line in process, in a world of its own.
func pincheck(
    _ arguments: String..., environment: [String: String] = [:], at time: Int64? = nil, input: [UInt8] = [],
    isTerminal: Bool = false, columns: Int? = nil
) async -> Outcome {
    await pincheck(
        arguments, environment: environment, at: time, input: input, isTerminal: isTerminal, columns: columns)
}

/// Runs a command line in process, in a world of its own: without system roots, and at the time the lab issues for; with
/// `columns`, at a terminal of that width.
func pincheck(
    _ arguments: [String], environment: [String: String] = [:], at time: Int64? = nil, input: [UInt8] = [],
    isTerminal: Bool = false, columns: Int? = nil, cas: [CA]? = nil, targetWindow: Int? = nil
) async -> Outcome {
    let layout = columns.map { TextLayout(columns: $0, wraps: true) } ?? TextLayout()
    let output = OutputBuffer()
    let errors = OutputBuffer()
    let now = Timestamp(secondsSinceEpoch: time ?? LabClock.now)
    var context = Context(
        console: Console(
            output: output.stream(isTerminal: isTerminal, layout: layout), errors: errors.stream(layout: layout)),
        environment: ["SSL_CERT_FILE": "/nonexistent", "SSL_CERT_DIR": "/nonexistent"].merging(environment) { $1 },
        now: { now }, readStandardInput: { input })
    if let targetWindow { context.targetWindow = targetWindow }
    if let cas { context.cas = cas }
    let status = await PinCheck.run(arguments: arguments, in: context)
    JSONSchemaCheck.expect(validDocumentsIn: output.text)
    return Outcome(status: status, output: output.text, errors: errors.text)
}

/// What a command line that judges one target decides and why, as in `fail pin-mismatch`.
func decision(_ arguments: [String], environment: [String: String] = [:], at time: Int64? = nil) async -> String {
    await pincheck(arguments + ["--format", "json"], environment: environment, at: time).decision
}

/// Whether a text holds anything a terminal would act on.
func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
        scalar == "\n"
            || (scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format)
    }
}

extension LabCertificate {
    /// The public-key pin of the certificate.
    var pin: String { SHA256Digest(bytes: publicKeySHA256)!.description }
}
