import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct PinDirectoryTests {
    private static let a = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    @Test func everyPinFileCountsInTheOrderOfTheNames() throws {
        try TemporaryDirectory.scoped { directory in
            try directory.write(root.der, to: "b.cer")
            try directory.write(leaf.der, to: "a.cer")
            try directory.write("sha256/\(Self.a)\n", to: "c.txt")
            try directory.write(leaf.key.publicKeyPEM, to: "d")
            try directory.write(Array("not looked at".utf8), to: ".hidden.cer")
            let reading = try PinSource(directory.path).read()
            #expect(reading.pins.map(\.certificate?.der) == [leaf.der, root.der, nil, nil])
            #expect(reading.pins.map(\.origin) == ["/a.cer", "/b.cer", "/c.txt:1", "/d:1"].map { directory.path + $0 })
            #expect(reading.notes.isEmpty)
            #expect(try PinSource(directory.path + "/").read().pins == reading.pins)
        }
    }

    @Test func certificatesAFNetworkingWouldNotLoadAreNamedAndCount() throws {
        try TemporaryDirectory.scoped { directory in
            try directory.write(root.der, to: "a.cer")
            try directory.write(leaf.der, to: "b.crt")
            try directory.write(leaf.pem, to: "c.pem")
            try directory.write(leaf.der, to: "d.der")
            try directory.write(leaf.der, to: "e.CER")
            let reading = try PinSource(directory.path).read()
            #expect(reading.pins.count == 5)
            #expect(reading.notes.map(\.id) == [.notLoadedByAFNetworking])
            #expect(
                reading.notes.first?.message
                    == "\(directory.path): AFNetworking loads only DER files named .cer from a bundle, "
                    + "not 'b.crt', 'c.pem', 'd.der', 'e.CER'")
        }
    }

    @Test func filesThatPromiseNothingAndHoldNothingAreNamed() throws {
        try TemporaryDirectory.scoped { directory in
            try directory.write(leaf.der, to: "leaf.cer")
            try directory.write("Example: sha256/\(Self.a)\n", to: "README")
            try directory.write("sha256/\(Self.a) is an example", to: "notes.md")
            try directory.write("Nothing of interest.", to: "prose.txt")
            try directory.write([0x89, 0x50, 0x4E, 0x47, 0], to: "icon.png")
            try directory.makeDirectory("old")
            let reading = try PinSource(directory.path).read()
            #expect(reading.pins.count == 1)
            #expect(reading.notes.map(\.id) == Array(repeating: .notAPinFile, count: 4))
            #expect(
                reading.notes.map { $0.message.dropFirst(directory.path.count + 1) } == [
                    "icon.png: binary data that is neither a certificate nor a public key",
                    "notes.md: documentation, which was not looked into",
                    "old: a subdirectory, which was not looked into", "prose.txt: holds no pin",
                ])
        }
    }

    @Test(arguments: ["broken.cer", "broken.crt", "broken.der", "broken.pem", "broken.PUB", "broken.key"])
    func aFileNamedAsPinsAreHasToBeOne(name: String) throws {
        for bytes in [[], Array("hello".utf8), [0, 1, 2], Array(leaf.der.dropLast())] {
            try TemporaryDirectory.scoped { directory in
                try directory.write(root.der, to: "a.cer")
                let path = try directory.write(bytes, to: name)
                let error = try failure(directory.path)
                #expect(error.kind == .malformed)
                #expect(error.place == .file(path))
            }
        }
    }

    /// What cannot be read is an error where it speaks of pins, and a note where it is something else.
    @Test(
        arguments: [
            ("native.json", Array("{\"a.b\": {\"publicKeyHashes\": [\"\(a)\"]}".utf8), .brokenDocument),
            ("n.xml", [0xFF, 0xFE] + Samples.android.utf8.flatMap { [$0, 0] }, .textEncoding),
            ("pins.txt", Array("sha256/\(a) # ".utf8) + [0xE9], .textEncoding),
            ("notes.txt", Array("caf".utf8) + [0xE9], nil), ("a.json", Array("{\"a\": ".utf8), nil),
            ("Net.swift", Array("let pin = \"sha256/\(a)\"".utf8), nil), ("tool", [0] + Array("sha256".utf8), nil),
            ("package.json", Array("{\"files\": [], \"hash\": \"sha256\"}".utf8), nil),
        ] as [(String, [UInt8], PinProblem?)]) func aConfigurationThatIsDamagedIsAnError(
            name: String, bytes: [UInt8], problem: PinProblem?
        ) throws
    {
        try TemporaryDirectory.scoped { directory in
            try directory.write(leaf.der, to: "leaf.cer")
            try directory.write(bytes, to: name)
            let inspection = PinSource(directory.path).inspect()
            #expect(inspection.problems.map(\.problem) == (problem.map { [$0] } ?? []))
            #expect(inspection.notes.map(\.id) == (problem == nil ? [.notAPinFile] : []))
        }
    }

    @Test func theConfigurationsOfAnAppsResourcesAreRead() throws {
        try TemporaryDirectory.scoped { directory in
            for name in ["res", "res/xml", "res/values"] { try directory.makeDirectory(name) }
            try directory.write(Samples.android, to: "res/xml/n.xml")
            for path in ["/res", "/res/", "/res/xml"] {
                #expect(try PinSource(directory.path + path).read().configurations.map(\.kind) == [.android])
            }
            try directory.makeDirectory("res/xml-v31")
            try directory.write("<network-security-config/>", to: "res/xml-v31/n.xml")
            for path in ["/res", "/res/xml", "/res/xml/n.xml", "/res/xml-v31/n.xml"] {
                #expect(try failure(directory.path + path).problem == .duplicate)
            }
        }
    }

    @Test func aDirectoryWithoutPinsIsMissingInput() throws {
        try TemporaryDirectory.scoped { directory in
            let empty = try failure(directory.path)
            #expect(empty.problem == .noPinsInDirectory)
            #expect(empty.kind == .missing)
            #expect(
                empty.description == "\(directory.path): no file in this directory holds a pin; "
                    + "name the directory or file that does; hidden files are not searched")
            try directory.write("sha256/\(Self.a)", to: "README.md")
            #expect(try failure(directory.path).problem == .noPinsInDirectory)
        }
    }
}
