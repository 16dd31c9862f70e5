/// Where a record lies among those of all devices: the device in the upper bits, its row in the lower ones.
enum RowKey {
  /// 20 bits of devices leave 43 for the rows of each.
  static let deviceCount = 1 << 20
  static let rowBits: Int64 = 43
  static let lastRow: Int64 = 1 << rowBits - 1

  static func key(device: Int, row: Int64) -> Int64 {
    precondition(row >= 0 && row <= lastRow, "a row has \(rowBits) bits")
    return Int64(device) << rowBits | row
  }

  static func keys(device: Int) -> ClosedRange<Int64> {
    key(device: device, row: 0)...key(device: device, row: lastRow)
  }

  static func row(_ key: Int64) -> Int64 { key & lastRow }
}
