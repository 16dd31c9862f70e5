import Base
import JSON
import PostgresStore
import Shell
import Store
import Synchronization

/// The keys of the tokens that this server issues in the name of a provider. The newest signs; a replaced key stays in the
/// public set until the last token that it has signed has expired.
///
/// Servers that share a database share the keys. Each has a copy, makes changes only in the database, and reads it again when a
/// token names an unknown key.
final class KeyRing: Sendable {
  /// The storage of the keys.
  enum Place: Sendable {
    /// In memory; they end with the process.
    case memory
    /// Like `memory`, but shared with other rings (`VirtualSigningKeys`).
    case stock
    case folder(String)
    case database(SharedSecret)
  }

  private struct State {
    /// Always has a key that signs.
    var keys: KeyList
    /// The number of keys made so far.
    var made = 1
    /// Why the keys could not be written to the folder; the next rotation reports it.
    var failure: StoreError?
    /// Names that are not in the database either.
    var absent: Set<String> = []
    /// Whether the key of the next interval is being made.
    var isMakingKey = false
  }

  /// The state of reading the database.
  private struct Copy {
    var bytes: [UInt8]?
    var begunAt: MonotonicInstant?
    var isRead = false
    var budget = KeyLookupLimit()
  }

  let algorithm: SignatureAlgorithm
  /// How long a token can live after its key was replaced.
  private let keepMilliseconds: Int64
  private let intervalMilliseconds: Int64?
  private let place: Place
  /// Runs a piece of work that takes longer than an event loop may be away.
  private let aside: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state: Mutex<State>
  /// Locked while the database is read or changed, so that an older state never replaces a newer one.
  private let copy = Mutex(Copy())

  /// The name under which the keys are stored.
  static let documentName = "identity.keys"
  private static let documentBytesMax = 1_048_576
  private static let absentMax = 256

  /// `now` is when the first key is made, if there is none. `aside` runs what an event loop must not wait for.
  init(
    _ algorithm: SignatureAlgorithm, keep: Nanoseconds, interval: Nanoseconds?, at now: WallInstant,
    in place: Place = .memory, aside: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
  ) throws(ServerError) {
    (self.algorithm, self.place, self.aside) = (algorithm, place, aside)
    (keepMilliseconds, intervalMilliseconds) = (keep.wholeMilliseconds, interval?.wholeMilliseconds)
    do throws(StoreError) {
      state = Mutex(State(keys: try KeyRing.open(place, algorithm.family, at: now)))
    } catch { throw ServerError(error) }
  }

  private static func open(
    _ place: Place, _ family: SignatureKey.Family, at now: WallInstant
  ) throws(StoreError) -> KeyList {
    var keys = KeyList()
    switch place {
    case .memory: keys.add(.make(family), at: now)
    case .stock: keys.add(VirtualSigningKeys.key(family, number: 0), at: now)
    case .folder(let folder):
      keys = try read(
        try SecretFile.read(documentName, in: folder, bytesMax: documentBytesMax), "\(folder)/\(documentName)")
      if !keys.begins(with: family) { keys.add(.make(family), at: now) }
      try write(keys, to: folder)
    case .database(let secret):
      let bytes = try change(secret) { keys in
        if keys.begins(with: family) { return nil }
        keys.add(.make(family), at: now)
        return keys.members.count
      }.bytes
      keys = try read(bytes, documentName)
    }
    return keys
  }

  /// Whether other servers store their keys in the same place. Reading and changing them then waits for the database.
  var isShared: Bool { if case .database = place { true } else { false } }

  /// Returns a token with these claims, signed by the newest key.
  func sign(_ claims: JSONObject, at now: WallInstant) -> String {
    let member = newest(at: now)
    let header: JSONObject = [
      "alg": .string(algorithm.rawValue), "typ": .string("JWT"), "kid": .string(member.name),
    ]
    let text = [header, claims].map { part in
      Base64URL.encode(JSONValue.object(part).serialized)
    }.joined(separator: ".")
    return text + "." + Base64URL.encode(member.key.sign(Array(text.utf8)[...], by: algorithm))
  }

  /// Returns the claims of a token that one of the keys has signed; nil when it names none of them.
  func verify(_ token: SignedToken) throws(AccessTokenError) -> JSONValue? {
    let (found, isAbsent) = state.withLock { state in
      (state.keys.named(token.keyName), token.keyName.map { state.absent.contains($0) } ?? true)
    }
    guard let found else {
      if isShared, !isAbsent, let name = token.keyName, name.utf8.count == KeyList.nameLength {
        throw .keyNotSeen(name)
      }
      return nil
    }
    // RFC 8725 §3.1: a key is for one algorithm, which the set names.
    let algorithm = algorithm(of: found.key)
    guard token.algorithm == algorithm.rawValue else { throw .wrongAlgorithm }
    guard found.key.verifies(token.signature, of: token.signed, by: algorithm) else { throw .wrongSignature }
    return try token.claims()
  }

