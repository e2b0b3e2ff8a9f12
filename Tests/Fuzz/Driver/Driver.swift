import Glibc

/// The target that the environment names, and the directory for its files.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is none of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    }
    return target
}()
private let directory = getenv("FUZZ_SCRATCH").map { String(cString: $0) } ?? "."

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput") func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(Violation) { try target.run(bytes, in: directory) } catch { fatalError("\(target.rawValue): \(error)") }
    return 0
}
