import Devices
import PinChecking
import Pinning

extension Report {
    /// The devices that were judged for, and what is known of their roots.
    struct Devices: Encodable, Sendable {
        /// The file with the lists, `nil` for what is part of the program.
        @ExplicitNull var file: String? = nil
        /// Where the lists are from.
        var source: String
        /// The day on which the newest list was read.
        var date: String
        var ageDays: Int
        var isStale: Bool
        /// The devices in the order of the data.
        var judged: [Device]
    }

    /// One device.
    struct Device: Encodable, Sendable {
        var name: String
        /// Whose list of roots it has: `ios`, `android` or `mozilla`; `nil` for this machine.
        @ExplicitNull var platform: String? = nil
        /// Its versions in words.
        @ExplicitNull var release: String? = nil
        /// The day on which its list was read.
        @ExplicitNull var read: String? = nil
        /// `reject` where one of its clients does, `accept` where one does and none rejects, else `none`.
        var verdict: VerdictWord
    }
}

extension Report.Devices {
    /// Reports the devices of a result, `nil` where none was named.
    init?(_ result: CheckResult) {
        guard let evaluation = result.evaluation, let lists = evaluation.lists else { return nil }
        self.init(
            file: lists.file,
            source: lists.data.source,
            date: lists.data.date.date,
            ageDays: lists.data.age(at: result.time),
            isStale: lists.data.isStale(at: result.time),
            judged: evaluation.devices.map { device in
                let verdicts = result.clients.filter { $0.device == device.name }.map(\.isAccepted)
                return Report.Device(
                    name: device.name,
                    platform: device.device?.platform.rawValue,
                    release: device.device?.release,
                    read: device.device?.date.date,
                    verdict: verdicts.contains(false) ? .reject : verdicts.contains(true) ? .accept : .none
                )
            }
        )
    }
}
