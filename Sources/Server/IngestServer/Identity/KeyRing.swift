import Base
import JSON
import Shell
import Store
import Synchronization

/// The keys of the tokens that this server issues in the name of a provider. The newest signs; one that was replaced stays in the
/// public set until the last token that it has signed is over.
final class KeyRing: Sendable {
  private struct Member {
    let name: String
    let key: SignatureKey
    let madeAt: WallInstant
    var retiredAt: WallInstant?
  }

  private struct State {
    /// The newest last; never empty.
    var entries: [Member]
    /// A file that could not be written, of which the next rotation tells.
    var failure: String?
  }

  let algorithm: SignatureAlgorithm
  /// How long a token can live after its key was replaced.
  private let keepMilliseconds: Int64
  private let intervalMilliseconds: Int64?
  /// Nil for keys that end with the process.
  private let path: String?
  private let state: Mutex<State>

  /// In memory; `now` is when the first key is made.
  init(_ algorithm: SignatureAlgorithm, keep: Nanoseconds, interval: Nanoseconds?, at now: WallInstant) {
    self.algorithm = algorithm
    (keepMilliseconds, intervalMilliseconds, path) = (keep.wholeMilliseconds, interval?.wholeMilliseconds, nil)
    state = Mutex(State(entries: [Self.make(algorithm, at: now)]))
  }

  /// Kept in a file of the data folder.
  init(
    _ algorithm: SignatureAlgorithm, keep: Nanoseconds, interval: Nanoseconds?, at now: WallInstant, in folder: String
  ) throws(ServerError) {
    self.algorithm = algorithm
    (keepMilliseconds, intervalMilliseconds) = (keep.wholeMilliseconds, interval?.wholeMilliseconds)
    let path = folder + "/" + Self.fileName
    self.path = path
    let bytes: [UInt8]?
    do throws(StoreError) {
      bytes = try SecretFile.read(Self.fileName, in: folder, bytesMax: Self.fileBytesMax)
    } catch { throw ServerError(error) }
    guard let known = Self.entries(bytes ?? Array("[]".utf8)) else {
      throw ServerError(configuration: "\(path) has no keys; restore it, or delete it to get new ones")
    }
    // Those of another provider sign by another algorithm: they only stay to check what they have signed.
    var entries = known
    if entries.last?.key.family != algorithm.family { entries.append(Self.make(algorithm, at: now)) }
    state = Mutex(State(entries: entries))
    if let failure = Self.save(entries, to: path) { throw ServerError(configuration: failure) }
  }

  private static let fileName = "identity.keys"
  private static let fileBytesMax = 1_048_576

  /// The token with these claims, signed by the newest key.
  func sign(_ claims: JSONObject, at now: WallInstant) -> String {
    let entry = state.withLock { state in
      rotateWhenDue(&state, now)
      return state.entries[state.entries.count - 1]
    }
    let header: JSONObject = [
      "alg": .string(algorithm.rawValue), "typ": .string("JWT"), "kid": .string(entry.name),
    ]
    let text = [header, claims].map { part in
      var writer = JSONWriter(capacity: 512)
      JSONValue.object(part).write(to: &writer)
      return Base64URL.encode(writer.bytes)
    }.joined(separator: ".")
    return text + "." + Base64URL.encode(entry.key.sign(Array(text.utf8)[...], by: algorithm))
  }

  /// The claims of a token that one of the keys has signed. Nil: it names none of them.
  func verify(_ token: SignedToken) throws(AccessTokenError) -> JSONValue? {
    let entry = state.withLock { $0.entries.first { $0.name == token.keyName } }
    guard let entry else { return nil }
    // RFC 8725 §3.1: a key is for one algorithm, the one that the set names.
    let algorithm = algorithm(of: entry.key)
    guard token.algorithm == algorithm.rawValue else { throw .wrongAlgorithm }
    guard entry.key.verifies(token.signature, of: token.signed, by: algorithm) else { throw .wrongSignature }
    return try token.claims()
  }

