internal import Base
package import Pinning
package import X509

/// What came along with a leaf, as it was read: signed certificate timestamps, and the OCSP response of the server.
package struct ServedEvidence: Sendable {
    /// A timestamp and what can be said of it.
    package struct Timestamped: Sendable {
        /// The timestamp.
        package let timestamp: SignedCertificateTimestamp
        /// Whether its log's key made the signature, `nil` where there is no key to verify it with.
        package let isSigned: Bool?
        /// The log, `nil` where no list has it.
        package let log: TransparencyLogs.Log?
    }

    /// What the server's OCSP response came to.
    package enum Response: Sendable {
        /// There was none.
        case none
        /// The issuer says this, and still does.
        case current(Staple)
        /// The issuer said this at another time.
        case outdated(Staple)
        /// It says nothing about the leaf.
        case unusable(StapleError)
        /// Whom it would have to be signed by is not at hand.
        case withoutIssuer
    }

    /// The timestamps of the certificate, the handshake and the response, in this order.
    package let timestamps: [Timestamped]
    /// How many timestamps could not be read.
    package let unreadable: Int
    /// What is wrong with lists of timestamps as a whole.
    package let damages: [TransparencyError]
    /// The server's OCSP response.
    package let response: Response
    /// The list of logs that the timestamps were held against, `nil` for none.
    let logs: TransparencyLogs?
    /// The moment of the judgement.
    let time: Timestamp

    /// Reads what came along with a chain.
    ///
    /// - Parameters:
    ///   - presented: the chain.
    ///   - timestampList: what the handshake had, `nil` for nothing.
    ///   - staple: the server's OCSP response, `nil` for none.
    ///   - evaluation: what the chain is judged by.
    ///   - time: the moment of the judgement.
    init(
        of presented: PresentedChain, timestampList: [UInt8]? = nil, staple: [UInt8]? = nil, by evaluation: Evaluation,
        at time: Timestamp
    ) {
        let leaf = presented.leaf
        self.time = time
        logs = evaluation.logs
        var lists: [TimestampList] = []
        var damages: [TransparencyError] = []
        func read(_ list: () throws(TransparencyError) -> TimestampList?) {
            do throws(TransparencyError) { if let list = try list() { lists.append(list) } } catch {
                damages.append(error)
            }
        }
        read { () throws(TransparencyError) in try TimestampListReader.embedded(in: leaf) }
        if let timestampList {
            read { () throws(TransparencyError) in try TimestampListReader.read(timestampList, from: .handshake) }
        }
        let issuer = staple == nil && evaluation.logs == nil ? nil : evaluation.issuer(ofLeafIn: presented, at: time)
        response = Self.response(staple, leaf: leaf, issuer: issuer, at: time)
        // Apart from the dates of the response, its timestamps speak for themselves: a log's signature does not age.
        switch response {
        case .current(let staple), .outdated(let staple): staple.timestamps.map { lists.append($0) }
        case .none, .unusable, .withoutIssuer: break
        }
        let logs = evaluation.logs
        var signature = TimestampSignature(for: leaf, issuedBy: issuer)
        timestamps = lists.flatMap(\.timestamps).map { timestamp in
            let log = logs?.logs[timestamp.logID]
            let isSigned = log.flatMap { signature.isValid(timestamp, byKey: $0.key) }
            return Timestamped(timestamp: timestamp, isSigned: isSigned, log: log)
        }
        unreadable = lists.reduce(0) { $0 + $1.unreadable }
        self.damages = damages
    }

    private static func response(
        _ staple: [UInt8]?, leaf: Certificate, issuer: Certificate?, at time: Timestamp
    ) -> Response {
        guard let staple else { return .none }
        guard let issuer else { return .withoutIssuer }
        do throws(StapleError) {
            let read = try StapleReader.read(staple, leaf: leaf, issuer: issuer, time: time)
            return read.isCurrent(at: time) ? .current(read) : .outdated(read)
        } catch { return .unusable(error) }
    }

    /// What clients are told: timestamps whose signature is wrong do not count, and no response but a current one does.
    var evidence: LeafEvidence {
        var revocation: LeafEvidence.Revocation?
        var isVouchedFor = false
        if case .current(let staple) = response {
            switch staple.status {
            case .good: isVouchedFor = true
            case .revoked(let time, let reason): revocation = LeafEvidence.Revocation(at: time, reason: reason)
            case .unknown: break
            }
        }
        return LeafEvidence(
            timestamps: timestamps.filter { $0.isSigned != false }.map(\.timestamp), revocation: revocation,
            isVouchedFor: isVouchedFor, responseObjection: responseObjection, at: time)
    }

    /// What is wrong with the response for who takes good ones alone.
    private var responseObjection: String? {
        switch response {
        case .none, .withoutIssuer: nil
        case .unusable(let error): error.description
        case .current(let staple), .outdated(let staple): staple.androidObjection
        }
    }
}

extension Evaluation {
    /// The certificate that signed a leaf, as far as one is at hand: whoever trusts it is another question.
    fileprivate func issuer(ofLeafIn presented: PresentedChain, at time: Timestamp) -> Certificate? {
        let question = PathQuestion(
            presented: presented, intermediates: (setup.pins?.certificates ?? []) + fetchable, anchors: .trustStore,
            policy: .basicX509, time: time)
        for device in devices {
            let path = device.verifierWithInstalledRoots.evaluate(question).builtChain.certificates
            if path.count > 1 { return path[1] }
        }
        // An app's own anchors are those of its clients alone.
        let own = setup.clients.flatMap { $0.androidTrust?.sources ?? [] }.flatMap { source in
            if case .resource(_, let certificates) = source.origin { certificates } else { [] as [Certificate] }
        }
        if !own.isEmpty, let device = devices.first {
            var question = question
            question.anchors = .only(own)
            let path = device.verifier.evaluate(question).builtChain.certificates
            if path.count > 1 { return path[1] }
        }
        return presented.leaf.isSelfIssued ? presented.leaf : nil
    }
}
