import Base
import Foundation
import LoopbackLab
import PinFormats
import Pinning
import Testing

/// Apps as they ship: archives, bundles, and what is neither.
@Suite(.timeLimit(.minutes(5))) struct AppTests {
    private static var files: [(name: String, contents: [UInt8])] {
        [
            ("Info.plist", Samples.infoPlist.bytes), ("root.cer", root.der), ("extra.crt", leaf.der),
            ("more.DER", leaf.der), ("App", [0xCF, 0xFA, 0xED, 0xFE]), ("Base.lproj/old.cer", leaf.der),
            ("chain.crt", leaf.pem.bytes),
        ]
    }

    private static func ipa(_ files: [(name: String, contents: [UInt8])], in folder: String = "Payload/App.app/")
        -> [UInt8]
    {
        var zip = ZipWriter()
        zip.add(folder, [])
        for file in files { zip.add(folder + file.name, file.contents) }
        return zip.archive
    }

    @Test func theNamesOfItsFilesBeginNoLineAndMoveNoCursor() throws {
        let hostile = "x\n::evil::pwn\r\n\u{1B}[31m\u{202E}\u{2028}\u{85}y"
        let contents: [[UInt8]] = [leaf.der, "junk".bytes, leaf.pem.bytes, []]
        let directory = try TemporaryDirectory()
        for name in ["\(hostile).cer", "\(hostile).plist", "\(hostile)/c.crt", "../\(hostile).cer", hostile] {
            for bytes in contents {
                let files = [(name: "root.cer", contents: root.der), (name: name, contents: bytes)]
                let inspection = PinSource(try directory.write(Self.ipa(files), to: "App.ipa")).inspect()
                for text in inspection.notes.map(\.description) + inspection.problems.map(\.description) {
                    let isPlain = text.unicodeScalars.allSatisfy {
                        ![.control, .format].contains($0.properties.generalCategory)
                    }
                    #expect(isPlain && !text.contains("\u{2028}"), "\(name.debugDescription): \(text)")
                }
            }
        }
    }

    @Test func manyCopiesOfACertificateAreReadOnce() throws {
        let copies = (0..<11_000).map { (name: "\($0).cer", contents: leaf.der) }
        let entries = try reading(ofFile: "App.ipa", Self.ipa(copies)).configurations.flatMap(\.entries)
        #expect(entries.count == copies.count)
        #expect(Set(entries.map(\.origin)).count == copies.count)
    }

    private func expectSampleApp(_ reading: PinReading, _ bundle: String) throws {
        let apple = try #require(reading.configurations.first { $0.kind == .nsPinnedDomains })
        #expect(apple.entries.map { $0.hosts?.name } == ["example.com"])
        #expect(apple.entries.first?.origin.description.hasPrefix("\(bundle)/Info.plist:") == true)
        let app = try #require(reading.configurations.first { $0.kind == .appBundle })
        #expect(
            app.entries.map(\.origin.description) == ["extra.crt", "more.DER", "root.cer"].map { "\(bundle)/\($0)" })
        #expect(app.entries.flatMap(\.pins).map(\.certificate?.der) == [leaf.der, leaf.der, root.der])
        #expect(app.entries.flatMap(\.pins).map(\.origin) == app.entries.map(\.origin.description))
        #expect(
            app.entries.map(\.loaders) == [[.alamofire], [.alamofire], [.afNetworking4, .afNetworking3, .alamofire]])
        #expect(reading.pins.isEmpty)
        #expect(
            reading.notes.map(\.description) == [
                "\(bundle)/chain.crt: is not a certificate in DER, and Alamofire ignores it",
                "\(bundle): loaded from the bundle by AFNetworking 4: 'root.cer'; AFNetworking 2 and 3: 'root.cer'; "
                    + "Alamofire: 'extra.crt', 'more.DER', 'root.cer'",
            ])
    }

    @Test func anArchiveAndAnUnpackedAppHaveThePinsOfTheirFiles() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.ipa(Self.files), to: "App.ipa")
        try expectSampleApp(try PinSource(path).read(), "\(path):Payload/App.app")
        for file in Self.files { try directory.write(file.contents, to: "App/Payload/App.app/" + file.name) }
        let unpacked = "\(directory.path)/App"
        for source in [unpacked, "\(unpacked)/Payload/App.app", "\(unpacked)/Payload"] {
            try expectSampleApp(try PinSource(source).read(), "\(unpacked)/Payload/App.app")
        }
    }

    @Test func hiddenFilesOfAnUnpackedAppAreLookedThrough() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Samples.infoPlist.bytes, to: "App.app/Info.plist")
        try directory.write("sha256/\(Samples.a)".bytes, to: "App.app/.well-known/pins.json")
        let found = try PinSource("\(directory.path)/App.app").read().code.flatMap(\.found)
        #expect(found.map(\.spkiSHA256.base64) == [Samples.a])
    }

    @Test func anAppOfMacOSHasItsResourcesOneLevelBelow() throws {
        let files: [(name: String, contents: [UInt8])] = [
            ("Info.plist", Samples.infoPlist.bytes), ("Resources/root.cer", root.der), ("old.cer", leaf.der),
        ]
        let reading = try reading(ofFile: "App.zip", Self.ipa(files, in: "App.app/Contents/"))
        let app = try #require(reading.configurations.first { $0.kind == .appBundle })
        #expect(app.entries.flatMap(\.pins).map(\.certificate?.der) == [root.der])
        #expect(reading.configurations.map(\.kind) == [.nsPinnedDomains, .appBundle])
        #expect(reading.code.flatMap(\.found).map(\.certificate?.der) == [leaf.der])
    }

    @Test func AFNetworkingAsAFrameworkLooksIntoItsOwnBundleUpToVersion3() throws {
        let files: [(name: String, contents: [UInt8])] = [
            ("root.cer", root.der), ("Frameworks/AFNetworking.framework/AFNetworking", [0]),
            ("Frameworks/AFNetworking.framework/leaf.cer", leaf.der), ("Frameworks/B.framework/b.cer", leaf.der),
        ]
        let reading = try reading(ofFile: "App.ipa", Self.ipa(files))
        let app = try #require(reading.configurations.first)
        #expect(app.entries.map(\.loaders) == [[.afNetworking3], [.afNetworking4, .alamofire]])
        #expect(reading.code.flatMap(\.found).isEmpty)
        #expect(reading.notes.contains { $0.description.hasSuffix("Info.plist: is missing") })
    }

    private static func zip(_ change: (inout ZipWriter) -> Void) -> [UInt8] {
        var zip = ZipWriter()
        change(&zip)
        return zip.archive
    }

    private typealias Refusal = (name: String, archive: [UInt8], problem: FindingID?, place: String, words: String)

    /// Archives that are no apps or mean no good: name, contents, what is wrong, the end of its place, and words of it.
    private static let refused: [Refusal] = [
        (
            "App.ipa", ipa([("a.cer", root.pem.bytes)]), .cerNotDER, "App.ipa:Payload/App.app/a.cer",
            "convert each certificate (openssl x509 -in a.cer -outform der -out NEW.cer), or name the file .pem"
        ),
        (
            "App.ipa", ipa([("a.cer", root.der), ("b.cer", Array(try! leaf.key.privateKeyPEM().utf8))]), .privateKey,
            "", ""
        ),
        (
            "App.ipa", ipa([("App", [1])]), .noPinsInDirectory, "",
            ": no pin was found in Info.plist, or as sha256/… in 1 file (0 kB) of code and assets"
        ),
        (
            "App.ipa", zip { $0.addZeros("Payload/App.app/bomb.cer", megabytes: 512) }, .tooLarge,
            "App.ipa:Payload/App.app/bomb.cer", ": unpacks to more than 16 MiB, no such file of an app is that large"
        ),
        (
            "App.ipa",
            zip {
                let crc = ZipWriter.crc32(repeatElement(0, count: ZipWriter.zeroCount(megabytes: 11)))
                for index in 0..<6 { $0.addZeros("Payload/App.app/bomb\(index).der", megabytes: 11, crc: crc) }
            }, nil, "", ": has more than 64 MiB of certificates and configuration, no app is like that"
        ), ("App.ipa", ipa([("a.cer", root.der), ("a.cer", leaf.der)]), .duplicate, "", ""),
        (
            "App.ipa", zip { $0.add("Payload/App.app/root.cer", root.der, flags: 0x0801) }, .encrypted,
            "App.ipa:Payload/App.app/root.cer", ""
        ), ("all.zip", zip { $0.add("App.ipa", ipa(files)) }, nil, "", ": is a zip archive without an app in it"),
        ("empty.zip", ZipWriter().archive, .brokenDocument, "", ""),
    ]
    private static let cutOff: [Refusal] = [4, 30, ipa(files).count / 2, ipa(files).count - 1].map {
        ("App.ipa", Array(ipa(files).prefix($0)), .brokenDocument, "", "it may be cut off: copy or download it again")
    }

    @Test(arguments: 0..<(refused.count + cutOff.count)) func anArchiveThatIsNoAppIsRefused(index: Int) throws {
        let (name, archive, problem, place, words) = (Self.refused + Self.cutOff)[index]
        #expect(archive.count < 4 << 20)
        let error = try failure(ofFile: name, archive)
        if let problem { #expect(error.id == problem) }
        #expect(problem != .noPinsInDirectory || error.kind == .noInput)
        #expect(
            "\(error.place ?? .option)".hasSuffix(place) && (words.isEmpty || error.description.contains(words)),
            "\(error)")
    }

    @Test func whatNoClientReadsIsNotUnpackedAndAnAppWithoutPinsSaysSo() throws {
        let harmless = Self.zip {
            $0.addZeros("Payload/App.app/Assets.car", megabytes: 64)
            $0.add("Payload/App.app/root.cer", root.der)
        }
        #expect(try reading(ofFile: "App.ipa", harmless).configurations.count == 1)
        let bare = Self.ipa([("Info.plist", "<plist><dict/></plist>".bytes), ("App", [1])])
        #expect(try reading(ofFile: "App.ipa", bare).notes.map(\.kind) == [.nothingPinned])
    }

    @Test func aLinkOutOfTheArchiveIsNamed() throws {
        let archive = Self.zip { zip in
            zip.add("A.app/root.cer", root.der)
            let links = [
                "file": "root.cer", "A/up": "../root.cer", "A/folder": "..", "A/behind": "folder/x",
                "abs": "/etc/hosts", "gone": "none.js", "out": "../../x", "empty": "",
            ]
            for (name, target) in links { zip.add("A.app/" + name, target.bytes, isLink: true) }
        }
        let told = try reading(ofFile: "App.ipa", archive).notes.map(\.description)
        #expect(told.contains { $0.hasSuffix("looked into: A.app/abs, A.app/empty, A.app/gone, A.app/out") }, "\(told)")
    }

    /// Data in which people look for pins, and what it is.
    @Test(
        arguments: [
            ([0x03, 0x00, 0x08, 0x00, 0x10, 0, 0, 0], "is XML in Android's binary form"),
            ([0x02, 0x00, 0x0C, 0x00], "is a table of Android's resources"),
            ("dex\n035\0".bytes, "is Android code (DEX)"),
            ([0x7F, 0x45, 0x4C, 0x46, 2], "is a program or its library (ELF)"),
            ([0xCF, 0xFA, 0xED, 0xFE, 0], "is a program of Apple's systems (Mach-O)"),
            ([0xC6, 0x1F, 0xBC, 0x03, 0xC1], "is JavaScript as Hermes runs it"),
            ([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2], "is a Java keystore (JKS)"),
            ([0, 0, 0, 2, 0, 0, 0, 0x14, 1], "is a Java keystore (BKS)"),
        ] as [([UInt8], String)]) func binaryDataIsNamedForWhatItIs(bytes: [UInt8], words: String) throws
    {
        let error = try failure(ofFile: "data", bytes)
        #expect(error.id == .otherKind && error.reason.hasPrefix(words), "\(error)")
    }

    @Test func aPlaceInAnAppOfASetIsInTheFileOfTheSet() {
        let archive = PinPlace.at("Shop.xapk:base.apk:res/n.xml").archive
        #expect(archive?.path == "Shop.xapk" && archive?.name == "base.apk:res/n.xml")
    }

    /// Hermes writes all texts one after the other.
    @Test func hashesInTheCodeOfHermesNeedNoByteBeforeOrAfter() throws {
        let texts = "publicKeyHashes\(Samples.a)\(Samples.b)includeSubdomains".bytes
        let error = try failure(ofFile: "main.jsbundle", [0xC6, 0x1F, 0xBC, 0x03] + texts)
        #expect(error.lines == [Samples.a, Samples.b].map { "# HOST sha256/\($0)" })
    }

    @Test(arguments: [
        (["META-INF/MANIFEST.MF"], "is a Java library (.jar), not an app"),
        (["classes.jar"], "is an Android library (.aar), not an app"),
        (["AndroidManifest.xml", "classes.jar"], "is an Android library (.aar), not an app"),
    ]) func anArchiveOfALibraryIsNoApp(entries: [String], words: String) throws {
        let archive = Self.zip { zip in for entry in entries { zip.add(entry, "x") } }
        #expect(try failure(ofFile: "x.zip", archive).reason == words)
    }

    @Test(arguments: [
        "../evil.cer", "/etc/evil.cer", "Payload/App.app/../../../evil.cer", "Payload/App.app/./x.cer",
        "Payload//x.cer", "..\\evil.cer",
    ]) func aPathOutOfTheArchiveIsRefused(name: String) throws {
        let directory = try TemporaryDirectory()
        var zip = ZipWriter()
        zip.add("Payload/App.app/root.cer", root.der)
        zip.add(name, leaf.der)
        let path = try directory.write(zip.archive, to: "App.ipa")
        #expect(try failure(path).reason.hasSuffix("' leads out of the archive"))
        #expect(access(directory.path + "/../evil.cer", F_OK) != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["App.ipa"])
    }
}
