/// Where a page of the ledger ended.
package struct LedgerCursor: Hashable, Sendable {
  let order: Int64
  let device: Int64

  init(order: Int64, device: Int64) {
    self.order = order
    self.device = device
  }

  package init(text: String) throws(StoreError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let order = parts[0], let device = parts[1] else {
      throw StoreError(code: .badCursor, message: "the cursor is not one that this server gave out")
    }
    self.init(order: order, device: device)
  }

  package var text: String { "\(order).\(device)" }
}
