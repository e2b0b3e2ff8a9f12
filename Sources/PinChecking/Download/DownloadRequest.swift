package import Base
package import Pinning
package import TLSProbe

/// A document to fetch from a server that is accepted.
package struct DownloadRequest: Sendable {
    package var location: HTTPLocation
    package var method: HTTPQuestion.Method
    /// Fields of the request that the user gave; they go to the server of the URL alone.
    package var fields: [HTTPField]
    package var request: CheckRequest
    package var mostRedirects = 10
    /// Whether the first host may be without pins, as one may that the user names.
    package var mayBeginUnpinned = true
    /// Whether a redirect to a host without pins, or without TLS, is followed.
    package var followsUnpinned = false
    /// How often it is tried again where the network or the server failed, 0 to 100.
    package var retries = 0
    package var patience = Transfer.Patience(bytes: 1, in: .seconds(30))
    /// The hash it must have, `nil` for any.
    package var sha256: SHA256Digest?

    /// A document to fetch; see the properties.
    package init(
        _ location: HTTPLocation, method: HTTPQuestion.Method = .get, fields: [HTTPField] = [], request: CheckRequest
    ) {
        self.location = location
        self.method = method
        self.fields = fields
        self.request = request
    }
}

/// Where a document goes.
package enum DownloadDestination: Sendable {
    /// The file at a path, which is there once it is whole; a pipe or a device gets the bytes as they come, a terminal
    /// without the characters that mean something to it.
    case file(String)
    /// The file at a path where an earlier run was interrupted; never what a link leads to.
    case interrupted(String)
    /// Whoever takes the bytes as they come, and throws when nobody does any more.
    case stream(@Sendable ([UInt8]) throws(OutputError) -> Void)
    /// The same for who shows them on a terminal: characters that mean something to it are written out.
    case terminal(@Sendable ([UInt8]) throws(OutputError) -> Void)
    /// Nowhere: only the head is asked for.
    case nowhere
}

/// One server on the way to a document.
package struct DownloadHop: Sendable {
    package let location: HTTPLocation
    /// What the server was judged to be, `nil` for one without TLS.
    package let result: CheckResult?
    /// What it answered, `nil` where it was not asked or did not answer.
    package var status: Int?
}

package enum DownloadEnding: Sendable {
    /// It is there, whole; or the head is, where only that was asked for.
    case complete
    /// A server was not accepted, or could not be reached; the last hop says why.
    case notAccepted
    /// The server answered with something else than the document.
    case answered(DownloadObjection)
    /// The connection failed; what came is kept.
    case brokenOff(TransferError)
    case notStored(WriteFailure)
    /// What stands at this path is not of a download of pincheck, and stays as it is.
    case inTheWay(String)
    /// Something that was given for a host on the way cannot be used.
    case impossible(CheckError)
}

/// Why an answer is not what was asked for.
package enum DownloadObjection: Hashable, Sendable {
    /// It has this status, and this reason phrase.
    case status(Int, String)
    /// It redirects to what is no URL that can be followed.
    case badRedirect(String, HTTPLocationError)
    case tooManyRedirects(Int)
    /// The first host has no pins, and nobody named it but what was found.
    case unpinnedBeginning(String)
    /// It redirects to a host without pins.
    case unpinnedRedirect(String)
    /// It redirects to a place without TLS.
    case plainRedirect(String)
    /// The same, where connections go through a proxy: they do with TLS alone.
    case plainRedirectBehindProxy(String)
    /// It gives another part than the one that was asked for, in the words of the server.
    case wrongRange(String?)
    /// The document has another length than the server said: so many bytes of so many.
    case wrongLength(Int, of: Int)
    /// It has another hash than it must have.
    case wrongHash(SHA256Digest)
}

package struct DownloadResult: Sendable {
    package let location: HTTPLocation
    /// Every server on the way, in their order; of several tries the last.
    package var hops: [DownloadHop] = []
    package var ending = DownloadEnding.complete
    /// The head of the last answer, `nil` without one.
    package var head: TransferHead?
    /// How many bytes are there.
    package var count = 0
    /// How many bytes of them were there before this run.
    package var resumedAt = 0
    /// How long the document is, `nil` where no server said.
    package var total: Int?
    /// Whether what was there of another run was thrown away, since it was of another document or no range of it is to be had.
    package var startedAgain: StartedAgain?
    /// Whether another run can go on with what is there.
    package var isResumable = false
    package var retries = 0
    package var time = Duration.zero

    /// Why what was there was thrown away.
    package enum StartedAgain: String, Sendable {
        /// The document has changed since.
        case changed
        /// The server gives no ranges.
        case noRanges = "no-ranges"
        /// Nothing tells the document from another.
        case unknown
        /// It is from a server that was accepted by other pins, clients, roots or names.
        case acceptedOtherwise = "accepted-otherwise"
    }

    /// How the document is encoded, in the words of the server, not escaped; `nil` for not at all.
    package var contentCoding: String? {
        let words = head?.value(of: "Content-Encoding") ?? ""
        return words.isEmpty || words.lowercased() == "identity" ? nil : words
    }

    init(_ location: HTTPLocation) { self.location = location }
}
