import Base
import JSON
import TLS

/// Keys that sign tokens, the newest last, and their serialization: an array in the same order.
struct KeyList {
  struct Member {
    let name: String
    let key: SignatureKey
    let madeAt: WallInstant
    /// When another key replaced it.
    var retiredAt: WallInstant?
  }

  private(set) var members: [Member] = []

  func named(_ name: String?) -> Member? { members.first { $0.name == name } }

  /// Returns the key that signs by an algorithm of this family.
  func newest(_ family: SignatureKey.Family) -> Member? { members.last { $0.key.family == family } }

  /// Keys of another provider have another algorithm: they only remain to verify what they have signed.
  func begins(with family: SignatureKey.Family) -> Bool { members.last?.key.family == family }

  mutating func add(_ key: SignatureKey, at now: WallInstant) {
    members.append(Member(name: KeyList.name(of: key), key: key, madeAt: now))
  }

  /// Adds a new key, which signs from now on. Returns the number of keys; nil when there is no room, in which case no key is
  /// made.
  mutating func rotate(to makeKey: () -> SignatureKey, at now: WallInstant) -> Int? {
    guard !isFull else { return nil }
    let key = makeKey()
    if let last = members.lastIndex(where: { $0.key.family == key.family }) { members[last].retiredAt = now }
    add(key, at: now)
    return members.count
  }

  /// Readers of a set, including this server, accept no more keys; a further one must wait until tokens of an old one have
  /// expired.
  var isFull: Bool { members.count >= JSONWebKeySet.keysMax }

  /// Removes the keys that were replaced longer ago.
  mutating func dropOld(_ milliseconds: Int64, at now: WallInstant) {
    members.removeAll { member in
      member.retiredAt.map { now.milliseconds(since: $0) > milliseconds } ?? false
    }
  }

  /// Derived from the key, so that no two keys share a name.
  private static func name(of key: SignatureKey) -> String {
    let text = key.publicMembers.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return Base64URL.encode(Array(Cryptography.sha256(Array(text.utf8)).prefix(18)))
  }

  /// The length of such a name.
  static let nameLength = 24
}

/// The serialization.
extension KeyList {
  /// Returns nil when the bytes are not such a document.
  init?(_ bytes: [UInt8]) {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: bytes.span) } catch { return nil }
    guard case .array(let list) = document else { return nil }
    members = list.compactMap { value -> Member? in
      guard case .string(let text)? = value["key"], let bytes = Base64URL.decode(Array(text.utf8)[...]),
        let key = SignatureKey(privateBytes: bytes), case .integer(let made)? = value["made"],
        let madeAt = WallInstant(exactly: made)
      else { return nil }
      var member = Member(name: KeyList.name(of: key), key: key, madeAt: madeAt)
      if case .integer(let retired)? = value["retired"] { member.retiredAt = WallInstant(exactly: retired) }
      return member
    }
    guard members.count == list.count else { return nil }
  }

  var bytes: [UInt8] {
    let list = members.map { member in
      var members: JSONObject = [
        "key": .string(Base64URL.encode(member.key.privateBytes)),
        "made": .integer(member.madeAt.millisecondsSince1970),
      ]
      members["retired"] = member.retiredAt.map { .integer($0.millisecondsSince1970) }
      return JSONValue.object(members)
    }
    return JSONValue.array(list).serialized
  }
}
