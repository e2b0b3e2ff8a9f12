import Base
import PinFormats

/// What holds for the binary files of an app of Android, each in an unpacked app.
enum AppProperties {
    /// A manifest in the binary form that names the resource 0x7f110003 as the configuration.
    private static let manifest: [UInt8] = {
        let digits = Array(text.utf8).compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }()

    private static let text = """
        030008000401000001001c00640000000400000000000000000100002c000000000000000000000018000000230000003100000015156e6574776f72\
        6b5365637572697479436f6e6669670008086d616e6966657374000b0b6170706c69636174696f6e0003037572690000800108000c00000027050101\
        020110002400000001000000ffffffffffffffff01000000140014000000000000000000020110003800000001000000ffffffffffffffff02000000\
        1400140001000000000000000300000000000000ffffffff080000010300117f030110001800000001000000ffffffffffffffff0200000003011000\
        1800000001000000ffffffffffffffff01000000
        """

    /// Reads `bytes` as the manifest of an app or of a bundle, or as a table of resources.
    static func check(_ bytes: [UInt8], as target: FuzzTarget, in scratch: Scratch) throws(Violation) {
        let app = "\(scratch.directory)/\(target.rawValue)"
        for folder in ["", "/base", "/base/manifest"] { mkdir(app + folder, 0o700) }
        switch target {
        case .bundle: _ = scratch.write(bytes, to: "\(target.rawValue)/base/manifest/AndroidManifest.xml")
        case .resources:
            _ = scratch.write(manifest, to: "\(target.rawValue)/AndroidManifest.xml")
            _ = scratch.write(bytes, to: "\(target.rawValue)/resources.arsc")
        default: _ = scratch.write(bytes, to: "\(target.rawValue)/AndroidManifest.xml")
        }
        try PinSourceProperties.check(PinSource(app))
    }
}
