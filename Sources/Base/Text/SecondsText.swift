/// A time in seconds to the millisecond, as `--timeout` takes it: `3 s`, `0.5 s`.
package func secondsText(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let rest = attoseconds / 1_000_000_000_000_000
    guard rest > 0 else { return "\(seconds) s" }
    var fraction = String(1_000 + rest).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction) s"
}
