internal import Synchronization

/// Carries an owned value into a closure that another thread runs, which takes it out once.
final class Handover<Value: ~Copyable & Sendable>: Sendable {
  private let content: Mutex<Value?>

  init(_ value: consuming Value) { content = Mutex(value) }

  func take() -> Value {
    content.withLock { content in
      guard let value = content.take() else { preconditionFailure("what is handed over is taken once") }
      return value
    }
  }
}
