package import Base

/// A bounded part of an answer.
package struct Page<Element: Sendable, Cursor: Sendable>: Sendable {
  package var elements: [Element]
  /// Where the next page starts; nil at the end. A page may hold fewer elements than were asked for, even none, and still
  /// have a next one.
  package var next: Cursor?

  package init(elements: [Element], next: Cursor?) {
    self.elements = elements
    self.next = next
  }
}

/// The text of a cursor: numbers with points between them. Clients give it back as they got it.
enum CursorText {
  /// No number of a cursor that was issued is as large, and what is added to one is a number still.
  private static let most = Int64.max / 2

  /// Exactly `count` numbers, or `badCursor`.
  static func numbers(_ text: String, count: Int) throws(StoreError) -> [Int64] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64($0) }
    guard parts.count == count, numbers.count == count, numbers.allSatisfy({ (-most...most).contains($0) }) else {
      throw StoreError(code: .badCursor, message: "the cursor was not issued by this server")
    }
    return numbers
  }
}

/// Where a page of points ended, to be handed back for the next one. Points are ordered by recorded time, those of the same
/// time by arrival.
package struct PointCursor: Hashable, Comparable, Sendable {
  package let recordedAt: Int64
  /// Where it lies among what has arrived, as in an `ArrivalCursor`.
  package let group: Int64
  package let row: Int64

  package init(recordedAt: Int64, group: Int64, row: Int64) {
    self.recordedAt = recordedAt
    self.group = group
    self.row = row
  }

  /// From the text of an earlier page.
  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 3)
    self.init(recordedAt: numbers[0], group: numbers[1], row: numbers[2])
  }

  package var text: String { "\(recordedAt).\(group).\(row)" }

  /// Whether the point was stored after the other; nil where the two are not in one group and that is not known.
  package func isBehind(_ other: PointCursor) -> Bool? { group == other.group ? row > other.row : nil }

  package static func < (left: PointCursor, right: PointCursor) -> Bool {
    (left.recordedAt, left.group, left.row) < (right.recordedAt, right.group, right.row)
  }
}

/// What makes a record of a device the same record.
package struct PointKey: Hashable, Sendable {
  /// Milliseconds since 1970, 0 for a record without a time.
  package var recordedAt: Int64
  package var uuid: UUID128

  package init(recordedAt: Int64, uuid: UUID128) {
    self.recordedAt = recordedAt
    self.uuid = uuid
  }
}

/// Where a walk through everything stored ended. Group by group, each in the order of arrival: a group is a partition of SQLite,
/// or a transaction of PostgreSQL.
package struct ArrivalCursor: Hashable, Sendable {
  package let group: Int64
  package let row: Int64

  package init(group: Int64, row: Int64) {
    self.group = group
    self.row = row
  }

  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 2)
    self.init(group: numbers[0], row: numbers[1])
  }

  package var text: String { "\(group).\(row)" }
}

/// Consecutive rows of a partition that one question looks at.
struct ArrivalStretch {
  let partition: Int64
  /// Row numbers: `after` < row ≤ `through`.
  let after: Int64
  let through: Int64
  /// The number of the device that is meant: -1 for any, 0 for one that is not there.
  let owner: Int64
  /// Where the following stretch begins; nil at the end.
  let next: ArrivalCursor?
}

/// Where a page of the ledger ended.
package struct CommandCursor: Hashable, Sendable {
  package let order: Int64
  package let device: Int64

  package init(order: Int64, device: Int64) {
    self.order = order
    self.device = device
  }

  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 2)
    self.init(order: numbers[0], device: numbers[1])
  }

  package var text: String { "\(order).\(device)" }
}
