/// Where the store lives and how long it keeps what it has.
package struct StoreConfiguration: Sendable {
  /// A folder, made when it is missing, or `:memory:`.
  package var folder: String
  /// Whole days of recorded time that are kept; nil for ever.
  package var retainDays: Int?
  /// Bytes of stored data above which the oldest day is given up; nil for no limit.
  package var retainBytes: Int64?
  package var limits = StoreLimits()

  package init(folder: String, retainDays: Int? = nil, retainBytes: Int64? = nil) {
    self.folder = folder
    self.retainDays = retainDays
    self.retainBytes = retainBytes
  }

  package var isInMemory: Bool { folder == ":memory:" }
}
