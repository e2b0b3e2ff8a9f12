/// What a scrape asks: which target, and by which module it is judged.
package struct ProbeQuestion: Hashable, Sendable {
    package let target: String
    /// The name of the module, `nil` where the request names none.
    package let module: String?

    /// Reads the parameters of a request.
    ///
    /// What is not understood is refused: a module that is misspelt must not leave the target to another.
    package init(_ place: RequestPlace) throws(RequestProblem) {
        var target: String?
        var module: String?
        for parameter in place.parameters {
            switch parameter.name {
            case "target":
                guard target == nil else { throw .repeated("target") }
                target = parameter.value
            case "module":
                guard module == nil else { throw .repeated("module") }
                module = parameter.value
            default: throw .unknown(parameter.name)
            }
        }
        guard let target, !target.isEmpty else { throw .missing("target") }
        self.target = target
        self.module = module.flatMap { $0.isEmpty ? nil : $0 }
    }
}
