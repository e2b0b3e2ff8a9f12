import LoopbackLab
import PinFormats
import Pinning
import Testing

@Suite struct PinDirectoryTests {
    private static let a = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private let leaf: LabCertificate
    private let root: LabCertificate

    init() throws {
        leaf = try StandardPKI.shared().leaf
        root = try StandardPKI.shared().rootA
    }

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
            #expect(try PinSource(directory.path + "/").read() == reading)
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

    @Test func aPEMNamedCERInADirectoryIsAnError() throws {
        try TemporaryDirectory.scoped { directory in
            try directory.write(leaf.pem, to: "leaf.cer")
            #expect(try failure(directory.path).problem == .cerNotDER)
        }
    }

    @Test func aDirectoryWithoutPinsIsMissingInput() throws {
        try TemporaryDirectory.scoped { directory in
            let empty = try failure(directory.path)
            #expect(empty.problem == .noPinsInDirectory)
            #expect(empty.kind == .missing)
            #expect(
                empty.description == "\(directory.path): no file in this directory holds a pin; "
                    + "its subdirectories and hidden files do not count")
            try directory.write("sha256/\(Self.a)", to: "README.md")
            #expect(try failure(directory.path).problem == .noPinsInDirectory)
        }
    }
}
