import Synchronization

/// A cache that empties itself at a number of values or of bytes, because hostile servers choose how many there are.
final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Content {
        var values: [Key: (value: Value, size: Int)] = [:]
        var size = 0
    }

    private let sizeLimit: Int
    private let content = Mutex(Content())

    init(sizeLimit: Int = .max) { self.sizeLimit = sizeLimit }

    func value(for key: Key) -> Value? { content.withLock { $0.values[key]?.value } }

    func remember(_ value: Value, for key: Key, size: Int = 0) {
        content.withLock { content in
            if content.values.count >= 1_024 || content.size + size > sizeLimit { content = Content() }
            content.size += size - (content.values.updateValue((value, size), forKey: key)?.size ?? 0)
        }
    }
}
