/// Moves an owned value into a closure that another thread runs, which takes it once. No lock: the value is stored before the
/// thread starts, and pthread_create(3) orders the two accesses.
package final class Handover<Value: ~Copyable>: @unchecked Sendable {
  private var content: Value?

  package init(_ value: consuming sending Value) { content = consume value }

  package func take() -> Value {
    guard let value = content.take() else { preconditionFailure("a handed over value is taken once") }
    return value
  }
}
