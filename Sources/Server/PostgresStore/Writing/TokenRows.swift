import Base
import Database
import Store

/// The token families of a set of jobs, and the changes that the jobs make. `TokenRules` decides which tokens are valid, here
/// on rows that were read beforehand. Families whose refresh tokens are presented stay locked.
final class TokenRows {
  fileprivate struct Family {
    let device: DeviceIdentity
    let accessFrom: Int64
    var state: Int64
    /// The columns that only a refresh needs.
    var expires: Int64 = 0
    var current: UUID128?
    var previous: UUID128?
    var rotated: Int64?
    var answer: [UInt8]?
    var isNew = false
    var isChanged = false
  }

  private var credentials: Set<Int64> = []
  private var presented: Set<UUID128> = []
  private var beginCount = 0
  private var numbers: ArraySlice<Int64> = []
  private var families: [Int64: Family] = [:]
  private var familyOfHash: [UUID128: Int64] = [:]
  private var usedHashes: [UUID128] = []
  private var newHashes: [(hash: UUID128, family: Int64)] = []
  /// Refreshes and their successors, whose grace period restarts when the answer to the commit is lost.
  private(set) var rotations: [(family: Int64, successor: UUID128)] = []

  func add(_ credential: TokenCredential) { credentials.insert(credential.family) }
  func add(_ rotation: TokenRotation) { presented.insert(rotation.presented) }
  func addFamily() { beginCount += 1 }

  func begin(_ family: TokenFamily) -> StoreResult {
    guard let id = numbers.popFirst() else { preconditionFailure("each family that begins has a number") }
    families[id] = Family(
      device: family.device, accessFrom: 0, state: FamilyState.good, expires: family.expiresAt.millisecondsSince1970,
      current: family.refresh, isNew: true)
    keep(family.refresh, of: id)
    return .family(id)
  }

  private func keep(_ hash: UUID128, of family: Int64) {
    newHashes.append((hash, family))
    familyOfHash[hash] = family
  }

  func rotate(_ rotation: TokenRotation, now: Int64) -> StoreResult {
    guard let id = familyOfHash[rotation.presented], var family = families[id] else { return .refused(.unknown) }
    let token = FoundRefreshToken(
      state: family.state, expires: family.expires, isCurrent: family.current == rotation.presented,
      isPrevious: family.previous == rotation.presented, rotated: family.rotated ?? 0)
    defer { families[id] = family }
    switch TokenRules.verdict(on: rotation, of: token, now: now) {
    case .refused(let refusal): return .refused(refusal)
    case .prolonged:
      family.expires = rotation.expiresAt.millisecondsSince1970
      family.isChanged = true
      return .rotated(family: id)
    case .rotated:
      family.previous = family.current
      family.current = rotation.successor
      family.rotated = now
      family.answer = rotation.answer
      family.expires = rotation.expiresAt.millisecondsSince1970
      family.isChanged = true
      usedHashes.append(rotation.presented)
      keep(rotation.successor, of: id)
      rotations.append((id, rotation.successor))
      return .rotated(family: id)
    case .repeated: return .rotatedBefore(family: id, answer: family.answer ?? [])
    case .replayed:
      family.state = FamilyState.revoked
      family.isChanged = true
      return .refused(.replayed)
    }
  }

  /// Returns nil when an access token of this family may write as this device.
  func refusal(of credential: TokenCredential, for device: DeviceIdentity) -> TokenRefusal? {
    let family = families[credential.family].map {
      FoundFamily(device: $0.device, accessFrom: $0.accessFrom, state: $0.state)
    }
    return TokenRules.refusal(of: credential, for: device, family: family)
  }
}

extension TokenRows {
  func load(_ round: PostgresRound) throws(PostgresRound.Failure) {
    if !credentials.isEmpty {
      var arguments = PostgresArguments()
      arguments.add(integers: credentials, of: { $0 })
      try round.send(
        "SELECT id, run, device, access_from, is_revoked FROM token_families WHERE id = ANY($1::int8[])", arguments
      ) { [self] result in
        for row in 0..<result.count { families[result.integer(row, 0)] = Family(result, row) }
      }
    }
    if !presented.isEmpty {
      var arguments = PostgresArguments()
      arguments.add(uuids: presented, of: { $0 })
      try round.send(
        """
        SELECT id, run, device, access_from, is_revoked, expires, current, previous, rotated, answer, hash
        FROM refresh_tokens JOIN token_families ON id = family WHERE hash = ANY($1::uuid[])
        ORDER BY id FOR NO KEY UPDATE OF token_families
        """, arguments
      ) { [self] result in
        for row in 0..<result.count {
          families[result.integer(row, 0)] = Family(whole: result, row)
          if let hash = result.identity(row, 10) { familyOfHash[hash] = result.integer(row, 0) }
        }
      }
    }
    guard beginCount > 0 else { return }
    try round.sendNumbers(of: "family_ids", count: beginCount) { [self] in numbers = $0[...] }
  }

