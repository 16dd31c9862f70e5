package import Base
import Database

/// The claims of an access token; the caller has verified its signature and expiry.
package struct TokenCredential: Sendable {
  package var family: Int64
  package var issuedAt: WallInstant
  /// Whether a token is required; otherwise only a token of a deleted device is refused.
  package var isBinding: Bool

  package init(family: Int64, issuedAt: WallInstant, isBinding: Bool = true) {
    self.family = family
    self.issuedAt = issuedAt
    self.isBinding = isBinding
  }
}

/// The tokens that descend from one registration. The store has only hashes of refresh tokens.
package struct TokenFamily: Sendable {
  package var device: DeviceIdentity
  /// A hash of the first refresh token, which no client has had before.
  package var refresh: UUID128
  package var expiresAt: WallInstant

  package init(device: DeviceIdentity, refresh: UUID128, expiresAt: WallInstant) {
    self.device = device
    self.refresh = refresh
    self.expiresAt = expiresAt
  }
}

/// A refresh: the presented token is used up and a successor replaces it. A token that is its own successor remains, with a
/// longer lifetime.
package struct TokenRotation: Sendable {
  /// A hash of the token in the request.
  package var presented: UUID128
  /// A hash of its successor, which no client has had before.
  package var successor: UUID128
  /// The data that the caller needs to send the same successor again if the answer is lost. It is kept until the successor is
  /// used; encrypt it if it must not be readable in the file.
  package var answer: [UInt8]
  package var expiresAt: WallInstant
  /// How long the used token still gets the same successor; after that it counts as stolen and its family is revoked.
  package var graceMilliseconds: Int64

  package init(
    presented: UUID128, successor: UUID128, answer: [UInt8], expiresAt: WallInstant, graceMilliseconds: Int64 = 30_000
  ) {
    self.presented = presented
    self.successor = successor
    self.answer = answer
    self.expiresAt = expiresAt
    self.graceMilliseconds = graceMilliseconds
  }
}

/// Why a token is refused.
package enum TokenRefusal: String, Equatable, Sendable {
  /// The token belongs to no family, or its run was reset.
  case unknown
  case expired
  case revoked
  /// A used refresh token was presented after the grace period; its family is now revoked.
  case replayed
  /// The family belongs to another device.
  case wrongDevice
  /// An administrator has deleted the device, and it has not registered again since.
  case deviceDeleted
}

/// The tokens in the store: refresh tokens by their hash, each used once; access tokens by their family.
struct TokenRegistry {
  let connection: StoreConnection
  let capacity: Int
  private var families: [Int64: FoundFamily] = [:]

  init(on connection: StoreConnection, capacity: Int) {
    self.connection = connection
    self.capacity = capacity
  }

