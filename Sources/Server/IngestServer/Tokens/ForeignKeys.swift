import Base
import Shell
import Synchronization
import Threads

/// Where the keys of a foreign issuer are found.
protocol KeyFinder: Sendable {
  /// Nil while it is not known whether there is such a key.
  func find(_ name: String?, for algorithm: SignatureAlgorithm) -> JSONWebKeySet.Lookup?
  func stop()
}

/// What the operator is told of the keys of a foreign issuer.
package enum KeyNotice: Equatable, Sendable {
  case renewed(from: String, count: Int)
  /// Those that were known stay in use.
  case notRenewed(from: String, reason: String)
}

extension ForeignIssuerSettings.Keys {
  /// Reads the keys, or begins to fetch them.
  func open(notify: @escaping @Sendable (KeyNotice) -> Void) throws(KeySetError) -> any KeyFinder {
    switch self {
    case .file(let path): try FileKeys(path, notify: notify)
    case .fetched(let name, let fetch): FetchedKeys(from: name, notify: notify, fetch: fetch)
    }
  }
}

/// Keys in a file, which is looked at for each token: a call of `stat` costs nothing beside a signature.
final class FileKeys: KeyFinder {
  private struct State {
    var keys: JSONWebKeySet
    var stamp: FileStamp
  }

  private let path: String
  private let notify: @Sendable (KeyNotice) -> Void
  private let state: Mutex<State>

  init(_ path: String, notify: @escaping @Sendable (KeyNotice) -> Void) throws(KeySetError) {
    (self.path, self.notify) = (path, notify)
    let stamp = FileStamp(path)
    state = Mutex(State(keys: try FileKeys.read(path), stamp: stamp))
  }

  func find(_ name: String?, for algorithm: SignatureAlgorithm) -> JSONWebKeySet.Lookup? {
    let (keys, notice) = state.withLock { state in
      let notice = refresh(&state)
      return (state.keys, notice)
    }
    if let notice { notify(notice) }
    return keys.find(name, for: algorithm)
  }

  func stop() {}

  private func refresh(_ state: inout State) -> KeyNotice? {
    let stamp = FileStamp(path)
    guard stamp != state.stamp else { return nil }
    state.stamp = stamp
    do throws(KeySetError) {
      state.keys = try FileKeys.read(path)
      return .renewed(from: path, count: state.keys.count)
    } catch {
      return .notRenewed(from: path, reason: error.description)
    }
  }

  private static func read(_ path: String) throws(KeySetError) -> JSONWebKeySet {
    var bytes: [UInt8] = []
    let isRead = LineFile.read(path) { piece in
      bytes += piece
      return bytes.count <= JSONWebKeySet.bytesMax
    }
    guard isRead || !bytes.isEmpty else { throw KeySetError("\(path) cannot be read") }
    do throws(KeySetError) { return try JSONWebKeySet(parsing: bytes) } catch {
      throw KeySetError("\(path): \(error)")
    }
  }
}

/// Which keys are known and when they are fetched again: a value, in the caller's time.
struct KeySetAccount {
  /// Between two fetches, however many tokens name unknown keys.
  static let intervalMin = Nanoseconds.seconds(10)
  /// After which a key that the issuer has withdrawn is gone here too.
  static let intervalMax = Nanoseconds.seconds(600)
  /// Names of unknown keys that are remembered.
  static let namesMax = 256

  private var keys: JSONWebKeySet?
  private var fetchedAt: MonotonicInstant?
  /// A token has named a key that is not known.
  private var isWanted = false
  private var wanted: Set<String> = []
  /// Not in the set when it was fetched last.
  private var absent: Set<String> = []

  /// Nil while the set has to be fetched to know. A key that was not in the set when it was fetched for its sake is absent, and
  /// looked for again at the next fetch.
  mutating func find(_ name: String?, for algorithm: SignatureAlgorithm) -> JSONWebKeySet.Lookup? {
    guard let keys else {
      isWanted = true
      return nil
    }
    let lookup = keys.find(name, for: algorithm)
    guard case .absent = lookup else { return lookup }
    isWanted = true
    let name = name ?? ""
    // More unknown names than any issuer has keys. One that is not remembered may be a new key's all the same.
    if wanted.count < Self.namesMax { wanted.insert(name) }
    return absent.contains(name) ? lookup : nil
  }

  /// When the set is to be fetched.
  func due(_ now: MonotonicInstant) -> MonotonicInstant {
    guard let fetchedAt else { return now }
    return fetchedAt + (isWanted ? Self.intervalMin : Self.intervalMax)
  }

  /// Nil: the fetch has failed. The keys stay, and tokens of unknown ones wait for the next.
  mutating func fetched(_ keys: JSONWebKeySet?, at now: MonotonicInstant) {
    fetchedAt = now
    guard let keys else { return }
    self.keys = keys
    isWanted = false
    absent = wanted
    wanted = []
  }
}

/// Keys that a thread of its own fetches, so that no event loop waits for another server.
final class FetchedKeys: KeyFinder {
  private struct State {
    var account = KeySetAccount()
    var isStopped = false
  }

  private let state = Mutex(State())
  private let wake = Semaphore()
  private let thread = Mutex<NamedThread?>(nil)

  init(
    from name: String, notify: @escaping @Sendable (KeyNotice) -> Void,
    fetch: @escaping @Sendable () throws(KeyFetchError) -> [UInt8]
  ) {
    let started = NamedThread.started("keys") { [self] in
      var last: KeyNotice?
      while waitUntilDue() {
        let notice = ask(name, fetch)
        if notice != last { notify(notice) }
        last = notice
      }
    }
    thread.withLock { $0 = started }
  }

  func find(_ name: String?, for algorithm: SignatureAlgorithm) -> JSONWebKeySet.Lookup? {
    let (found, isSooner) = state.withLock { state in
      let now = SystemClock().monotonicNow
      let before = state.account.due(now)
      let found = state.account.find(name, for: algorithm)
      return (found, state.account.due(now) < before)
    }
    if isSooner { wake.signal() }
    return found
  }

  /// Waits for a fetch that goes on.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake.signal()
    thread.withLock { thread in
      let taken = thread
      thread = nil
      return taken
    }?.join()
  }

  /// False when it is to end.
  private func waitUntilDue() -> Bool {
    while true {
      let left = state.withLock { state -> Nanoseconds? in
        let now = SystemClock().monotonicNow
        return state.isStopped ? nil : state.account.due(now) - now
      }
      guard let left else { return false }
      guard left > .zero else { return true }
      _ = wake.wait(milliseconds: Int(left.wholeMilliseconds) + 1)
    }
  }

  private func ask(_ name: String, _ fetch: () throws(KeyFetchError) -> [UInt8]) -> KeyNotice {
    let result: Result<JSONWebKeySet, KeySetError>
    do throws(KeyFetchError) {
      let bytes = try fetch()
      result = Result { () throws(KeySetError) in try JSONWebKeySet(parsing: bytes) }
    } catch {
      result = .failure(KeySetError(error.message))
    }
    let now = SystemClock().monotonicNow
    switch result {
    case .success(let keys):
      state.withLock { $0.account.fetched(keys, at: now) }
      return .renewed(from: name, count: keys.count)
    case .failure(let error):
      state.withLock { $0.account.fetched(nil, at: now) }
      return .notRenewed(from: name, reason: error.description)
    }
  }
}
