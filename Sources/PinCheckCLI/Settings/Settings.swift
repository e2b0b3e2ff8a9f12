import Base
import PinChecking
import PinFormats
import PinLint
import Pinning
import TLSProbe

struct Settings: Sendable {
    var arguments: [String] = []
    var request = CheckRequest()
    var deviceNames: [String] = []
    var ports: [Int] = []

    var lists: [String] = []
    var policies: [String] = []
    var baseline: String?
    var next: [String] = []
    var allowed: Set<Change.Kind> = []
    var updatesBaseline = false
    var state: String?
    var isVerbose = false

    var clientCertificate: String?
    var clientKey: String?
    var addressFiles: [String] = []

    var formats: [String] = []
    var outputs: [String] = []
    var explains = false
    var isQuiet = false
    var color = TextStyle.Choice.auto

    var pins = Pins()
    var writesDevicesAsJSON = false

    var mildestFailure: LintSeverity? = .error
    var ignoredFindings: Set<String> = []
    var lintsBefore: Threshold?
    var shippingClients: Set<String> = []
    var listsRules = false

    var fields: [HTTPField] = []
    var namesFileAsURL = false
    var mostRedirects = 10
    var sha256: SHA256Digest?

    var places: [(address: String, port: Int)] = []
    var modules: [String: [String]] = [:]
    var allowedTargets: [String] = []
    var allowsAnyTarget = false
    var logLevel = ServeLog.Level.info

    struct Pins: Sendable {
        var keys: [String] = []
        var from: [String] = []
        var recommends = false
        var form = PinsForm.text
        var positions: Set<PinItem.Role>?
        var directory: String?
    }
}
