internal import Pinning

extension PinCollector {
    /// Takes note of pins for `hosts` that `client` never applies, because no URL's host is that name.
    mutating func noteIfUnmatchable(_ hosts: HostPattern, by client: String, at place: PinPlace) {
        guard let text = HostText.whyUnmatchable(hosts, by: client) else { return }
        note(.hostNeverMatches, at: place, text)
    }
}