  /// Returns the public set (RFC 7517 §5), the key in use first.
  func publicSet(at now: WallInstant) -> JSONValue {
    rotateWhenDue(now)
    let members = state.withLock { state in
      state.keys.dropOld(keepMilliseconds, at: now)
      return state.keys.members
    }
    return .object(["keys": .array(members.reversed().map(jwk))])
  }

  /// Makes a new key sign from now on, at all servers. Returns the number of keys in the set; nil when it is full.
  func rotate(at now: WallInstant) throws(StoreError) -> Int? {
    if case .database(let secret) = place { return try rotate(secret, now) { _ in true } }
    let number = state.withLock { state in
      state.keys.dropOld(keepMilliseconds, at: now)
      return state.keys.isFull ? nil : state.made
    }
    guard let number else { return nil }
    // Without the lock, for which each token that is signed or verified waits: making a key of RSA takes a tenth of a second.
    let key = makeKey(number)
    return try state.withLock { (state) throws(StoreError) -> Int? in
      let count = rotate(&state, now, to: key)
      if let failure = state.failure { throw failure }
      return count
    }
  }

  /// Returns the key that signs.
  private func newest(at now: WallInstant) -> KeyList.Member {
    let (number, known) = state.withLock { (dueNumber(&$0, now), $0.keys.newest(algorithm.family)) }
    if let number { rotateAside(to: number, now) }
    let member = number == nil ? known : state.withLock { $0.keys.newest(algorithm.family) }
    guard let member else { preconditionFailure("a ring has a key that signs") }
    return member
  }

  private func rotateWhenDue(_ now: WallInstant) {
    if let number = state.withLock({ dueNumber(&$0, now) }) { rotateAside(to: number, now) }
  }

  /// Returns the number of the key to make, for keys that other servers do not share; nil when no rotation is due.
  private func dueNumber(_ state: inout State, _ now: WallInstant) -> Int? {
    guard !isShared else { return nil }
    if state.keys.isFull { state.keys.dropOld(keepMilliseconds, at: now) }
    guard !state.isMakingKey, isDue(state.keys, now) else { return nil }
    state.isMakingKey = true
    return state.made
  }

  /// The key in use signs until the new one is made.
  private func rotateAside(to number: Int, _ now: WallInstant) {
    aside { [self] in
      let key = makeKey(number)
      state.withLock { state in
        state.isMakingKey = false
        // An administrator may have rotated them meanwhile.
        if isDue(state.keys, now) { _ = rotate(&state, now, to: key) }
      }
    }
  }

  private func isDue(_ keys: KeyList, _ now: WallInstant) -> Bool {
    guard !keys.isFull, let interval = intervalMilliseconds, let newest = keys.newest(algorithm.family) else {
      return false
    }
    return now.milliseconds(since: newest.madeAt) >= interval
  }

  /// Returns the number of keys; nil when there is no room. A key that cannot be stored signs until the process ends.
  private func rotate(_ state: inout State, _ now: WallInstant, to key: SignatureKey) -> Int? {
    guard let count = state.keys.rotate(to: { key }, at: now) else { return nil }
    state.made += 1
    guard case .folder(let folder) = place else { return count }
    do throws(StoreError) {
      try KeyRing.write(state.keys, to: folder)
      state.failure = nil
    } catch { state.failure = error }
    return count
  }

  private func makeKey(_ number: Int) -> SignatureKey {
    if case .stock = place { VirtualSigningKeys.key(algorithm.family, number: number) } else { .make(algorithm.family) }
  }

  private func jwk(_ member: KeyList.Member) -> JSONValue {
    var members: JSONObject = [
      "kid": .string(member.name), "use": .string("sig"), "alg": .string(algorithm(of: member.key).rawValue),
    ]
    for member in member.key.publicMembers { members["\(member.name)"] = .string(member.value) }
    return .object(members)
  }

  /// Returns the algorithm of a key; one of a previous provider may be of another kind.
  private func algorithm(of key: SignatureKey) -> SignatureAlgorithm {
    key.family == algorithm.family ? algorithm : key.family == .rsa ? .rs256 : .es256
  }

  private static func read(_ bytes: [UInt8]?, _ place: String) throws(StoreError) -> KeyList {
    guard let bytes else { return KeyList() }
    guard let keys = KeyList(bytes) else {
      throw StoreError(
        code: .damaged, message: "\(place) has no keys; restore it, or delete it to get new ones")
    }
    return keys
  }

