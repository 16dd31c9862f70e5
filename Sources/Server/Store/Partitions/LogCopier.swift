import Database
import Synchronization
import Threads

/// Copies the log back on a thread and a connection of its own, so that the groups go on meanwhile: most of a checkpoint is
/// waiting for the disk. SQLite allows it at any time (https://sqlite.org/wal.html#checkpointing).
final class LogCopier {
  enum Outcome: Sendable {
    case copied
    case failed(DatabaseError)
  }

  /// What the two threads share. The thread keeps it, and not the copier, which ends the thread when it goes.
  private final class SharedState: Sendable {
    struct State {
      var isWanted = false
      var isStopping = false
      var outcome: Outcome?
    }

    let state = Mutex(State())
    let wakeUp = Semaphore()
  }

  private let shared = SharedState()
  private let thread: NamedThread

  /// `small` is how many pages may be left for the writer.
  init(path: String, small: Int) {
    thread = NamedThread.started("log-copier") { [shared] in LogCopier.run(shared, path, small) }
  }

  /// Waits for a copy that is under way.
  deinit {
    shared.state.withLock { $0.isStopping = true }
    shared.wakeUp.signal()
    thread.join()
  }

  /// Not while an outcome is still to be taken.
  func begin() {
    shared.state.withLock { state in
      precondition(!state.isWanted && state.outcome == nil, "one copy at a time")
      state.isWanted = true
    }
    shared.wakeUp.signal()
  }

  /// Nil as long as it is at work.
  func takeOutcome() -> Outcome? { shared.state.withLock { $0.outcome.take() } }

  private static func run(_ shared: SharedState, _ path: String, _ small: Int) {
    guard isWanted(shared) else { return }
    do {
      let database = try Connection(path: path, access: .readWrite)
      // The copy has to be on disk before the log begins anew.
      try database.apply(.synchronous(.full))
      try database.apply(.automaticCheckpoint(pages: 0))
      repeat {
        try copy(database, until: small)
        finish(shared, .copied)
      } while isWanted(shared)
    } catch {
      finish(shared, .failed(error))
    }
  }

  /// While this thread copies, the groups make the log longer. What is left when it ends is the writer's, between two
  /// groups that wait for it, so it goes on until one time round adds little.
  private static func copy(_ database: borrowing Connection, until small: Int) throws(DatabaseError) {
    var moved = 0
    do throws(DatabaseError) {
      for _ in 0..<roundsMax {
        let now = try database.checkpoint(.passive).pagesMoved
        if now - moved <= small { return }
        moved = now
      }
    } catch {
      // Another connection is copying, which is as good and no failure (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
      guard error.kind == .busy else { throw error }
    }
  }

  /// A disk that takes less than the groups write would never come to an end.
  private static let roundsMax = 8

  private static func isWanted(_ shared: SharedState) -> Bool {
    while true {
      shared.wakeUp.wait()
      let (isWanted, isStopping) = shared.state.withLock { ($0.isWanted, $0.isStopping) }
      if isStopping { return false }
      if isWanted { return true }
    }
  }

  private static func finish(_ shared: SharedState, _ outcome: Outcome) {
    shared.state.withLock { state in
      state.isWanted = false
      state.outcome = outcome
    }
  }
}

/// Has the log copied back, beside the groups. SQLite would do it inside a commit, where it lengthens that commit and
/// swallows the errors of the copying (https://sqlite.org/c3ref/wal_autocheckpoint.html).
///
/// While groups go on, a copy never comes to the end of the log, and only at its end the log begins anew. So the writer
/// itself copies what was added during the copy, which is little.
struct CheckpointPacer {
  /// Nil in memory, where there is no log.
  private let path: String?
  private let pages: Int
  private var pending = 0
  private var copier: LogCopier?
  private var isCopying = false

  init(_ configuration: StoreConfiguration) {
    path = configuration.isInMemory ? nil : configuration.databasePath
    pages = configuration.limits.checkpointPages
  }

  /// True when the writer copied something. Throws what the other thread met, too: a failed sync is the store's affair
  /// on whichever thread it was seen.
  mutating func step(_ connection: StoreConnection) throws(DatabaseError) -> Bool {
    guard let path else { return false }
    pending += connection.database.takePagesWritten()
    guard isCopying else {
      guard pending >= pages else { return false }
      let copier = copier ?? LogCopier(path: path, small: pages / 8)
      self.copier = copier
      copier.begin()
      isCopying = true
      return false
    }
    guard let outcome = copier?.takeOutcome() else { return false }
    isCopying = false
    if case .failed(let error) = outcome {
      copier = nil
      throw error
    }
    let result = try connection.database.checkpoint(.passive)
    // What a reader still needs stays in the log; half as many pages later is soon enough to try again.
    pending = result.pagesMoved == result.pagesInLog ? 0 : pages / 2
    return true
  }

  /// Ends the thread; nothing is copied beside the caller any more.
  mutating func stop() {
    copier = nil
    isCopying = false
  }
}
