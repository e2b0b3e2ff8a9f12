import PinChecking
import Testing

/// What a rotation is called.
struct ChainComparisonTests {
    typealias Certificate = Snapshot.Certificate

    let leaf = recorded("leaf", by: "I1", names: ["a.example", "b.example"])
    let i1 = recorded("I1", by: "I2", to: 900)
    let i2 = recorded("I2", by: "R", to: 1_000)
    let root = recorded("R", by: "R", to: 4_000)

    private func ids(_ old: [Certificate], _ new: [Certificate]) -> [String] {
        ChainComparison.changes(from: old, to: new).map(\.kind.rawValue)
    }

    private func change(_ kind: Change.Kind, _ old: [Certificate], _ new: [Certificate]) -> Change? {
        ChainComparison.changes(from: old, to: new).first { $0.kind == kind }
    }

    @Test func equalChainsHaveNoChange() {
        #expect(ids([leaf, i1, i2], [leaf, i1, i2]) == [])
        #expect(ids([leaf], [leaf]) == [])
        #expect(ids([root], [root]) == [])
    }

    // MARK: The leaf

    @Test func aNewCertificateForTheSameKeyIsRenewed() {
        let new = recorded("leaf", by: "I1", names: leaf.names, from: 60, to: 150)
        #expect(
            ChainComparison.changes(from: [leaf, i1], to: [new, i1]) == [
                Change(.renewed, old: "leaf (2027-01-15 to 2027-04-15)", new: "leaf (2027-03-16 to 2027-06-14)")
            ])
    }

    @Test func aNewKeyIsRekeyedAndOneOfAnotherKindIsThatToo() {
        let new = recorded("leaf", by: "I1", key: "new", names: leaf.names, from: 60, to: 150)
        #expect(ids([leaf, i1], [new, i1]) == ["rekeyed"])
        #expect(
            change(.rekeyed, [leaf, i1], [new, i1])
                == Change(
                    .rekeyed, old: "sha256/leaf (2027-01-15 to 2027-04-15)",
                    new: "sha256/new (2027-03-16 to 2027-06-14)"))
        let rsa = recorded("leaf", by: "I1", key: "rsa", type: "RSA 2048", names: leaf.names, to: 150)
        #expect(ids([leaf, i1], [rsa, i1]) == ["rekeyed", "key-type-changed"])
        #expect(
            change(.keyTypeChanged, [leaf, i1], [rsa, i1]) == Change(.keyTypeChanged, old: "EC P-256", new: "RSA 2048"))
    }

    @Test func namesAreComparedAsASetWhateverTheirCase() {
        func renewed(_ names: String...) -> Certificate { recorded("leaf", by: "I1", names: names, to: 91) }
        #expect(ids([leaf, i1], [renewed("B.example", "A.example"), i1]) == ["renewed"])
        #expect(ids([leaf, i1], [renewed("a.example", "b.example", "c.example"), i1]) == ["renewed", "names-added"])
        #expect(ids([leaf, i1], [renewed("a.example"), i1]) == ["renewed", "names-removed"])
        let both = [renewed("a.example", "z.example", "y.example"), i1]
        #expect(ids([leaf, i1], both) == ["renewed", "names-added", "names-removed"])
        #expect(change(.namesAdded, [leaf, i1], both) == Change(.namesAdded, old: nil, new: "y.example, z.example"))
        #expect(change(.namesRemoved, [leaf, i1], both) == Change(.namesRemoved, old: "b.example", new: nil))
    }

    @Test func tenThousandNamesAreNotAllListed() {
        let many = recorded("leaf", by: "I1", names: leaf.names + (0..<10_000).map { "n\($0).example" }, to: 91)
        let new = change(.namesAdded, [leaf, i1], [many, i1])?.new
        #expect(new?.hasSuffix(" and 9992 more") == true)
        #expect((new?.count ?? 0) < 200)
    }

    @Test func anEarlierEndIsSaidOfLeafAndAuthority() {
        let shorter = recorded("leaf", by: "I1", key: "new", names: leaf.names, to: 47)
        #expect(ids([leaf, i1], [shorter, i1]) == ["rekeyed", "expires-earlier"])
        #expect(
            change(.expiresEarlier, [leaf, i1], [shorter, i1])
                == Change(
                    .expiresEarlier, old: "leaf until 2027-04-15T08:00:00Z", new: "leaf until 2027-03-03T08:00:00Z"))
        #expect(ids([leaf, i1], [leaf, recorded("I1", by: "I2", to: 800)]) == ["renewed", "expires-earlier"])
        #expect(ids([leaf, i1], [leaf, recorded("I1", by: "I2", to: 901)]) == ["renewed"])
    }

    // MARK: Authorities

    @Test func anotherIntermediateIsIssuerChanged() {
        let new = recorded("leaf", by: "J1", key: "new", names: leaf.names)
        let j1 = recorded("J1", by: "I2", to: 900)
        #expect(ids([leaf, i1, i2], [new, j1, i2]) == ["rekeyed", "issuer-changed"])
        #expect(change(.issuerChanged, [leaf, i1], [new, j1]) == Change(.issuerChanged, old: "I1", new: "J1"))
        // Where the chain of three sends only what is below the root, the same.
        #expect(ids([leaf, i1], [new, j1]) == ["rekeyed", "issuer-changed"])
    }

    @Test func anIntermediateWithANewKeyIsIssuerChanged() {
        let new = recorded("leaf", by: "I1", names: leaf.names, to: 91)
        let rekeyed = recorded("I1", by: "I2", key: "I1 new", to: 900)
        #expect(ids([leaf, i1], [new, rekeyed]) == ["renewed", "issuer-changed"])
        #expect(
            change(.issuerChanged, [leaf, i1], [new, rekeyed])
                == Change(.issuerChanged, old: "I1 with the key sha256/I1", new: "I1 with the key sha256/I1 new"))
    }

    @Test func keyIdentifiersTellAuthoritiesApartThatAreNotSent() {
        let old = recorded("leaf", by: "I1", issuerKey: "01")
        let new = recorded("leaf", by: "I1", issuerKey: "02", to: 91)
        #expect(ids([old], [new]) == ["renewed", "issuer-changed", "root-changed"])
        #expect(
            change(.issuerChanged, [old], [new])
                == Change(.issuerChanged, old: "I1 with the key identifier 01", new: "I1 with the key identifier 02"))
        let unsaid = recorded("leaf", by: "I1", to: 91)
        #expect(ids([old], [unsaid]) == ["renewed"])
        // A day is what a renewal may begin earlier without being told.
        #expect(ids([unsaid], [old]) == ["renewed"])
        #expect(ids([recorded("leaf", by: "I1", to: 92)], [old]) == ["renewed", "expires-earlier"])
    }

    @Test func anIntermediateHigherUpIsIssuerChangedToo() {
        let cross = recorded("I1", by: "J2", to: 900)
        let j2 = recorded("J2", by: "R", to: 1_000)
        #expect(ids([leaf, i1, i2], [leaf, cross, j2]) == ["issuer-changed"])
        #expect(
            change(.issuerChanged, [leaf, i1, i2], [leaf, cross, j2]) == Change(.issuerChanged, old: "I2", new: "J2"))
    }

    @Test func anIntermediateIssuedAgainIsRenewed() {
        let again = recorded("I1", by: "I2", to: 900, edition: 1)
        #expect(ids([leaf, i1, i2], [leaf, again, i2]) == ["renewed"])
    }

    @Test func anotherRootIsRootChangedWhetherOrNotItIsSent() {
        let otherI2 = recorded("I2", by: "S", to: 1_000)
        let s = recorded("S", by: "S", to: 4_000)
        #expect(ids([leaf, i1, i2], [leaf, i1, otherI2]) == ["root-changed"])
        #expect(ids([leaf, i1, i2, root], [leaf, i1, otherI2, s]) == ["root-changed"])
        #expect(ids([leaf, i1, i2, root], [leaf, i1, otherI2]) == ["root-changed"])
        #expect(ids([leaf, i1, i2], [leaf, i1, otherI2, s]) == ["root-changed"])
        #expect(change(.rootChanged, [leaf, i1, i2], [leaf, i1, otherI2]) == Change(.rootChanged, old: "R", new: "S"))
    }

    @Test func aRootWithANewKeyIsRootChanged() {
        let newRoot = recorded("R", by: "R", key: "R new", to: 4_000)
        let i2New = recorded("I2", by: "R", issuerKey: "bb", to: 1_000)
        let i2Old = recorded("I2", by: "R", issuerKey: "aa", to: 1_000)
        #expect(ids([leaf, i1, i2Old], [leaf, i1, i2New]) == ["root-changed"])
        #expect(ids([leaf, i1, i2Old, root], [leaf, i1, i2New, newRoot]) == ["root-changed"])
    }

    @Test func anotherAuthorityAltogetherIsBoth() {
        let new = recorded("leaf", by: "J1", key: "new", names: leaf.names)
        let j1 = recorded("J1", by: "S", to: 900)
        #expect(ids([leaf, i1, i2], [new, j1]) == ["rekeyed", "issuer-changed", "root-changed"])
        // With two levels the issuer that is sent is the root and nothing else.
        let r1 = recorded("R1", by: "R1", to: 4_000)
        let r2 = recorded("R2", by: "R2", to: 4_000)
        #expect(
            ids([recorded("leaf", by: "R1"), r1], [recorded("leaf", by: "R2"), r2]) == ["renewed", "root-changed"])
    }

    @Test func aSelfSignedServerHasNoAuthority() {
        let old = recorded("self", by: "self")
        let new = recorded("self", by: "self", key: "new")
        #expect(ids([old], [new]) == ["rekeyed"])
        #expect(ids([old], [recorded("other", by: "other", key: "new")]) == ["rekeyed"])
        #expect(ids([old], [leaf, i1]) == ["rekeyed", "names-added", "chain-changed"])
    }

    // MARK: What is sent

    @Test func whatIsNoLongerSentIsMissingWhenItLeadsOn() {
        #expect(ids([leaf, i1, i2], [leaf, i1]) == ["intermediate-missing"])
        #expect(ids([leaf, i1, i2], [leaf]) == ["intermediate-missing"])
        #expect(ids([leaf, i1, i2], [leaf, i2]) == ["intermediate-missing"])
        #expect(change(.intermediateMissing, [leaf, i1, i2], [leaf])?.old == "I1, I2")
        #expect(change(.intermediateMissing, [leaf, i1, i2], [leaf])?.new == nil)
        let new = recorded("leaf", by: "J1", key: "new", names: leaf.names)
        #expect(ids([leaf, i1], [new]) == ["rekeyed", "issuer-changed", "intermediate-missing"])
    }

    @Test func whatWasNotSentIsExtra() {
        let junk = recorded("junk", by: "nobody")
        #expect(ids([leaf, i1], [leaf, i1, i2]) == ["chain-changed"])
        #expect(ids([leaf], [leaf, i1]) == ["chain-changed"])
        #expect(ids([leaf, i1], [leaf, i1, junk]) == ["chain-changed"])
        #expect(ids([leaf, i1], [leaf, i1, i1]) == ["chain-changed"])
        #expect(
            change(.chainChanged, [leaf, i1], [leaf, i1, junk])
                == Change(.chainChanged, old: "leaf, I1", new: "leaf, I1, junk"))
    }

    @Test func whatLedNowhereIsDropped() {
        let junk = recorded("junk", by: "nobody")
        #expect(ids([leaf, i1, junk], [leaf, i1]) == ["chain-changed"])
        #expect(ids([leaf, i1, i1], [leaf, i1]) == ["chain-changed"])
    }

    @Test func aRootMayBeSentOrNot() {
        #expect(ids([leaf, i1, i2], [leaf, i1, i2, root]) == ["chain-changed"])
        #expect(ids([leaf, i1, i2, root], [leaf, i1, i2]) == ["chain-changed"])
    }

    @Test func aRootIsSentWhateverElseIsMissing() {
        let inter = recorded("I", by: "R", to: 900)
        let server = recorded("leaf", by: "I")
        let other = recorded("S", by: "S", to: 4_000)
        #expect(ids([server, inter], [server, root]) == ["intermediate-missing", "chain-changed"])
        #expect(ids([server, root], [server, inter]) == ["chain-changed"])
        #expect(ids([server, inter, root], [server, root]) == ["intermediate-missing"])
        #expect(ids([server, inter, root], [server, other]) == ["intermediate-missing", "chain-changed"])
        // Beside a path that leads on to its root, another root leads nowhere.
        #expect(ids([server, inter, root], [server, inter, root, other]) == ["chain-changed"])
        #expect(ids([server, inter], [server, inter, other]) == ["chain-changed"])
    }

    @Test func aRootThatIsCrossSignedGoesOnAndIsNoOtherRoot() {
        let cross = recorded("R", by: "Old", to: 500)
        #expect(ids([leaf, i1, i2], [leaf, i1, i2, cross]) == ["chain-changed"])
        #expect(ids([leaf, i1, i2, cross], [leaf, i1, i2]) == ["intermediate-missing"])
        #expect(ids([leaf, i1, i2, root], [leaf, i1, i2, cross]) == ["chain-changed", "expires-earlier"])
        #expect(ids([leaf, i1, i2, cross], [leaf, i1, i2, root]) == ["chain-changed"])
    }

    @Test func anotherOrderIsSaidAndNothingElse() {
        #expect(ids([leaf, i1, i2], [leaf, i2, i1]) == ["chain-changed"])
        #expect(ids([leaf, i1], [i1, leaf]) == ["chain-changed"])
        #expect(
            change(.chainChanged, [leaf, i1, i2], [leaf, i2, i1])
                == Change(.chainChanged, old: "leaf, I1, I2", new: "leaf, I2, I1"))
        let renewed = recorded("leaf", by: "I1", names: leaf.names, to: 150)
        #expect(ids([leaf, i1, i2], [renewed, i2, i1]) == ["renewed", "chain-changed"])
    }

    @Test func certificatesWithoutSubjectsAreComparedToo() {
        let old = recorded("", by: "I1")
        let new = recorded("", by: "I1", key: "new")
        #expect(ids([old, i1], [new, i1]) == ["rekeyed"])
        #expect(change(.renewed, [old], [recorded("", by: "I1", to: 91)])?.old?.hasPrefix("(no subject) ") == true)
    }

    /// Whatever two chains are, they are equal or there is something to say, each thing once and in order.
    @Test func noDifferenceGoesUnsaid() {
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        func chain() -> [Certificate] {
            (0...random(4)).map { _ in
                let names = ["A", "B", "C"]
                let subject = names[random(3)]
                return recorded(
                    subject, by: names[random(3)], key: ["k1", "k2"][random(2)],
                    issuerKey: [nil, "01", "02"][random(3)], edition: random(2))
            }
        }
        for _ in 0..<20_000 {
            let old = chain()
            let new = chain()
            let changes = ChainComparison.changes(from: old, to: new)
            #expect(changes.isEmpty == (old == new), "\(old.map(\.certificateSHA256)) \(new.map(\.certificateSHA256))")
            #expect(changes.map(\.kind) == changes.map(\.kind).sorted())
            #expect(Set(changes).count == changes.count)
            #expect(changes.allSatisfy { $0.old != nil || $0.new != nil })
        }
    }
}
