package import Base

/// Questions to a store. Each answer is a page, read from one state of the data in a short time; a long result is many pages.
/// Belongs to the thread that asks it.
package protocol StoreReader: AnyObject {
  /// Devices of a run, or of all runs, in the order of their first uploads; those without a position as well.
  func devices(run: String?, after id: Int64?, limit: Int) throws(StoreError) -> Page<StoredDevice, Int64>
  func device(_ identity: DeviceIdentity) throws(StoreError) -> StoredDevice?
  /// One run, or those that were heard of last, at most so many.
  func runs(named run: String?, limit: Int) throws(StoreError) -> [StoredRun]
  /// Where else a device of this name, or any, has stored how much, the most first.
  func otherRuns(of name: String?, than run: String, limit: Int) throws(StoreError) -> [(run: String, points: Int64)]
  /// Every tag of every device, in alphabetical order for each.
  func tags() throws(StoreError) -> [(device: DeviceIdentity, tag: String)]
  /// In alphabetical order.
  func tags(of identity: DeviceIdentity) throws(StoreError) -> [String]

  /// The points of a device with `from` ≤ recorded time < `to` (milliseconds since 1970), in recorded order, at most `limit`
  /// of them, behind `cursor`.
  func history(
    of device: DeviceIdentity, from: Int64, to: Int64, after cursor: PointCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredPoint, PointCursor>

  /// Records of a run, or of one device, in the order of the arrival cursors, at most `limit` of a bounded number of rows. A page
  /// may hold none and still have a next one.
  func arrivals(
    _ selection: RecordSelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<ArrivedRecord, ArrivalCursor>
  /// How far records are told in the order in which they were stored: those behind it are stored, and may be told later than others that
  /// are stored later. Nil where that is so of none.
  func settledArrivals() throws(StoreError) -> ArrivalCursor?
  /// A record as it is stored; nil where it is not.
  func arrival(_ key: PointKey, of device: DeviceIdentity) throws(StoreError) -> ArrivedRecord?
  /// How many there are among a bounded number of rows behind the cursor, and where to go on.
  func count(
    _ selection: RecordSelection, after cursor: ArrivalCursor?
  ) throws(StoreError) -> (count: Int, next: ArrivalCursor?)
  /// Every stored record that is meant, once, at most `limit` a page. However few these are, a page looks at a bounded number of
  /// rows.
  func keys(
    _ selection: KeySelection, after cursor: ArrivalCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredKey, ArrivalCursor>
  /// Those of `wanted` that the device has not stored, in their order.
  func missing(_ wanted: [PointKey], of device: DeviceIdentity) throws(StoreError) -> [PointKey]

  /// The latest first.
  func quarantine(
    _ selection: QuarantineSelection, before id: Int64?, limit: Int
  ) throws(StoreError) -> Page<QuarantinedRecord, Int64>
  /// How many were put aside for each reason, in alphabetical order.
  func quarantineReasons(_ selection: QuarantineSelection) throws(StoreError) -> [(reason: String, count: Int64)]

  /// What was ordered in a run and what became of it, in the order of the orders; of one device only, if given. An order
  /// that no device fetched yet has one line without a device, an order to many has one line for each that fetched it.
  func commands(
    run: String, device: DeviceIdentity?, now: WallInstant, after cursor: CommandCursor?, limit: Int
  ) throws(StoreError) -> Page<CommandProgress, CommandCursor>
  /// The latest instant at which a command that waits for a device expires; nil when none waits.
  func lastOrderExpiry() throws(StoreError) -> WallInstant?

  /// The logs of a device, the latest first, without their bytes.
  func logs(of device: DeviceIdentity) throws(StoreError) -> [StoredLog]
  /// The bytes of a log, nil when it is gone.
  func log(_ id: Int64) throws(StoreError) -> [UInt8]?

  /// Of one run, or of all. Partitions and bytes are always those of the whole store.
  func counts(run: String?) throws(StoreError) -> StoreCounts
  /// Records that are in the partitions, counted one by one.
  func countStored() throws(StoreError) -> Int64

  /// Where a sink stands; nil when the store does not know it.
  func position(ofSink name: String) throws(StoreError) -> SinkPosition?
  /// What lies between a position and the marks, in the order in which it came; at most `limit` records and, but for the first of
  /// them, `bytes` of their JSON. A page may hold none and still be ahead of the position, when devices were deleted. Two requests
  /// of a device, of which the second began when the first was answered, are never exchanged.
  func records(
    behind position: SinkPosition, until marks: [ArrivalMark], limit: Int, bytes: Int
  ) throws(StoreError) -> ForwardPage
  /// The servers that send to these sinks now, by sink; without those of which the store does not know it.
  func leaders(ofSinks names: [String]) throws(StoreError) -> [String: String]
  /// What a sink did not take, the latest first.
  func refusals(ofSink name: String, limit: Int) throws(StoreError) -> [SinkRefusal]
}
