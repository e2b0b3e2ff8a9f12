import Base
import PinChecking
import Pinning
import TLSProbe

extension ExitStatus {
    init(_ result: DownloadResult) {
        switch result.ending {
        case .complete: self = .pass
        case .notAccepted: self = result.hops.last?.result.map { ExitStatus($0.outcome) } ?? .unreachable
        case .answered(.unpinnedBeginning), .answered(.unpinnedRedirect), .answered(.plainRedirect),
            .answered(.plainRedirectBehindProxy):
            self = .fail
        case .answered: self = .answer
        case .brokenOff: self = .unreachable
        case .notStored, .inTheWay: self = .inputOutput
        case .impossible(let error): self = CommandError(error).status
        }
        if case .notAccepted = result.ending, self == .pass { self = .unreachable }
    }
}

extension DownloadResult {
    /// How it ended, as a word and a sentence; `file` is where it was to go, `nil` for standard output.
    func reason(file: String?) -> Reason {
        switch ending {
        case .complete: Reason(id: "complete", message: "the document is complete")
        case .notAccepted:
            hops.last?.result?.reason ?? Reason(id: "not-accepted", message: "the server was not accepted")
        case .answered(let objection): Reason(id: objection.id, message: objection.sentence)
        case .brokenOff(let error):
            Reason(id: "broken-off", message: "\(error)\(isResumable ? "; \(count) bytes of it are kept" : "")")
        case .notStored(let failure):
            Reason(id: "not-stored", message: "\(OutputFile.error(failure, at: file ?? "standard output"))")
        case .inTheWay(let path):
            Reason(
                id: "not-stored",
                message: "\(quoted(path)) is not of a download of pincheck: move it away, or name another file")
        case .impossible(let error): Reason(id: "not-set-up", message: "\(CommandError(error))")
        }
    }
}

extension DownloadObjection {
    var id: String {
        switch self {
        case .status: "unexpected-status"
        case .badRedirect: "bad-redirect"
        case .tooManyRedirects: "too-many-redirects"
        case .unpinnedBeginning: "unpinned-beginning"
        case .unpinnedRedirect: "unpinned-redirect"
        case .plainRedirect, .plainRedirectBehindProxy: "plain-redirect"
        case .wrongRange: "wrong-range"
        case .wrongLength: "wrong-length"
        case .wrongHash: "wrong-hash"
        }
    }

    var sentence: String {
        switch self {
        case .status(let status, let reason):
            "the server answers \(status)\(reason.isEmpty ? "" : " " + TerminalText.shortened(reason, to: 120))"
        case .badRedirect(let place, let error):
            "it redirects to '\(TerminalText.shortened(UserInfo.hidden(in: place), to: 200))', \(Self.words(error))"
        case .tooManyRedirects(let most): "it redirects more than \(most) times: raise --max-redirs if that is right"
        case .unpinnedBeginning(let place):
            "it was begun at \(TerminalText.shortened(place, to: 200)), whose host has no pins: give some, or --follow-unpinned"
        case .unpinnedRedirect(let place):
            "it redirects to \(TerminalText.shortened(place, to: 200)), whose host has no pins: give some, or --follow-unpinned"
        case .plainRedirect(let place):
            "it redirects to \(TerminalText.shortened(place, to: 200)), without TLS: --follow-unpinned follows that"
        case .plainRedirectBehindProxy(let place):
            "it redirects to \(TerminalText.shortened(place, to: 200)), without TLS, and what goes through a proxy has TLS"
        case .wrongRange(let words):
            "the server sends another part than the one that was asked for"
                + (words.map { " (\(TerminalText.shortened($0, to: 120)))" } ?? "")
        case .wrongLength(let count, let total): "the document has \(count) bytes, and should have \(total)"
        case .wrongHash(let hash): "the document has the SHA-256 \(hash.hexadecimal): it was thrown away"
        }
    }

    /// What is wrong with a place that a server leads to.
    private static func words(_ error: HTTPLocationError) -> String {
        switch error {
        case .noScheme, .character: "which is no http or https URL"
        case .userName: "which holds a user name"
        case .host: "which names no host"
        case .port: "which has no port from 1 to 65535"
        }
    }
}
