/// The position of a sink: the last forwarded row of each partition. Rows of a partition are numbered in order of arrival, so
/// that everything above these numbers is still to be forwarded, and no state per record is needed. In PostgreSQL all records
/// have one order, and the position is the last forwarded record.
package struct SinkPosition: Equatable, Sendable {
  private(set) var rows: [Int64: Int64] = [:]
  private var hasOneOrder = false

  package init() {}

  /// The position in a store in which all records have one order.
  package init(behind last: ArrivalCursor) {
    rows = [last.group: last.row]
    hasOneOrder = true
  }

  /// The last forwarded record, in a store in which all records have one order.
  package var last: ArrivalCursor? { hasOneOrder ? rows.first.map { ArrivalCursor(group: $0, row: $1) } : nil }

  func row(in partition: Int64) -> Int64 { rows[partition] ?? 0 }

  mutating func advance(to row: Int64, in partition: Int64) {
    if hasOneOrder { rows.removeAll(keepingCapacity: true) }
    rows[partition] = row
  }

  /// Marks the record as forwarded or refused.
  package mutating func advance(past record: ArrivedRecord) {
    advance(to: record.cursor.row, in: record.cursor.group)
  }

  /// Advances to the other position in the partitions that the marks list.
  package mutating func advance(to other: SinkPosition, within marks: [ArrivalMark]) {
    for mark in marks {
      guard let row = other.rows[mark.partition] else { continue }
      rows[mark.partition] = row
    }
  }

  /// Counts the rows between this position and the marks: at least as many as will be forwarded, because deleted ones count
  /// too. When all records have one order, the result is 1 if there are any, else 0.
  package func count(until marks: [ArrivalMark]) -> Int64 {
    if let last { return marks.contains { ($0.partition, $0.end) > (last.group, last.row) } ? 1 : 0 }
    return marks.reduce(0) { $0 + max(0, $1.end - row(in: $1.partition)) }
  }

  /// Removes the partitions that no longer exist.
  package mutating func keep(_ marks: [ArrivalMark]) {
    guard !hasOneOrder, rows.count > marks.count else { return }
    let known = Set(marks.map(\.partition))
    rows = rows.filter { known.contains($0.key) }
  }
}

/// A partition and its last committed row.
package struct ArrivalMark: Equatable, Sendable {
  let partition: Int64
  let day: Int64
  let end: Int64

  package var cursor: ArrivalCursor { ArrivalCursor(group: partition, row: end) }
}

/// The new position of a sink, and the records that it refused.
package struct SinkAdvance: Sendable {
  package let sink: String
  package let position: SinkPosition
  package let refusals: [SinkRefusal]
  /// The counts at this position.
  package let refused: RefusalCount

  package init(
    sink: String, position: SinkPosition, refusals: [SinkRefusal] = [], refused: RefusalCount = RefusalCount()
  ) {
    (self.sink, self.position, self.refusals, self.refused) = (sink, position, refusals, refused)
  }

  var byteCount: Int { 512 + position.rows.count * 16 + refusals.count * 512 }
}

/// How many records a sink has refused permanently.
package struct RefusalCount: Equatable, Sendable {
  /// Since the sink was added.
  package var total: Int64
  /// Since it last accepted a record.
  package var inRow: Int64

  package init(total: Int64 = 0, inRow: Int64 = 0) { (self.total, self.inRow) = (total, inRow) }
}

/// A record that a sink refused permanently. The record itself stays in the store.
package struct SinkRefusal: Equatable, Sendable {
  package let device: DeviceIdentity
  package let key: PointKey
  package let reason: String
  /// Milliseconds since 1970.
  package let at: Int64

  package init(device: DeviceIdentity, key: PointKey, reason: String, at: Int64) {
    (self.device, self.key, self.reason, self.at) = (device, key, reason, at)
  }
}
