/// Where a page of the ledger ended.
package struct LedgerCursor: Hashable, Sendable {
  let order: Int64
  let device: Int64

  init(order: Int64, device: Int64) {
    self.order = order
    self.device = device
  }

  package init(text: String) throws(StoreError) {
    let numbers = try CursorText.numbers(text, count: 2)
    self.init(order: numbers[0], device: numbers[1])
  }

  package var text: String { "\(order).\(device)" }
}
