import PinChecking
import Pinning

extension Report {
    /// The devices that were judged for, and what is known of their roots.
    struct Devices: DocumentObject {
        /// The file with the lists, `nil` for what is part of the program.
        var file: String?
        var source: String
        /// The day on which the newest list was read.
        var date: String
        var ageDays: Int
        var isStale: Bool
        /// The devices in the order of the data.
        var judged: [Device]
    }

    struct Device: DocumentObject {
        var name: String
        /// Whose list of roots it has: `ios`, `android` or `mozilla`; `nil` for this machine.
        var platform: String?
        var release: String?
        var read: String?
        /// Where paths may end: at its own roots, at anchors that were given, or at both.
        var trust: HostPolicy.Trust
        /// `reject` where one of its clients does, `accept` where one does and none rejects, else `none`.
        var verdict: VerdictWord
    }
}

extension Report.Devices {
    /// Reports the devices of a result, `nil` where none was named.
    init?(_ result: CheckResult) {
        guard let policy = result.policy, let lists = policy.lists else { return nil }
        self.init(
            file: lists.file, source: lists.data.source, date: lists.data.date.date,
            ageDays: lists.data.age(at: result.time), isStale: lists.data.isStale(at: result.time),
            judged: policy.devices.map { device in
                let verdicts = result.clients.filter { $0.device == device.name }.map(\.isAccepted)
                return Report.Device(
                    name: device.name, platform: device.device?.platform.rawValue, release: device.device?.release,
                    read: device.device?.date.date, trust: device.trust,
                    verdict: verdicts.contains(false) ? .reject : verdicts.contains(true) ? .accept : .none)
            })
    }
}

extension Report.Devices {
    /// Whether the devices' own roots play no part, so that nobody has to know of when they are.
    var useGivenAnchorsAlone: Bool { judged.allSatisfy { $0.trust == .anchors } }
}

// The keys of the document.

extension Report.Devices {
    static let definition: String? = "devices"

    static let fields: DocumentFields<Report.Devices> = [
        DocumentField("file", \.file, "The file of --device-data; null for the data that is part of the program."),
        DocumentField("source", \.source, "Where the lists of roots are from."),
        DocumentField("date", \.date, "The day on which the newest list was read.", as: .day),
        DocumentField("age_days", \.ageDays, as: .atLeast(0)),
        DocumentField("is_stale", \.isStale, "Whether the data is older than 180 days."),
        DocumentField("judged", \.judged, "The devices; what each client decides on them is in clients."),
    ]
}

extension Report.Device {
    static let fields: DocumentFields<Report.Device> = [
        DocumentField("name", \.name),
        DocumentField("platform", \.platform, as: .words(DevicePlatform.allCases.map(\.rawValue))),
        DocumentField("release", \.release, "The versions in words."),
        DocumentField("read", \.read, "The day on which its list was read."),
        DocumentField(
            "trust", \.trust.rawValue,
            "Where paths may end: anchors were given, and stand in the place of its roots or beside them.",
            as: .words(HostPolicy.Trust.allCases.map(\.rawValue))),
        DocumentField("verdict", \.verdict, "reject where one of its clients rejects; none where none can be set up."),
    ]
}
