/// What SQLite says on the device.
package enum StorageError: String, CaseIterable, Sendable {
  case full = "SQLITE_FULL"
  case io = "SQLITE_IOERR"
  case busy = "SQLITE_BUSY"
  case corrupt = "SQLITE_CORRUPT"
  case readOnly = "SQLITE_READONLY"
}
