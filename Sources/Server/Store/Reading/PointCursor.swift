/// Where a page of points ended, to be handed back for the next one. Points are ordered by recorded time, those of the same
/// time by arrival.
package struct PointCursor: Hashable, Comparable, Sendable {
  let recordedAt: Int64
  let partition: Int64
  let row: Int64

  init(recordedAt: Int64, partition: Int64, row: Int64) {
    self.recordedAt = recordedAt
    self.partition = partition
    self.row = row
  }

  /// From the text of an earlier page.
  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 3)
    self.init(recordedAt: numbers[0], partition: numbers[1], row: numbers[2])
  }

  package var text: String { "\(recordedAt).\(partition).\(row)" }

  package static func < (left: PointCursor, right: PointCursor) -> Bool {
    (left.recordedAt, left.partition, left.row) < (right.recordedAt, right.partition, right.row)
  }
}
