import Synchronization

/// Calls the functions of an app one at a time, in the order of the events: each on the actor on which it was passed,
/// the others in the thread of the queue. There is no DispatchQueue here; an app that wants its calls in a thread of
/// its own creates a queue that it drains itself.
public final class CallbackQueue: Sendable {
  /// One call of one function.
  struct Call: Sendable {
    /// The actor that runs it; nil for the thread of the queue.
    let isolation: (any Actor)?
    let body: @Sendable () -> Void
  }

  private struct State {
    /// Each returns its calls when its turn comes.
    var waiting: [@Sendable () -> [Call]] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  /// Runs the calls that cannot run in the thread that drains this queue. Nil on a queue that runs by itself.
  let elsewhere: CallbackQueue?

  /// Creates a queue that runs by itself, in the background: never in the thread that caused the event.
  public init() { elsewhere = nil }

  private init(elsewhere: CallbackQueue) { self.elsewhere = elsewhere }

  /// Creates a queue whose calls wait for `runPending`.
  public static func emptiedByProgram() -> CallbackQueue { CallbackQueue(elsewhere: CallbackQueue()) }

  /// Runs the pending calls in the calling thread until none is left. Calls for another actor than the caller's run
  /// there, soon. On a queue that runs by itself, and inside a call, it returns at once.
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

  /// Returns when all earlier events have been delivered. A queue that the program drains must be drained meanwhile.
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

  /// Reports whether the caller must run the calls.
  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isRunning, !state.waiting.isEmpty else { return false }
      state.isRunning = true
      return true
    }
  }

  /// Returns nil, and ends the run, when nothing is pending; the next event starts a new run.
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
