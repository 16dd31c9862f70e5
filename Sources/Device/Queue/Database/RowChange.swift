/// A change of the rows of a device within a group, kept until the group is durable or undone.
enum RowChange {
  case inserted(device: Int, row: Int64)
  case deleted(device: Int, row: Int64)
}
