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

/// Where a document goes.
package enum DownloadDestination: Sendable {
    /// The file at a path, which is there once it is whole.
    case file(String)
    /// Whoever takes the bytes as they come, and throws when nobody does any more.
    case stream(@Sendable ([UInt8]) throws(OutputError) -> Void)
}

/// One server on the way to a document.
package struct DownloadHop: Sendable {
    package let location: HTTPLocation
    /// What the server was judged to be.
    package let result: CheckResult?
    /// What it answered, `nil` where it was not asked or did not answer.
    package let status: Int?
}

package enum DownloadEnding: Sendable {
    /// It is there, whole.
    case complete
    /// A server was not accepted, or could not be reached; the last hop says why.
    case notAccepted
    /// The server answered with something else than the document.
    case answered(DownloadObjection)
    /// The connection failed.
    case brokenOff(HTTPError)
    case notStored(WriteFailure)
    /// Something that was given for a host on the way cannot be used.
    case impossible(CheckError)
}

/// Why a response is not what was asked for.
package enum DownloadObjection: Hashable, Sendable {
    /// It has this status line.
    case status(String)
    /// It redirects to what is no URL that can be followed.
    case badRedirect(String, HTTPLocationError)
    case tooManyRedirects(Int)
    /// It redirects to a host without pins.
    case unpinnedRedirect(String)
    /// It redirects to a place without TLS.
    case plainRedirect(String)
    /// It gives another part than the one that was asked for, in the words of the server.
    case wrongRange(String?)
    /// It has another hash than it must have.
    case wrongHash(SHA256Digest)
}

package struct DownloadResult: Sendable {
    package let location: HTTPLocation
    /// Every server on the way, in their order; of several tries the last.
    package var hops: [DownloadHop] = []
    package var ending = DownloadEnding.complete
    /// How many bytes are there.
    package var count = 0
    /// How many bytes of them were there before this run.
    package var resumedAt = 0
    /// Whether what was there of an earlier run was thrown away.
    package var startedAgain = false
    /// Whether another run can go on with what is there.
    package var isResumable = false
    /// How the document is encoded, in the words of the server, not escaped; `nil` for not at all.
    package var contentCoding: String?
    package var time = Duration.zero

    init(_ location: HTTPLocation) { self.location = location }
}

/// How far a download is, for whoever shows it.
package final class DownloadProgress: Sendable {
    package struct State: Sendable {
        /// How many bytes are there.
        package var count = 0
        /// How many of them came before the last connection.
        package var start = 0
        /// How many there will be, `nil` where no server says.
        package var total: Int?
    }

    private let current = Mutex(State())
    private let isKept: @Sendable (Bool) -> Void

    /// Progress of which `isKept` learns whether another run could go on with what is there.
    package init(isKept: @escaping @Sendable (Bool) -> Void = { _ in }) { self.isKept = isKept }

    package var state: State { current.withLock { $0 } }

    func begin(at start: Int, of total: Int?, keeps: Bool) {
        isKept(keeps)
        current.withLock { $0 = State(count: start, start: start, total: total) }
    }

    func keep(_ keeps: Bool) { isKept(keeps) }

    func add(_ count: Int) { current.withLock { $0.count += count } }
}
