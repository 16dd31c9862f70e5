import Base
import JSON
import PostgresStore
import Shell
import Store
import Synchronization

/// The keys of the tokens that this server issues in the name of a provider. The newest signs; one that was replaced stays in the
/// public set until the last token that it has signed is over.
///
/// Servers that share a database share the keys. Each has a copy, changes what is in the database and nothing else, and looks there when
/// a token names a key that it does not know.
final class KeyRing: Sendable {
  /// Where the keys are kept.
  enum Place: Sendable {
    /// They end with the process.
    case memory
    /// As `memory`, and not for this ring alone (`VirtualSigningKeys`).
    case stock
    case folder(String)
    case database(SharedSecret)
  }

  private struct State {
    /// Has one that signs.
    var keys: KeyList
    /// How many it has had.
    var made = 1
    /// Why the keys could not be written into the folder; the next rotation reports it.
    var failure: StoreError?
    /// Names that the database does not have either.
    var absent: Set<String> = []
  }

  /// What was read from the database.
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
  private let state: Mutex<State>
  /// Locked as long as the database is read or changed, so that an older state never follows a newer one.
  private let copy = Mutex(Copy())

  /// What the keys are kept under.
  static let documentName = "identity.keys"
  private static let documentBytesMax = 1_048_576
  private static let absentMax = 256

  /// `now` is when the first key is made, where there is none.
  init(
    _ algorithm: SignatureAlgorithm, keep: Nanoseconds, interval: Nanoseconds?, at now: WallInstant,
    in place: Place = .memory
  ) throws(ServerError) {
    (self.algorithm, self.place) = (algorithm, place)
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

  /// Others keep their keys in the same place. What reads or changes them waits for the database.
  var isShared: Bool { if case .database = place { true } else { false } }

  /// The token with these claims, signed by the newest key.
  func sign(_ claims: JSONObject, at now: WallInstant) -> String {
    let member = state.withLock { state in
      rotateWhenDue(&state, now)
      return state.keys.newest(algorithm.family)
    }
    guard let member else { preconditionFailure("a ring has a key that signs") }
    let header: JSONObject = [
      "alg": .string(algorithm.rawValue), "typ": .string("JWT"), "kid": .string(member.name),
    ]
    let text = [header, claims].map { part in
      var writer = JSONWriter(capacity: 512)
      JSONValue.object(part).write(to: &writer)
      return Base64URL.encode(writer.bytes)
    }.joined(separator: ".")
    return text + "." + Base64URL.encode(member.key.sign(Array(text.utf8)[...], by: algorithm))
  }

  /// The claims of a token that one of the keys has signed. Nil: it names none of them.
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
    // RFC 8725 §3.1: a key is for one algorithm, the one that the set names.
    let algorithm = algorithm(of: found.key)
    guard token.algorithm == algorithm.rawValue else { throw .wrongAlgorithm }
    guard found.key.verifies(token.signature, of: token.signed, by: algorithm) else { throw .wrongSignature }
    return try token.claims()
  }

  /// The public set (RFC 7517 §5), the key in use first.
  func publicSet(at now: WallInstant) -> JSONValue {
    let members = state.withLock { state in
      rotateWhenDue(&state, now)
      state.keys.dropOld(keepMilliseconds, at: now)
      return state.keys.members
    }
    return .object(["keys": .array(members.reversed().map(jwk))])
  }

  /// A new key signs from now on, at all servers. How many the set has then; nil when it is full.
  func rotate(at now: WallInstant) throws(StoreError) -> Int? {
    if case .database(let secret) = place { return try rotate(secret, now) { _ in true } }
    return try state.withLock { (state) throws(StoreError) -> Int? in
      state.keys.dropOld(keepMilliseconds, at: now)
      let count = rotate(&state, now)
      if let failure = state.failure { throw failure }
      return count
    }
  }

  /// Where other servers do not share the keys.
  private func rotateWhenDue(_ state: inout State, _ now: WallInstant) {
    guard !isShared else { return }
    if state.keys.isFull { state.keys.dropOld(keepMilliseconds, at: now) }
    if isDue(state.keys, now) { _ = rotate(&state, now) }
  }

  private func isDue(_ keys: KeyList, _ now: WallInstant) -> Bool {
    guard !keys.isFull, let interval = intervalMilliseconds, let newest = keys.newest(algorithm.family) else {
      return false
    }
    return now.milliseconds(since: newest.madeAt) >= interval
  }

  /// How many keys there are then; nil when there is no room. A key that cannot be kept signs until the process ends.
  private func rotate(_ state: inout State, _ now: WallInstant) -> Int? {
    let number = state.made
    guard let count = state.keys.rotate(to: { makeKey(number) }, at: now) else { return nil }
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

  /// A key of another provider that was posed as before may be of another kind.
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

/// How often strangers make a server look at the database: ten times in a row, five times a second in the long run.
struct KeyLookupLimit {
  private static let (cost, credit) = (Nanoseconds.milliseconds(200), Nanoseconds.milliseconds(2_000))
  /// What the looks until now have cost reaches so far.
  private var spentUntil: MonotonicInstant?

  mutating func allows(_ now: MonotonicInstant) -> Bool {
    let end = max(spentUntil ?? now, now) + KeyLookupLimit.cost
    guard end - now <= KeyLookupLimit.credit else { return false }
    spentUntil = end
    return true
  }
}

/// Keys that servers share. All of this waits for the database.
extension KeyRing {
  /// Follows what the servers have, as `read` finds it, and rotates when it is time. Of all servers one does.
  func follow(at now: WallInstant, _ read: () throws(StoreError) -> [UInt8]?) throws(StoreError) {
    guard case .database(let secret) = place else { return }
    try copy.withLock { (copy) throws(StoreError) in take(try read(), &copy) }
    guard state.withLock({ isDue($0.keys, now) }) else { return }
    do throws(StoreError) { _ = try rotate(secret, now) { isDue($0, now) } } catch {
      // The key in use goes on, and the next call tries again.
    }
  }

  /// Reads the keys of all servers, so that a set that is shown has them. What is known stays when that is not possible.
  func refresh(since asked: MonotonicInstant) { _ = copy.withLock { look(&$0, since: asked) } }

  /// What finds out whether another server has made a key of this name. Until that is known, `verify` says so.
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

  /// Whether the keys are those that the database had at that time, or later ones. Names come from strangers: with too many of them it
  /// stays open.
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
      // The writer says what is wrong with the database.
    }
    return copy.isRead
  }

  /// How many keys there are then; nil when none is wanted, or there is no room.
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

  /// What the database has then, and what the change has said. When another server changes it meanwhile, the change is made to what that
  /// one has left; nil: there is nothing to change.
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

  /// A document that this program cannot read changes nothing.
  private func take(_ bytes: [UInt8]?, _ copy: inout Copy) {
    guard let bytes, bytes != copy.bytes, let keys = KeyList(bytes), keys.newest(algorithm.family) != nil else {
      return
    }
    copy.bytes = bytes
    state.withLock { ($0.keys, $0.absent) = (keys, []) }
  }
}
