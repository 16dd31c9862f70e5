package import Base
import Database

/// A command to deliver.
package struct QueuedCommand: Sendable {
  /// The recipients. A tag or everyone means the devices that upload before the command expires, each once; a device that gets
  /// the tag after its first upload since the order is not included.
  package enum Target: Sendable {
    case device(DeviceIdentity)
    case tag(String, run: String)
    case everyone(run: String)
  }

  package var target: Target
  /// The command as the answer will contain it: a JSON array whose first element is the command's name.
  package var command: [UInt8]
  package var expiresAt: WallInstant
  /// An order is not added when an open one for the same target has its key.
  package var deduplicationKey: String?
  /// The effect on records; nil for a command without one.
  package var proof: CommandProof?

  package init(
    target: Target, command: [UInt8], expiresAt: WallInstant, deduplicationKey: String? = nil,
    proof: CommandProof? = nil
  ) {
    self.target = target
    self.command = command
    self.expiresAt = expiresAt
    self.deduplicationKey = deduplicationKey
    self.proof = proof
  }
}

/// The effect that a later record must show before a command counts as carried out.
package enum CommandProof: Equatable, Sendable {
  /// A motion change to this state.
  case motionChange(isMoving: Bool)
  /// An odometer value near this one, in metres.
  case odometer(metres: Double)

  /// How far a device may have travelled between the command and its next record.
  private static let distance = 1_000.0

  package func holds(of point: Point) -> Bool {
    switch self {
    case .motionChange(let isMoving): point.event == "motionchange" && point.isMoving == isMoving
    case .odometer(let metres): point.odometer.map { (metres - 1...metres + Self.distance).contains($0) } ?? false
    }
  }
}

/// A stored command of a kind that this version does not know: another one has queued it.
package struct UnknownOrder: Equatable, Sendable {
  package let id: Int64
  package let kind: Int64

  package init(id: Int64, kind: Int64) {
    self.id = id
    self.kind = kind
  }
}

/// A command for the answer that is about to be sent.
package struct TakenCommand: Equatable, Sendable {
  package let id: Int64
  package let command: [UInt8]

  package init(id: Int64, command: [UInt8]) {
    self.id = id
    self.command = command
  }
}

extension QueuedCommand.Target {
  /// Reads a row of SQLite's table of orders: one of an unknown kind is damage.
  init(readingKind kind: Int64, run: String, text: String) throws(DatabaseError) {
    guard let target = Self(kind: kind, run: run, text: text) else {
      throw DatabaseError(extendedCode: Self.corrupt)
    }
    self = target
  }

  /// `SQLITE_CORRUPT`, https://sqlite.org/rescode.html#corrupt
  private static let corrupt: Int32 = 11
}

extension QueuedCommand.Target: Hashable {
  package static func == (one: Self, other: Self) -> Bool {
    let (columns, others) = (one.columns, other.columns)
    return columns.kind == others.kind && columns.run.isExactly(others.run) && columns.text.isExactly(others.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(columns.kind)
    hasher.combine(exactly: columns.run)
    hasher.combine(exactly: columns.text)
  }

  /// The values in the table of orders.
  package var columns: (kind: Int64, run: String, text: String) {
    switch self {
    case .device(let identity): (0, identity.run, identity.name)
    case .tag(let tag, let run): (1, run, tag)
    case .everyone(let run): (2, run, "")
    }
  }

  /// Nil for a kind that no version has written.
  package init?(kind: Int64, run: String, text: String) {
    switch kind {
    case 0: self = .device(DeviceIdentity(run: run, name: text))
    case 1: self = .tag(text, run: run)
    case 2: self = .everyone(run: run)
    default: return nil
    }
  }
}
