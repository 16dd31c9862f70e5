import Database
import Synchronization
import Threads

/// Checkpoints the log on a thread and a connection of its own, in parallel with commits: a checkpoint mostly waits for the
/// disk. SQLite allows it at any time (https://sqlite.org/wal.html#checkpointing).
final class LogCopier {
  enum Outcome: Sendable {
    case copied
    case failed(DatabaseError)
  }

  /// The state that both threads share. The thread does not retain the copier, whose deinit ends the thread.
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

  /// `small` is the number of pages that may be left to the writer.
  init(path: String, small: Int) {
    thread = NamedThread.started("log-copier") { [shared] in LogCopier.run(shared, path, small) }
  }

  /// Waits for a checkpoint in progress.
  deinit {
    shared.state.withLock { $0.isStopping = true }
    shared.wakeUp.signal()
    thread.join()
  }

  /// Starts a checkpoint. The previous outcome must have been taken.
  func begin() {
    shared.state.withLock { state in
      precondition(!state.isWanted && state.outcome == nil, "one copy at a time")
      state.isWanted = true
    }
    shared.wakeUp.signal()
  }

  /// Returns nil while the checkpoint is running.
  func takeOutcome() -> Outcome? { shared.state.withLock { $0.outcome.take() } }

  private static func run(_ shared: SharedState, _ path: String, _ small: Int) {
    guard isWanted(shared) else { return }
    do {
      let database = try Connection(path: path, access: .readWrite)
      // The copy must be on disk before the log restarts.
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

  /// Commits extend the log while this thread copies. The writer must copy the rest between two groups, which delays the next,
  /// so this thread repeats until a round adds little.
  private static func copy(_ database: borrowing Connection, until small: Int) throws(DatabaseError) {
    var moved = 0
    do throws(DatabaseError) {
      for _ in 0..<roundsMax {
        let now = try database.checkpoint(.passive).pagesMoved
        if now - moved <= small { return }
        moved = now
      }
    } catch {
      // Another connection is running a checkpoint, which is no failure (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
      guard error.kind == .busy else { throw error }
    }
  }

  /// Bounds the rounds on a disk that is slower than the commits.
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

/// Runs checkpoints in parallel with commits. SQLite would run them inside a commit, which lengthens that commit and swallows
/// the errors of the checkpoint (https://sqlite.org/c3ref/wal_autocheckpoint.html).
///
/// While commits continue, a checkpoint never reaches the end of the log, and the log restarts only there. So the writer itself
/// copies the little that was added meanwhile.
struct CheckpointPacer {
  /// The path of the database; nil in memory, where there is no log.
  private let path: String?
  private let pages: Int
  private var pending = 0
  private var copier: LogCopier?
  private var isCopying = false

  init(_ configuration: StoreConfiguration) {
    path = configuration.isInMemory ? nil : configuration.databasePath
    pages = configuration.limits.checkpointPages
  }

  /// Returns whether the writer copied something. Also throws the error of the other thread: a failed sync concerns the store,
  /// on whichever thread it occurred.
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
    // Pages that a reader still needs stay in the log; retrying half as many pages later is soon enough.
    pending = result.pagesMoved == result.pagesInLog ? 0 : pages / 2
    return true
  }

  /// Ends the thread; no checkpoint runs in parallel any more.
  mutating func stop() {
    copier = nil
    isCopying = false
  }
}
