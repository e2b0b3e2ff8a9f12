/// The devices that chains are judged for.
package struct DeviceSelection: Hashable, Sendable {
    /// The name that stands for all devices of the data, but not for this machine.
    static let allName = "all"

    /// The names, as in `ios-17`; `system` is this machine.
    let names: [String]

    /// Whether all devices of the data are among them, those too on which none of the clients runs.
    let includesAll: Bool

    /// Takes lists of `NAME[,NAME…]`.
    ///
    /// Which names there are shows when the data is read.
    package init(_ lists: [String]) {
        let words = lists.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        names = words.filter { $0 != Self.allName }
        includesAll = words.contains(Self.allName)
    }
}
