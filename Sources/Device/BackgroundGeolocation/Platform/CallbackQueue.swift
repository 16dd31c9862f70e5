import Synchronization

/// Calls the functions of an app one after the other, in the order in which events happened: each on the actor on which
/// it was handed over, the others in the thread of the queue. There is no DispatchQueue here: an app that wants its calls
/// at a place of its own makes a queue that it empties itself.
public final class CallbackQueue: Sendable {
  /// One call of one function.
  struct Call: Sendable {
    /// On which it runs; nil: where the queue is.
    let isolation: (any Actor)?
    let body: @Sendable () -> Void
  }

  private struct State {
    /// Each says when its turn has come which calls it brings.
    var waiting: [@Sendable () -> [Call]] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  /// Calls by itself what the program, which empties this queue, cannot call where it is. Nil on a queue that calls by
  /// itself.
  let elsewhere: CallbackQueue?

  /// A queue that calls by itself, in the background: never in the thread that caused the event.
  public init() { elsewhere = nil }

  private init(elsewhere: CallbackQueue) { self.elsewhere = elsewhere }

  /// A queue whose calls wait for `runPending`.
  public static func emptiedByProgram() -> CallbackQueue { CallbackQueue(elsewhere: CallbackQueue()) }

  /// Calls everything that waits, in the calling thread, until nothing does. What was handed over on another actor than
  /// the caller's is called there, soon. On a queue that calls by itself, and from inside a call, it returns at once.
  public func runPending(isolation: isolated (any Actor)? = #isolation) {
    guard let elsewhere, begin() else { return }
    while let events = next() {
      for call in events.lazy.flatMap({ $0() }) {
        if call.isolation == nil || call.isolation === isolation {
          call.body()
        } else {
          elsewhere.add { [call] }
        }
      }
    }
  }

  /// Returns when everything that has happened before was called. A queue that the program empties must be emptied for
  /// it.
  public func drained() async {
    await withCheckedContinuation { continuation in
      add {
        continuation.resume()
        return []
      }
    }
    await elsewhere?.drained()
  }

  func add(_ event: @escaping @Sendable () -> [Call]) {
    state.withLock { $0.waiting.append(event) }
    guard elsewhere == nil, begin() else { return }
    Task.detached { await self.run() }
  }

  /// Whether the caller is the one to run the calls.
  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isRunning, !state.waiting.isEmpty else { return false }
      state.isRunning = true
      return true
    }
  }

  /// Nil when nothing waits any more: the next to begin runs again.
  private func next() -> [@Sendable () -> [Call]]? {
    state.withLock { state in
      defer { state.waiting = [] }
      state.isRunning = !state.waiting.isEmpty
      return state.isRunning ? state.waiting : nil
    }
  }

  private func run() async {
    while let events = next() {
      for event in events {
        for call in event() {
          if let actor = call.isolation { await Self.perform(call.body, on: actor) } else { call.body() }
        }
      }
    }
  }

  private static func perform(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
}