  func write(_ round: PostgresRound, now: Int64) throws(PostgresRound.Failure) {
    let new = families.filter { $0.value.isNew }.sorted { $0.key < $1.key }
    if !new.isEmpty {
      try round.send(
        """
        INSERT INTO token_families(id, run, device, created, expires, is_revoked, current, previous, rotated, answer)
        SELECT id, run, device, $9::int8, expires, is_revoked, current, previous, rotated, answer
        FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::uuid[], $5::uuid[], $6::int8[], $7::bytea[], $8::text[], $10::text[])
          AS new(id, expires, is_revoked, current, previous, rotated, answer, run, device)
        """, arguments(of: new, now: now))
    }
    let changed = families.filter { $0.value.isChanged && !$0.value.isNew }.sorted { $0.key < $1.key }
    if !changed.isEmpty {
      try round.send(
        """
        UPDATE token_families SET expires = new.expires, is_revoked = new.is_revoked, current = new.current,
          previous = new.previous, rotated = new.rotated, answer = new.answer
        FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::uuid[], $5::uuid[], $6::int8[], $7::bytea[])
          AS new(id, expires, is_revoked, current, previous, rotated, answer)
        WHERE token_families.id = new.id
        """, arguments(of: changed, now: nil))
    }
    try writeHashes(round, now: now)
  }

  private func arguments(of rows: [(key: Int64, value: Family)], now: Int64?) -> PostgresArguments {
    var arguments = PostgresArguments()
    arguments.add(integers: rows, of: { $0.key })
    arguments.add(integers: rows, of: { $0.value.expires })
    arguments.add(integers: rows, of: { $0.value.state })
    arguments.add(uuids: rows, of: { $0.value.current })
    arguments.add(uuids: rows, of: { $0.value.previous })
    arguments.add(integers: rows, of: { $0.value.rotated })
    arguments.add(blobs: rows, of: { $0.value.answer })
    guard let now else { return arguments }
    arguments.add(texts: rows, of: { $0.value.device.run })
    arguments.add(now)
    arguments.add(texts: rows, of: { $0.value.device.name })
    return arguments
  }

  private func writeHashes(_ round: PostgresRound, now: Int64) throws(PostgresRound.Failure) {
    if !newHashes.isEmpty {
      var arguments = PostgresArguments()
      arguments.add(uuids: newHashes, of: { $0.hash })
      arguments.add(integers: newHashes, of: { $0.family })
      try round.send(
        "INSERT INTO refresh_tokens(hash, family) SELECT * FROM unnest($1::uuid[], $2::int8[])", arguments)
    }
    guard !usedHashes.isEmpty else { return }
    var used = PostgresArguments()
    used.add(uuids: usedHashes, of: { $0 })
    used.add(now)
    try round.send("UPDATE refresh_tokens SET used = $2::int8 WHERE hash = ANY($1::uuid[])", used)
    var old = PostgresArguments()
    old.add(integers: rotations, of: { $0.family })
    old.add(now - TokenRules.keptMilliseconds)
    try round.send("DELETE FROM refresh_tokens WHERE family = ANY($1::int8[]) AND used < $2::int8", old)
  }
}

extension TokenRows.Family {
  fileprivate init(_ result: PostgresResult, _ row: Int) {
    device = DeviceIdentity(run: result.text(row, 1), name: result.text(row, 2))
    accessFrom = result.integer(row, 3)
    state = result.integer(row, 4)
  }

  fileprivate init(whole result: PostgresResult, _ row: Int) {
    self.init(result, row)
    expires = result.integer(row, 5)
    current = result.identity(row, 6)
    previous = result.identity(row, 7)
    rotated = result.optionalInteger(row, 8)
    answer = result.isNull(row, 9) ? nil : result.blob(row, 9)
  }
}