  private static func write(_ keys: KeyList, to folder: String) throws(StoreError) {
    do throws(WholeFile.Failure) {
      try WholeFile.write(keys.bytes, to: "\(folder)/\(documentName)", mode: 0o600)
    } catch {
      throw StoreError(code: .folderNotUsable, message: "cannot write \(error.path): \(error.reason)")
    }
  }
}

/// Limits database look-ups that unauthenticated clients can trigger: a burst of ten, five per second on average.
struct KeyLookupLimit {
  private static let (cost, credit) = (Nanoseconds.milliseconds(200), Nanoseconds.milliseconds(2_000))
  /// The time that the cost of all looks so far extends to.
  private var spentUntil: MonotonicInstant?

  mutating func allows(_ now: MonotonicInstant) -> Bool {
    let end = max(spentUntil ?? now, now) + KeyLookupLimit.cost
    guard end - now <= KeyLookupLimit.credit else { return false }
    spentUntil = end
    return true
  }
}

/// Keys shared by servers. All calls wait for the database.
extension KeyRing {
  /// Applies the servers' keys, which `read` returns, and rotates when it is time. Only one of the servers does so.
  func follow(at now: WallInstant, _ read: () throws(StoreError) -> [UInt8]?) throws(StoreError) {
    guard case .database(let secret) = place else { return }
    try copy.withLock { (copy) throws(StoreError) in take(try read(), &copy) }
    guard state.withLock({ isDue($0.keys, now) }) else { return }
    do throws(StoreError) { _ = try rotate(secret, now) { isDue($0, now) } } catch {
      // The key in use remains, and the next call tries again.
    }
  }

  /// Reads the keys of all servers, so that a published set includes them. The known keys stay when reading fails.
  func refresh(since asked: MonotonicInstant) { _ = copy.withLock { look(&$0, since: asked) } }

  /// Returns a function that looks for a key of this name made by another server. Until it has run, `verify` reports the key as
  /// not seen.
  func looking(for name: String) -> @Sendable () -> Void {
    let asked = SystemClock().monotonicNow
    return { [self] in
      copy.withLock { copy in
        // Another token has named it before.
        guard state.withLock({ $0.keys.named(name) }) == nil, look(&copy, since: asked) else { return }
        state.withLock { state in
          guard state.keys.named(name) == nil else { return }
          if state.absent.count >= KeyRing.absentMax { state.absent = [] }
          state.absent.insert(name)
        }
      }
    }
  }

  /// Returns whether the keys are at least as new as the database was at `asked`. Names come from untrusted clients: with too
  /// many of them it returns false without looking.
  private func look(_ copy: inout Copy, since asked: MonotonicInstant) -> Bool {
    guard case .database(let secret) = place else { return true }
    if let begunAt = copy.begunAt, begunAt >= asked { return copy.isRead }
    let now = SystemClock().monotonicNow
    guard copy.budget.allows(now) else { return false }
    (copy.begunAt, copy.isRead) = (now, false)
    do throws(StoreError) {
      take(try secret.read(), &copy)
      copy.isRead = true
    } catch {
      // The writer reports what is wrong with the database.
    }
    return copy.isRead
  }

  /// Returns the number of keys; nil when no rotation is due, or there is no room.
  private func rotate(
    _ secret: SharedSecret, _ now: WallInstant, when isWanted: (KeyList) -> Bool
  ) throws(StoreError) -> Int? {
    var new: SignatureKey?
    return try copy.withLock { (copy) throws(StoreError) -> Int? in
      let (bytes, count) = try KeyRing.change(secret) { keys in
        keys.dropOld(keepMilliseconds, at: now)
        guard isWanted(keys) else { return nil }
        return keys.rotate(
          to: {
            let key = new ?? .make(algorithm.family)
            new = key
            return key
          }, at: now)
      }
      take(bytes, &copy)
      return count
    }
  }

  /// Returns the new content of the database, and the result of the change. When another server changes it meanwhile, the
  /// change is applied again to the new content; the result is nil when there is nothing to change.
  private static func change(
    _ secret: SharedSecret, _ change: (inout KeyList) -> Int?
  ) throws(StoreError) -> (bytes: [UInt8], count: Int?) {
    while true {
      let seen = try secret.read()
      var keys = try read(seen, "\(secret.name) in the table secrets of the database")
      guard let count = change(&keys) else { return (seen ?? keys.bytes, nil) }
      let bytes = keys.bytes
      if try secret.replace(seen, by: bytes) { return (bytes, count) }
    }
  }

  /// Takes over the keys of a document; one that this program cannot read is ignored.
  private func take(_ bytes: [UInt8]?, _ copy: inout Copy) {
    guard let bytes, bytes != copy.bytes, let keys = KeyList(bytes), keys.newest(algorithm.family) != nil else {
      return
    }
    copy.bytes = bytes
    state.withLock { ($0.keys, $0.absent) = (keys, []) }
  }
}
