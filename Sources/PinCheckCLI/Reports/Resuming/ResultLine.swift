/// What is to be known again of a line that ``JSONLinesRenderer`` wrote: read without making a value of each of its thousands of bytes.
struct ResultLine {
    /// What tells the job of the result from all others.
    let key: ResultKey
    /// The status, `nil` where the result does not count.
    let status: ExitStatus?
    /// Whether other results of the same target follow.
    let isFollowed: Bool

    /// Reads a line, `nil` where it is none of them.
    init?(_ line: ArraySlice<UInt8>) {
        var scanner = JSONScanner(line)
        guard let members = scanner.members(), scanner.isAtEnd,
            members["schema"].map({ $0.elementsEqual(Self.schema) }) == true,
            let target = members["target"], let variant = members["variant"], let consistency = members["consistency"],
            let name = members["verify_name"], let endpoint = members["endpoint"], let exit = members["exit"]
        else { return nil }
        let null = Array("null".utf8)
        var endpointScanner = JSONScanner(endpoint)
        var exitScanner = JSONScanner(exit)
        var variantScanner = JSONScanner(variant)
        guard let endpoint = endpointScanner.members(), let exit = exitScanner.members(),
            let host = endpoint["host"], let sni = endpoint["sni"], let port = endpoint["port"],
            let address = endpoint["address"], let resolved = endpoint["resolved_name"], let status = exit["name"],
            let known = ExitStatus.allCases.first(where: { status.elementsEqual("\"\($0.name)\"".utf8) })
        else { return nil }
        let hasVariants = !variant.elementsEqual(null)
        let place = resolved.elementsEqual(null) ? address : resolved
        key = ResultKey(parts: hasVariants ? [target, name, host] : [target, name, host, sni, port, place])
        let counts = hasVariants ? variantScanner.members()?["counts"] : nil
        self.status = counts?.elementsEqual("false".utf8) == true ? nil : known
        isFollowed = hasVariants && consistency.elementsEqual(null)
    }

    private static let schema = Array("\"\(Report.schema)\"".utf8)
}
