import Base
import Shell
import Synchronization
import Threads

/// Finds the keys of a foreign issuer.
protocol KeyFinder: Sendable {
  /// Returns nil while it is unknown whether there is such a key.
  func find(_ name: String?, for algorithm: SignatureAlgorithm) -> JSONWebKeySet.Lookup?
  func stop()
}

/// A notice to the operator about the keys of a foreign issuer.
package enum KeyNotice: Equatable, Sendable {
  case renewed(from: String, count: Int)
  /// The previous keys stay in use.
  case notRenewed(from: String, reason: String)
}

extension ForeignIssuerSettings.Keys {
  /// Reads the keys, or starts to fetch them.
  func open(notify: @escaping @Sendable (KeyNotice) -> Void) throws(KeySetError) -> any KeyFinder {
    switch self {
    case .file(let path): try FileKeys(path, notify: notify)
    case .fetched(let name, let fetch): FetchedKeys(from: name, notify: notify, fetch: fetch)
    }
  }
}

/// Keys in a file, checked with `stat` for each token, which costs nothing compared to a signature.
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

/// The known keys, and when they are fetched again: a value, in the caller's time.
struct KeySetAccount {
  /// The minimal time between two fetches, however many tokens name unknown keys.
  static let intervalMin = Nanoseconds.seconds(10)
  /// The time after which a key that the issuer has withdrawn is removed here too.
  static let intervalMax = Nanoseconds.seconds(600)
  /// The maximum number of unknown names that are kept.
  static let namesMax = 256

  private var keys: JSONWebKeySet?
  private var fetchedAt: MonotonicInstant?
  /// Whether a token has named an unknown key.
  private var isWanted = false
  private var wanted: Set<String> = []
  /// The names that were not in the set at the last fetch.
  private var absent: Set<String> = []

  /// Returns nil while the set must be fetched to decide. A name that is not in a set fetched for it is absent, and is looked
  /// up again at the next fetch.
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

  /// Returns when the set must be fetched.
  func due(_ now: MonotonicInstant) -> MonotonicInstant {
    guard let fetchedAt else { return now }
    return fetchedAt + (isWanted ? Self.intervalMin : Self.intervalMax)
  }

  /// `keys` is nil after a failed fetch: the previous keys stay, and tokens of unknown ones wait for the next fetch.
  mutating func fetched(_ keys: JSONWebKeySet?, at now: MonotonicInstant) {
    fetchedAt = now
    guard let keys else { return }
    self.keys = keys
    isWanted = false
    absent = wanted
    wanted = []
  }
}

/// Keys fetched by a separate thread, so that no event loop waits for another server.
final class FetchedKeys: KeyFinder {
  private struct State {
    var account = KeySetAccount()
    var isStopped = false
  }

  private let state = Mutex(State())
  private let waker = Waker()
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
    if isSooner { waker.wake() }
    return found
  }

  /// Waits for a fetch in progress.
  func stop() {
    state.withLock { $0.isStopped = true }
    waker.wake()
    thread.withLock { thread in
      let taken = thread
      thread = nil
      return taken
    }?.join()
  }

  /// Returns false when the thread must end.
  private func waitUntilDue() -> Bool {
    while true {
      let left = state.withLock { state -> Nanoseconds? in
        let now = SystemClock().monotonicNow
        return state.isStopped ? nil : state.account.due(now) - now
      }
      guard let left else { return false }
      guard left > .zero else { return true }
      waker.wait(milliseconds: Int(left.wholeMilliseconds) + 1)
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
