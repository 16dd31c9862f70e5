import Base
import Database

/// Sent commands that a record can confirm, cached in memory so that an upload of a device without any costs one dictionary
/// lookup. At most one of a kind per device: a later order replaces an earlier one, which no record could confirm any more.
struct ProofBook {
  private struct Awaited {
    let command: Int64
    let proof: CommandProof
    let sent: Int64
  }

  private let connection: StoreConnection
  private var awaited: [Int64: [Awaited]] = [:]

  init(on connection: StoreConnection) throws(DatabaseError) {
    self.connection = connection
    var rows: [(Int64, Awaited)] = []
    try connection.with(
      "SELECT device, command, kind, value, sent FROM proofs ORDER BY device, kind"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while try row.step() {
        guard let proof = CommandProof(kind: row.integer(at: 2), value: row.double(at: 3)) else { continue }
        rows.append((row.integer(at: 0), Awaited(command: row.integer(at: 1), proof: proof, sent: row.integer(at: 4))))
      }
    }
    for (device, entry) in rows { awaited[device, default: []].append(entry) }
  }

  /// Called when the command is sent to the device.
  mutating func sent(
    _ command: Int64, _ proof: CommandProof, to device: Int64, now: Int64
  ) throws(DatabaseError) {
    let (kind, value) = proof.columns
    awaited[device, default: []].removeAll { $0.proof.columns.kind == kind }
    awaited[device, default: []].append(Awaited(command: command, proof: proof, sent: now))
    try connection.with(
      "INSERT OR REPLACE INTO proofs(device, kind, command, value, sent) VALUES(?1, ?2, ?3, ?4, ?5)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, device)
      row.bind(2, kind)
      row.bind(3, command)
      row.bind(4, value)
      row.bind(5, now)
      try row.run()
    }
  }

  /// Called when the command did not reach the device, or was confirmed.
  mutating func drop(_ command: Int64, of device: Int64) throws(DatabaseError) {
    guard awaited[device]?.contains(where: { $0.command == command }) ?? false else { return }
    awaited[device]?.removeAll { $0.command == command }
    if awaited[device]?.isEmpty ?? false { awaited[device] = nil }
    try connection.run("DELETE FROM proofs WHERE device = ?1 AND command = ?2", device, command)
  }

  /// Returns the commands confirmed by records that were made after they were sent, by the device's clock.
  func proven(by points: [Point], of device: Int64) -> [Int64] {
    guard let entries = awaited[device] else { return [] }
    return entries.filter { entry in
      points.contains { $0.recordedAt >= entry.sent && entry.proof.holds(of: $0) }
    }.map(\.command)
  }
}

extension CommandProof {
  /// The values in the tables of orders and proofs.
  package var columns: (kind: Int64, value: Double) {
    switch self {
    case .motionChange(let isMoving): (1, isMoving ? 1 : 0)
    case .odometer(let metres): (2, metres)
    }
  }

  /// Returns nil for none, and for a kind that this version does not know.
  package init?(kind: Int64, value: Double) {
    switch kind {
    case 1: self = .motionChange(isMoving: value == 1)
    case 2: self = .odometer(metres: value)
    default: return nil
    }
  }
}