  mutating func begin(_ family: TokenFamily, now: Int64) throws(DatabaseError) -> Int64 {
    let hash = family.refresh.bytes
    try connection.with(
      """
      INSERT INTO token_families(run, device, created, expires, access_from, is_revoked, current)
      VALUES(?1, ?2, ?3, ?4, 0, 0, ?5)
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: family.device.run.utf8.span)
      row.bind(2, text: family.device.name.utf8.span)
      row.bind(3, now)
      row.bind(4, family.expiresAt.millisecondsSince1970)
      row.bind(5, blob: hash.span)
      try row.run()
    }
    let id = connection.database.lastInsertedRowID
    try keep(family.refresh, of: id)
    return id
  }

  private func keep(_ refresh: UUID128, of family: Int64) throws(DatabaseError) {
    let hash = refresh.bytes
    try connection.with(
      "INSERT INTO refresh_tokens(hash, family) VALUES(?1, ?2)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, blob: hash.span)
      row.bind(2, family)
      try row.run()
    }
  }

  private struct Refresh {
    let family: Int64
    let token: FoundRefreshToken
    let answer: [UInt8]
  }

  private func find(_ presented: UUID128) throws(DatabaseError) -> Refresh? {
    let hash = presented.bytes
    let found: Refresh? = try connection.with(
      """
      SELECT id, expires, is_revoked, current = ?1, previous IS ?1, rotated, answer
      FROM refresh_tokens JOIN token_families ON id = family WHERE hash = ?1
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, blob: hash.span)
      guard try row.step() else { return nil }
      let token = FoundRefreshToken(
        state: row.integer(at: 2), expires: row.integer(at: 1), isCurrent: row.integer(at: 3) == 1,
        isPrevious: row.integer(at: 4) == 1, rotated: row.integer(at: 5))
      return Refresh(family: row.integer(at: 0), token: token, answer: row.blob(at: 6))
    }
    return found
  }

  mutating func rotate(_ rotation: TokenRotation, now: Int64) throws(DatabaseError) -> StoreResult {
    guard let found = try find(rotation.presented) else { return .refused(.unknown) }
    switch TokenRules.verdict(on: rotation, of: found.token, now: now) {
    case .refused(let refusal): return .refused(refusal)
    case .prolonged:
      try connection.run(
        "UPDATE token_families SET expires = ?2 WHERE id = ?1", found.family, rotation.expiresAt.millisecondsSince1970)
      return .rotated(family: found.family)
    case .rotated:
      try replaceCurrent(of: found.family, by: rotation, now: now)
      return .rotated(family: found.family)
    case .repeated: return .rotatedBefore(family: found.family, answer: found.answer)
    case .replayed:
      try revoke(.family(found.family))
      return .refused(.replayed)
    }
  }

  private func replaceCurrent(of family: Int64, by rotation: TokenRotation, now: Int64) throws(DatabaseError) {
    let successor = rotation.successor.bytes
    try connection.with(
      """
      UPDATE token_families SET previous = current, current = ?2, rotated = ?3, answer = ?4, expires = ?5 WHERE id = ?1
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, family)
      row.bind(2, blob: successor.span)
      row.bind(3, now)
      row.bind(4, blob: rotation.answer.span)
      row.bind(5, rotation.expiresAt.millisecondsSince1970)
      try row.run()
    }
    try connection.run(
      "DELETE FROM refresh_tokens WHERE family = ?1 AND used < ?2", family, now - TokenRules.keptMilliseconds)
    let presented = rotation.presented.bytes
    try connection.with(
      "UPDATE refresh_tokens SET used = ?2 WHERE hash = ?1"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, blob: presented.span)
      row.bind(2, now)
      try row.run()
    }
    try keep(rotation.successor, of: family)
  }

  /// Returns nil when an access token of this family may write as this device.
  mutating func refusal(
    of credential: TokenCredential, for device: DeviceIdentity
  ) throws(DatabaseError) -> TokenRefusal? {
    if families[credential.family] == nil { try remember(credential.family) }
    return TokenRules.refusal(of: credential, for: device, family: families[credential.family])
  }

  private mutating func remember(_ id: Int64) throws(DatabaseError) {
    if families.count >= capacity { families.removeAll() }
    families[id] = try connection.with(
      "SELECT run, device, access_from, is_revoked FROM token_families WHERE id = ?1"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, id)
      guard try row.step() else { return nil }
      return FoundFamily(
        device: DeviceIdentity(run: row.text(at: 0), name: row.text(at: 1)), accessFrom: row.integer(at: 2),
        state: row.integer(at: 3))
    }
  }

  @discardableResult
  mutating func revoke(_ selection: TokenSelection) throws(DatabaseError) -> Int {
    try update("is_revoked = ?1", selection, value: FamilyState.revoked)
  }

  mutating func expire(_ selection: TokenSelection, now: Int64) throws(DatabaseError) -> Int {
    try update("access_from = ?1", selection, value: now + 1)
  }

  private mutating func update(
    _ change: String, _ selection: TokenSelection, value: Int64
  ) throws(DatabaseError) -> Int {
    families.removeAll()
    let sql = "UPDATE token_families SET \(change) WHERE is_revoked = 0"
    switch selection {
    case .all: return try connection.run(sql, value)
    case .family(let id): return try connection.run(sql + " AND id = ?2", value, id)
    case .run(let run): return try update(sql + " AND run = ?2", value, run, nil)
    case .device(let device): return try update(sql + " AND run = ?2 AND device = ?3", value, device.run, device.name)
    }
  }

  private func update(_ sql: String, _ value: Int64, _ run: String, _ name: String?) throws(DatabaseError) -> Int {
    try connection.with(sql) { (statement: inout Statement) throws(DatabaseError) in
      let device = name ?? ""
      var row = statement.start()
      row.bind(1, value)
      row.bind(2, text: run.utf8.span)
      if name == nil {
        try row.run()
      } else {
        row.bind(3, text: device.utf8.span)
        try row.run()
      }
    }
    return Int(connection.database.changes)
  }

  /// Called when a device is deleted. Its families remain until they expire, so that their tokens can be told from forged ones;
  /// the text of the last refresh token is deleted. Returns the number of families.
  mutating func delete(_ device: DeviceIdentity) throws(DatabaseError) -> Int {
    families.removeAll()
    let sql = "UPDATE token_families SET is_revoked = ?1, answer = NULL WHERE is_revoked != ?1"
    return try update(sql + " AND run = ?2 AND device = ?3", FamilyState.deleted, device.run, device.name)
  }

  mutating func forget() { families.removeAll() }
}
