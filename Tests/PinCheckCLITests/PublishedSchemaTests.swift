import Foundation
@testable import PinCheckCLI
import Pinning
import Testing
import X509

/// What readers were promised: a key goes only by a line of `PublishedSchemas/removed.tsv`.
@Suite struct PublishedSchemaTests {
    /// SHA-256 of each schema as it was published.
    private static let published = [
        "devices": "193b1e37b0dff5f605ff8edfc7fcd69b2186c924d637940b8de64c59967a9ff7",
        "lint": "0a2fb6842c32fbfd3290e88b3a8a3fae63e4f149f79a3e79e2f3314c8f61bf80",
        "pins": "4708874bdb14b84f86630432cc014437afdcce63a58249cd6c596f3597c6e475",
        "policy": "e797673a7538588aa17d6a3098492ad4d4649938f2cb9696ad649a875f167286",
        "report": "805a0696cbbbe9137bf78d52a2dfb7b63ae575dfc26fd7a26c712c685418c822",
        "snapshot": "1bf7c6420c980ff434e19decd7fb310b14c508e593d2bd0f85153f51e5295663",
    ]

    private func current(_ name: String) throws -> Set<String> {
        try PublishedSchemas.paths(of: PublishedSchemas.current(name))
    }

    /// What editors offer in a policy is what the reader takes.
    @Test func theSchemaOfPoliciesHasTheKeysOfTheReader() throws {
        let schema = try JSONValue(String(decoding: PublishedSchemas.current("policy"), as: UTF8.self))
        let keys = Set(PolicyHosts.options.compactMap(\.key))
        #expect(Set(schema["$defs"]["settings"]["properties"].keys) == keys)
    }

    @Test(arguments: PublishedSchemas.names) func aSchemaStaysAsItWasPublished(name: String) throws {
        let hash = Hashing.sha256(Array(try PublishedSchemas.data(of: name))).hexadecimal
        #expect(hash == Self.published[name], "\(name).json is edited: name what goes in removed.tsv instead")
    }

    @Test(arguments: PublishedSchemas.names) func whatGoesIsNamed(name: String) throws {
        let gone = try PublishedSchemas.paths(of: PublishedSchemas.data(of: name)).subtracting(current(name))
        let unnamed = gone.filter { !PublishedSchemas.isRemoved($0, of: name) }.sorted()
        #expect(unnamed.isEmpty, "documents of \(name) lack what readers expect and removed.tsv does not name")
    }

    @Test func everyLineOfWhatWentIsTrue() throws {
        #expect(PublishedSchemas.removals.unreadable.isEmpty)
        for removal in PublishedSchemas.removals.lines {
            var covered = false
            for name in PublishedSchemas.names {
                let published = try PublishedSchemas.paths(of: PublishedSchemas.data(of: name))
                let named = published.filter { removal.covers($0, of: name) }
                covered = covered || !named.isEmpty
                let there = try current(name).intersection(named).sorted()
                #expect(there.isEmpty, "documents of \(name) have it still: \(removal.text)")
            }
            #expect(covered, "no published schema has it: \(removal.text)")
        }
    }
}
