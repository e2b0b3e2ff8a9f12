extension [String] {
    /// The texts one after the other with `separator` between them.
    ///
    /// `joined` of the library looks up types at run time the first time it is called, which is a hundredth of a whole check: for what
    /// each check says.
    package func separated(by separator: String) -> String {
        var text = first ?? ""
        for next in dropFirst() {
            text += separator
            text += next
        }
        return text
    }
}
