/// Those certificates of a bundle that one device trusts.
///
/// Devices have most of their roots in common: what is found out about a certificate is found out for all selections of its bundle.
package final class AnchorSelection: AnchorSource {
    let bundle: AnchorBundle
    private let isSelected: [Bool]

    /// The certificates at these positions of a bundle; none is distrusted.
    package init(_ positions: some Sequence<Int>, of bundle: AnchorBundle) {
        self.bundle = bundle
        var isSelected = [Bool](repeating: false, count: bundle.count)
        for position in positions { isSelected[position] = true }
        self.isSelected = isSelected
    }

    func holds(_ position: Int) -> Bool { isSelected[position] }

    func anchors(named name: OpaquePointer) -> [PathNode] {
        bundle.nodes(named: name).filter { holds($0.position) }.map(\.node)
    }

    func distrusted(named name: OpaquePointer) -> [PathNode] { [] }
}
