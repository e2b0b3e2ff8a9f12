package import Base
package import Pinning
import Synchronization
package import TLSProbe

/// A document to fetch from a server that is accepted.
package struct DownloadRequest: Sendable {
    package let location: HTTPLocation
    /// Fields of the request that the user gave; they go to the server of the URL alone.
    package var fields: [HTTPField] = []
    package var request: CheckRequest
    package var mostRedirects = 10
    /// How often it is tried again where the network or the server failed, 0 to 100.
    package var retries = 0
    /// The hash it must have, `nil` for any.
    package var sha256: SHA256Digest?

    package init(_ location: HTTPLocation, request: CheckRequest) {
        (self.location, self.request) = (location, request)
    }
}

/// Takes the bytes of a document as they come, and throws when nobody does any more.
package typealias DownloadStream = @Sendable ([UInt8]) throws(OutputError) -> Void

/// One server on the way to a document.
///
/// The status is `nil` where it was not asked or did not answer.
package typealias DownloadHop = (location: HTTPLocation, result: CheckResult?, status: Int?)

package enum DownloadEnding: Sendable {
    /// It is there, whole.
    case complete
    /// A server was not accepted, or could not be reached; the last hop says why.
    case notAccepted
    /// The server answers with this status line.
    case status(String)
    case badRedirect(String, HTTPLocationError)
    case tooManyRedirects(Int)
    case unpinnedRedirect(String)
    case plainRedirect(String)
    /// It gives another part than the one that was asked for, in the words of the server.
    case wrongRange(String?)
    case wrongHash(SHA256Digest)
    case brokenOff(HTTPError)
    case notStored(WriteFailure)
    /// Something that was given for a host on the way cannot be used.
    case impossible(CheckError)
}

package struct DownloadResult: Sendable {
    package let location: HTTPLocation
    /// Every server on the way, in their order; of several tries the last.
    package var hops: [DownloadHop] = []
    package var ending = DownloadEnding.complete
    package var count = 0
    package var resumedAt = 0
    /// Whether what was there of an earlier run was thrown away.
    package var startedAgain = false
    package var isResumable = false
    /// How the document is encoded, in the words of the server, not escaped; `nil` for not at all.
    package var contentCoding: String?
    package var time = Duration.zero
}

/// How far a download is, for whoever shows it.
package final class DownloadProgress: Sendable {
    /// How many bytes are there, how many of them came before the last connection, and how many there will be: `nil` where no server
    /// says.
    package typealias State = (count: Int, start: Int, total: Int?)

    private let current = Mutex<State>((0, 0, nil))
    /// Learns whether another run could go on with what is there.
    let keep: @Sendable (Bool) -> Void

    package init(keep: @escaping @Sendable (Bool) -> Void = { _ in }) { self.keep = keep }

    package var state: State { current.withLock { $0 } }

    func begin(at start: Int, of total: Int?, keeps: Bool) {
        keep(keeps)
        current.withLock { $0 = (start, start, total) }
    }

    func add(_ count: Int) { current.withLock { $0.count += count } }
}
