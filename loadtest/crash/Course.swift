import Synchronization

/// What the campaign tells its clients.
final class Course: Sendable {
  private struct State {
    var port: UInt16?
    var isStopping = false
  }

  private let state = Mutex(State())
  /// Whatever a client sends is committed, and only the answer may get lost: what was sent before is known.
  let losesOnlyAnswers: Bool

  init(losesOnlyAnswers: Bool) { self.losesOnlyAnswers = losesOnlyAnswers }

  /// Where the server listens; nil while there is none.
  var port: UInt16? {
    get { state.withLock { $0.port } }
    set { state.withLock { $0.port = newValue } }
  }

  /// Clients finish the batch that they have begun and end.
  func stop() { state.withLock { $0.isStopping = true } }
  var isStopping: Bool { state.withLock { $0.isStopping } }
}
