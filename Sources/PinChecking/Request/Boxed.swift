/// Keeps a large value on the heap: copies share it, and waiting tasks stay small.
@propertyWrapper package struct Boxed<Value: Sendable>: Sendable {
    private var box: [Value]

    package init(wrappedValue: Value) { box = [wrappedValue] }

    package var wrappedValue: Value {
        get { box[0] }
        set { box = [newValue] }
    }
}
