package import Base

/// A bounded part of an answer.
package struct Page<Element: Sendable, Cursor: Sendable>: Sendable {
  package var elements: [Element]
  /// The start of the next page; nil at the end. A page may have fewer elements than requested, even none, and still have a
  /// next one.
  package var next: Cursor?

  package init(elements: [Element], next: Cursor?) {
    self.elements = elements
    self.next = next
  }
}

/// The text of a cursor: numbers separated by points. Clients return it unchanged.
enum CursorText {
  /// Above every number of an issued cursor, and low enough that adding to it does not overflow.
  private static let most = Int64.max / 2

  /// Returns exactly `count` numbers, or throws `badCursor`.
  static func numbers(_ text: String, count: Int) throws(StoreError) -> [Int64] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64($0) }
    guard parts.count == count, numbers.count == count, numbers.allSatisfy({ (-most...most).contains($0) }) else {
      throw StoreError(code: .badCursor, message: "the cursor was not issued by this server")
    }
    return numbers
  }
}

/// The end of a page of points, passed back to get the next one. Points are ordered by recorded time, then by arrival.
package struct PointCursor: Hashable, Comparable, Sendable {
  package let recordedAt: Int64
  /// The position in order of arrival, as in an `ArrivalCursor`.
  package let group: Int64
  package let row: Int64

  package init(recordedAt: Int64, group: Int64, row: Int64) {
    self.recordedAt = recordedAt
    self.group = group
    self.row = row
  }

  /// Parses the cursor of an earlier page.
  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 3)
    self.init(recordedAt: numbers[0], group: numbers[1], row: numbers[2])
  }

  package var text: String { "\(recordedAt).\(group).\(row)" }

  /// Reports whether the point was stored after the other; nil when they are in different groups, whose order is unknown.
  package func isBehind(_ other: PointCursor) -> Bool? { group == other.group ? row > other.row : nil }

  package static func < (left: PointCursor, right: PointCursor) -> Bool {
    (left.recordedAt, left.group, left.row) < (right.recordedAt, right.group, right.row)
  }
}

/// The key that identifies a record of a device.
package struct PointKey: Hashable, Sendable {
  /// Milliseconds since 1970, 0 for a record without a time.
  package var recordedAt: Int64
  package var uuid: UUID128

  package init(recordedAt: Int64, uuid: UUID128) {
    self.recordedAt = recordedAt
    self.uuid = uuid
  }
}

/// A position in everything that is stored, by group and then in order of arrival: a group is a partition in SQLite and a
/// transaction in PostgreSQL.
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

/// Consecutive rows of a partition that one query examines.
struct ArrivalStretch {
  let partition: Int64
  /// Row numbers: `after` < row ≤ `through`.
  let after: Int64
  let through: Int64
  /// The number of the selected device: -1 for any, 0 for one that does not exist.
  let owner: Int64
  /// The start of the next stretch; nil at the end.
  let next: ArrivalCursor?
}

/// The end of a page of orders.
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
