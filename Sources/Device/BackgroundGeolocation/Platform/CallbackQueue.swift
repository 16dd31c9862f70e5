import Synchronization

/// Calls the functions of an app one after the other, in the order in which events happened. There is no DispatchQueue
/// here: an app that wants its calls at a place of its own makes a queue that it empties itself.
public final class CallbackQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let isEmptiedByProgram: Bool

  /// A queue that calls by itself, in the background: never in the thread that caused the event.
  public init() { isEmptiedByProgram = false }

  private init(isEmptiedByProgram: Bool) { self.isEmptiedByProgram = isEmptiedByProgram }

  /// A queue whose calls wait for `runPending`.
  public static func emptiedByProgram() -> CallbackQueue { CallbackQueue(isEmptiedByProgram: true) }

  /// Calls everything that waits, in the calling thread, until nothing does. On a queue that calls by itself, and from
  /// inside a call, it returns at once.
  public func runPending() {
    guard isEmptiedByProgram, begin() else { return }
    run()
  }

  /// Returns when everything that has happened before was called. A queue that the program empties must be emptied for
  /// it.
  public func drained() async {
    await withCheckedContinuation { continuation in add { continuation.resume() } }
  }

  func add(_ call: @escaping @Sendable () -> Void) {
    state.withLock { $0.waiting.append(call) }
    guard !isEmptiedByProgram, begin() else { return }
    Task.detached { self.run() }
  }

  /// Whether the caller is the one to run the calls.
  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isRunning, !state.waiting.isEmpty else { return false }
      state.isRunning = true
      return true
    }
  }

  private func run() {
    while true {
      let calls = state.withLock { state in
        defer { state.waiting = [] }
        state.isRunning = !state.waiting.isEmpty
        return state.waiting
      }
      if calls.isEmpty { return }
      for call in calls { call() }
    }
  }
}
