/// A function of the app, which runs on the actor on which it was handed over, as the compiler has promised to the
/// closure; one that was handed over on none runs on the queue of callbacks. The documents do not ask for `@Sendable`:
/// it is called one call after the other, and on one actor only.
struct Callback<Event: Sendable>: @unchecked Sendable {
  /// Weak, so that what listens for an actor may end with it. With the actor its state is gone, and nothing is shared.
  private weak var isolation: (any Actor)?
  private let body: (Event) -> Void

  init(isolation: (any Actor)?, _ body: @escaping (Event) -> Void) {
    self.isolation = isolation
    self.body = body
  }

  /// `isWanted` is asked right before the call.
  func call(_ event: Event, if isWanted: @escaping @Sendable () -> Bool = { true }) -> CallbackQueue.Call {
    CallbackQueue.Call(isolation: isolation) { if isWanted() { body(event) } }
  }
}
