/// What is known without asking the database about the records of a device.
struct DeviceRows {
  static let unknown: Int64 = -1

  var count = 0
  /// No record is older, in milliseconds since 1970; it may be that none is as old.
  var earliest = Int64.max
  var nextRow = DeviceRows.unknown
  var locked = LockedRows()
  /// Whether the open group has changed these rows.
  var isInGroup = false

  init() {}

  init(count: Int, earliest: Int64, nextRow: Int64) {
    self.count = count
    self.earliest = earliest
    self.nextRow = nextRow
  }

  /// Goes back to what was before a group. Rows are not used again, and those of the group are not locked any more.
  mutating func restore(_ before: DeviceRows) {
    count = before.count
    earliest = before.earliest
    locked.removeAll(from: before.nextRow)
    isInGroup = false
  }
}
