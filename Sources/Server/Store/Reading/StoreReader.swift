package import Base

/// Queries of a store. Each answer is a page, read quickly from one snapshot; a long result takes many pages. Used only on the
/// thread that owns it.
package protocol StoreReader: AnyObject {
  /// Returns devices of a run, or of all runs, in the order of first uploads, including those without a position.
  func devices(run: String?, after id: Int64?, limit: Int) throws(StoreError) -> Page<StoredDevice, Int64>
  func device(_ identity: DeviceIdentity) throws(StoreError) -> StoredDevice?
  /// Returns the named run, or the most recently active ones, at most `limit`.
  func runs(named run: String?, limit: Int) throws(StoreError) -> [StoredRun]
  /// Returns the other runs in which a device of this name, or any, has stored records, with their counts, the most first.
  func otherRuns(of name: String?, than run: String, limit: Int) throws(StoreError) -> [(run: String, points: Int64)]
  /// Returns every tag of every device, sorted alphabetically per device.
  func tags() throws(StoreError) -> [(device: DeviceIdentity, tag: String)]
  /// Returns the tags of a device in alphabetical order.
  func tags(of identity: DeviceIdentity) throws(StoreError) -> [String]

  /// Returns the points of a device with `from` ≤ recorded time < `to` (milliseconds since 1970), in recorded order, at most
  /// `limit`, after `cursor`.
  func history(
    of device: DeviceIdentity, from: Int64, to: Int64, after cursor: PointCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredPoint, PointCursor>

  /// Returns records of a run, or of one device, in the order of arrival cursors, at most `limit` from a bounded number of
  /// rows. A page may be empty and still have a next one.
  func arrivals(
    _ selection: RecordSelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<ArrivedRecord, ArrivalCursor>
  /// Returns the position up to which records are reported in the order in which they were stored: those after it are stored,
  /// but may be reported later than others that were stored later. Nil when there are no such records.
  func settledArrivals() throws(StoreError) -> ArrivalCursor?
  /// Returns a record as stored; nil when it is not.
  func arrival(_ key: PointKey, of device: DeviceIdentity) throws(StoreError) -> ArrivedRecord?
  /// Returns the number of matches in a bounded number of rows after the cursor, and where to continue.
  func count(
    _ selection: RecordSelection, after cursor: ArrivalCursor?
  ) throws(StoreError) -> (count: Int, next: ArrivalCursor?)
  /// Returns every selected record once, at most `limit` per page. However few there are, a page examines a bounded number of
  /// rows.
  func keys(
    _ selection: KeySelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredKey, ArrivalCursor>
  /// Returns the keys of `wanted` that the device has not stored, in their order.
  func missing(_ wanted: [PointKey], of device: DeviceIdentity) throws(StoreError) -> [PointKey]

  /// Returns quarantined records, the latest first.
  func quarantine(
    _ selection: QuarantineSelection, before id: Int64?, limit: Int
  ) throws(StoreError) -> Page<QuarantinedRecord, Int64>
  /// Returns the number of quarantined records per reason, in alphabetical order.
  func quarantineReasons(_ selection: QuarantineSelection) throws(StoreError) -> [(reason: String, count: Int64)]

  /// Returns the orders of a run and their states, in order of issue; of one device only, if given. An order that no device has
  /// fetched yet has one line without a device, an order to many one line for each device that fetched it.
  func commands(
    run: String, device: DeviceIdentity?, now: WallInstant, after cursor: CommandCursor?, limit: Int
  ) throws(StoreError) -> Page<CommandProgress, CommandCursor>
  /// Returns the latest expiry of a command that waits for a device; nil when none waits.
  func lastOrderExpiry() throws(StoreError) -> WallInstant?

  /// Returns the logs of a device, the latest first, without their bytes.
  func logs(of device: DeviceIdentity) throws(StoreError) -> [StoredLog]
  /// Returns the bytes of a log; nil when it is gone.
  func log(_ id: Int64) throws(StoreError) -> [UInt8]?

  /// Returns counts of one run, or of all. Partitions and bytes are always those of the whole store.
  func counts(run: String?) throws(StoreError) -> StoreCounts
  /// Returns the number of records in the partitions, counted one by one.
  func countStored() throws(StoreError) -> Int64

  /// Returns the position of a sink; nil when the store has none.
  func position(ofSink name: String) throws(StoreError) -> SinkPosition?
  /// Returns the records between a position and the marks, in order of arrival; at most `limit` records and, except for the
  /// first, `bytes` of their JSON. A page may be empty and still advance the position, when devices were deleted. Two requests
  /// of a device, the second of which began after the first was answered, are never swapped.
  func records(
    behind position: SinkPosition, until marks: [ArrivalMark], limit: Int, bytes: Int
  ) throws(StoreError) -> ForwardPage
  /// Returns the servers that forward to these sinks now, by sink; sinks without a known server are left out.
  func leaders(ofSinks names: [String]) throws(StoreError) -> [String: String]
  /// Returns how many records a sink has refused; zeros when the store has no such sink.
  func refusalCount(ofSink name: String) throws(StoreError) -> RefusalCount
  /// Returns the records that a sink refused, the latest first.
  func refusals(ofSink name: String, limit: Int) throws(StoreError) -> [SinkRefusal]
}
