import Base
import PinChecking
import Pinning
import TLSProbe

extension ExitStatus {
    init(_ result: DownloadResult) {
        switch result.ending {
        case .complete: self = .pass
        case .notAccepted:
            let status = result.hops.last?.result.map { ExitStatus($0.outcome) } ?? .unreachable
            self = status == .pass ? .unreachable : status
        case .unpinnedRedirect, .plainRedirect: self = .fail
        case .brokenOff: self = .unreachable
        case .notStored: self = .inputOutput
        case .impossible(let error): self = CommandError(error).status
        default: self = .answer
        }
    }
}

extension TextRenderer {
    func block(_ result: DownloadResult, _ status: ExitStatus, file: String?) -> String {
        let redirects = result.hops.filter { (300..<400).contains($0.status ?? 0) }.map { hop in
            "  \(hop.status ?? 0)  \(safe(hop.location.description, length: 300))"
        }
        let reports = result.hops.compactMap(\.result).map(Report.init)
        let before = redirects.isEmpty ? "" : text(redirects)
        if case .notAccepted = result.ending, let last = reports.last {
            return (explains ? reports.dropLast().map { block($0) }.joined() : "") + before + block(last)
        }
        return (explains ? reports.map { block($0) }.joined() : "") + before + text(summary(result, status, file: file))
    }

    private func summary(_ result: DownloadResult, _ status: ExitStatus, file: String?) -> [String] {
        let head = "\(style.token(status))  \(safe(result.location.description, length: 300))  "
        guard case .complete = result.ending else {
            let kept = file.flatMap {
                result.isResumable ? "  the same command goes on with \(safe($0, length: 300)).part" : nil
            }
            return [head + safe(sentence(result, file), length: 300)] + [kept].compactMap(\.self)
        }
        var parts = ["\(readableBytes(result.count)) in \(readableTime(result.time))"]
        if result.resumedAt > 0 { parts.append("\(readableBytes(result.resumedAt)) were there") }
        if let file { parts.append("saved as \(safe(file, length: 300))") }
        var lines = [head + parts.joined(separator: "  ")]
        if result.startedAgain {
            lines.append(
                "  note: what an earlier run left is of another document, or was accepted by other pins: fetched anew")
        }
        if let coding = result.contentCoding, result.count > 0 {
            lines.append(
                "  note: the server sent it as \(safe(coding, length: 300)), which it still is: nothing is decompressed"
            )
        }
        if let verdict = result.hops.last?.result?.reason {
            lines.append("  \(safe(verdict.description, length: 300))")
        }
        return lines
    }

    private func sentence(_ result: DownloadResult, _ file: String?) -> String {
        switch result.ending {
        case .complete, .notAccepted: "the server was not accepted"
        case .brokenOff(let error): "\(error)\(result.isResumable ? "; \(result.count) bytes of it are kept" : "")"
        case .notStored(let failure): "\(OutputFile.error(failure, at: file ?? "standard output"))"
        case .impossible(let error): "\(CommandError(error))"
        case .status(let line):
            "the server answers \(TerminalText.shortened(String(line.drop { $0 != " " }.drop { $0 == " " }), to: 120))"
        case .badRedirect(let place, let error):
            "it redirects to '\(TerminalText.shortened(UserInfo.hidden(in: place), to: 200))', \(Self.words(error))"
        case .tooManyRedirects(let most): "it redirects more than \(most) times: raise --max-redirs if that is right"
        case .unpinnedRedirect(let place):
            "it redirects to \(TerminalText.shortened(place, to: 200)), whose host has no pins: give some"
        case .plainRedirect(let place): "it redirects to \(TerminalText.shortened(place, to: 200)), without TLS"
        case .wrongRange(let words):
            "the server sends another part than the one that was asked for"
                + (words.map { " (\(TerminalText.shortened($0, to: 120)))" } ?? "")
        case .wrongHash(let hash): "the document has the SHA-256 \(hash.hexadecimal): it was thrown away"
        }
    }

    private static func words(_ error: HTTPLocationError) -> String {
        switch error {
        case .noScheme, .character: "which is no http or https URL"
        case .userName: "which holds a user name"
        case .host: "which names no host"
        case .port: "which has no port from 1 to 65535"
        }
    }
}
