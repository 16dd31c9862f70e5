/// Where a walk through everything stored ended. Partition by partition, in the order of arrival.
package struct ArrivalCursor: Hashable, Sendable {
  let partition: Int64
  let row: Int64

  init(partition: Int64, row: Int64) {
    self.partition = partition
    self.row = row
  }

  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 2)
    self.init(partition: numbers[0], row: numbers[1])
  }

  package var text: String { "\(partition).\(row)" }
}
