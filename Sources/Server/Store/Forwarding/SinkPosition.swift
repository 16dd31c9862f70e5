/// How far a sink has come: of each partition the last row that has gone on. Rows of a partition are numbered in the order of
/// their arrival, so that behind these numbers lies what is still to go, and nothing has to be kept for each record. In PostgreSQL
/// all records have one order, and the last that has gone on says it all.
package struct SinkPosition: Equatable, Sendable {
  private(set) var rows: [Int64: Int64] = [:]
  private var hasOneOrder = false

  package init() {}

  /// In a store where all records have one order.
  package init(behind last: ArrivalCursor) {
    rows = [last.group: last.row]
    hasOneOrder = true
  }

  /// The last that has gone on, where all records have one order.
  package var last: ArrivalCursor? { hasOneOrder ? rows.first.map { ArrivalCursor(group: $0, row: $1) } : nil }

  func row(in partition: Int64) -> Int64 { rows[partition] ?? 0 }

  mutating func advance(to row: Int64, in partition: Int64) {
    if hasOneOrder { rows.removeAll(keepingCapacity: true) }
    rows[partition] = row
  }

  /// The record has gone on, or was put aside.
  package mutating func advance(past record: ArrivedRecord) {
    advance(to: record.cursor.row, in: record.cursor.group)
  }

  /// Takes what the other has reached of the partitions that there are.
  package mutating func advance(to other: SinkPosition, within marks: [ArrivalMark]) {
    for mark in marks {
      guard let row = other.rows[mark.partition] else { continue }
      rows[mark.partition] = row
    }
  }

  /// Records between this position and the marks: at least as many as will go, because deleted ones count too.
  /// Where all records have one order it only says whether there are any.
  package func count(until marks: [ArrivalMark]) -> Int64 {
    if let last { return marks.contains { ($0.partition, $0.end) > (last.group, last.row) } ? 1 : 0 }
    return marks.reduce(0) { $0 + max(0, $1.end - row(in: $1.partition)) }
  }

  /// Forgets the partitions that are no more.
  package mutating func keep(_ marks: [ArrivalMark]) {
    guard !hasOneOrder, rows.count > marks.count else { return }
    let known = Set(marks.map(\.partition))
    rows = rows.filter { known.contains($0.key) }
  }
}

/// A partition and the last of its rows that is committed.
package struct ArrivalMark: Equatable, Sendable {
  let partition: Int64
  let day: Int64
  let end: Int64

  package var cursor: ArrivalCursor { ArrivalCursor(group: partition, row: end) }
}

/// A sink has come so far, and these records it does not take.
package struct SinkAdvance: Sendable {
  package let sink: String
  package let position: SinkPosition
  package let refusals: [SinkRefusal]

  package init(sink: String, position: SinkPosition, refusals: [SinkRefusal] = []) {
    (self.sink, self.position, self.refusals) = (sink, position, refusals)
  }

  var byteCount: Int { 512 + position.rows.count * 16 + refusals.count * 512 }
}

/// A record that a sink refused for good, and that was put aside. The record itself stays where it is.
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
