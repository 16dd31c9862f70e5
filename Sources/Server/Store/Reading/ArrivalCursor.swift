/// Where a walk through everything stored ended. Partition by partition, in the order of arrival.
package struct ArrivalCursor: Hashable, Sendable {
  let partition: Int64
  let row: Int64

  init(partition: Int64, row: Int64) {
    self.partition = partition
    self.row = row
  }

  package init(text: String) throws(StoreError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let partition = parts[0], let row = parts[1] else {
      throw StoreError(code: .badCursor, message: "the cursor is not one that this server gave out")
    }
    self.init(partition: partition, row: row)
  }

  package var text: String { "\(partition).\(row)" }
}