  /// The public set (RFC 7517 §5), the key in use first.
  func publicSet(at now: WallInstant) -> JSONValue {
    let entries = state.withLock { state in
      rotateWhenDue(&state, now)
      dropOld(&state, now)
      return state.entries
    }
    return .object(["keys": .array(entries.reversed().map(jwk))])
  }

  /// A new key signs from now on. How many the set has then, or why it could not be kept.
  func rotate(at now: WallInstant) -> Result<Int, KeySetError> {
    state.withLock { state in
      rotate(&state, now)
      dropOld(&state, now)
      if let failure = state.failure { return .failure(KeySetError(failure)) }
      return .success(state.entries.count)
    }
  }

  private func rotateWhenDue(_ state: inout State, _ now: WallInstant) {
    guard let interval = intervalMilliseconds, let newest = state.entries.last,
      now.milliseconds(since: newest.madeAt) >= interval
    else { return }
    rotate(&state, now)
  }

  private func rotate(_ state: inout State, _ now: WallInstant) {
    state.entries[state.entries.count - 1].retiredAt = now
    state.entries.append(Self.make(algorithm, at: now))
    if let path { state.failure = Self.save(state.entries, to: path) }
  }

  private func dropOld(_ state: inout State, _ now: WallInstant) {
    state.entries.removeAll { entry in
      entry.retiredAt.map { now.milliseconds(since: $0) > keepMilliseconds } ?? false
    }
  }

  private func jwk(_ entry: Member) -> JSONValue {
    var members: JSONObject = [
      "kid": .string(entry.name), "use": .string("sig"), "alg": .string(algorithm(of: entry.key).rawValue),
    ]
    for member in entry.key.publicMembers { members["\(member.name)"] = .string(member.value) }
    return .object(members)
  }

  /// A key of another provider that was posed as before may be of another kind.
  private func algorithm(of key: SignatureKey) -> SignatureAlgorithm {
    key.family == algorithm.family ? algorithm : key.family == .rsa ? .rs256 : .es256
  }

  private static func make(_ algorithm: SignatureAlgorithm, at now: WallInstant) -> Member {
    let key = SignatureKey.make(algorithm.family)
    return Member(name: name(of: key), key: key, madeAt: now)
  }

  /// Follows from the key, so that no two keys ever share a name.
  private static func name(of key: SignatureKey) -> String {
    let text = key.publicMembers.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return Base64URL.encode(Array(Cryptography.sha256(Array(text.utf8)).prefix(18)))
  }
}

/// The file: an array, the newest key last.
extension KeyRing {
  private static func entries(_ bytes: [UInt8]) -> [Member]? {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: bytes.span) } catch { return nil }
    guard case .array(let list) = document else { return nil }
    let entries = list.compactMap { value -> Member? in
      guard case .string(let text)? = value["key"], let bytes = Base64URL.decode(Array(text.utf8)[...]),
        let key = SignatureKey(privateBytes: bytes), case .integer(let made)? = value["made"],
        let madeAt = WallInstant(exactly: made)
      else { return nil }
      var entry = Member(name: name(of: key), key: key, madeAt: madeAt)
      if case .integer(let retired)? = value["retired"] { entry.retiredAt = WallInstant(exactly: retired) }
      return entry
    }
    return entries.count == list.count ? entries : nil
  }

  /// What went wrong.
  private static func save(_ entries: [Member], to path: String) -> String? {
    let list = entries.map { entry in
      var members: JSONObject = [
        "key": .string(Base64URL.encode(entry.key.privateBytes)), "made": .integer(entry.madeAt.millisecondsSince1970),
      ]
      members["retired"] = entry.retiredAt.map { .integer($0.millisecondsSince1970) }
      return JSONValue.object(members)
    }
    var writer = JSONWriter(capacity: 4_096)
    JSONValue.array(list).write(to: &writer)
    do throws(WholeFile.Failure) {
      try WholeFile.write(writer.bytes, to: path, mode: 0o600)
      return nil
    } catch {
      return "cannot write \(error.path): \(error.reason)"
    }
  }
}
