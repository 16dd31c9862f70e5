package import Base

/// Overloads with defaults.
extension StoreReader {
  package func devices(run: String? = nil, limit: Int) throws(StoreError) -> Page<StoredDevice, Int64> {
    try devices(run: run, after: nil, limit: limit)
  }

  package func history(
    of device: DeviceIdentity, from: Int64 = .min, to: Int64 = .max, limit: Int
  ) throws(StoreError) -> Page<StoredPoint, PointCursor> {
    try history(of: device, from: from, to: to, after: nil, limit: limit)
  }

  package func history(
    of device: DeviceIdentity, after cursor: PointCursor?, limit: Int
  ) throws(StoreError) -> Page<StoredPoint, PointCursor> {
    try history(of: device, from: .min, to: .max, after: cursor, limit: limit)
  }

  package func arrivals(
    _ selection: RecordSelection, limit: Int
  ) throws(StoreError) -> Page<ArrivedRecord, ArrivalCursor> {
    try arrivals(selection, after: nil, limit: limit)
  }

  package func keys(
    _ selection: KeySelection, after cursor: ArrivalCursor?
  ) throws(StoreError) -> Page<StoredKey, ArrivalCursor> {
    try keys(selection, after: cursor, limit: .max)
  }

  package func keys(
    run: String, device: DeviceIdentity? = nil, after cursor: ArrivalCursor? = nil, limit: Int = .max
  ) throws(StoreError) -> Page<StoredKey, ArrivalCursor> {
    try keys(KeySelection(run: run, device: device), after: cursor, limit: limit)
  }

  package func quarantine(
    _ selection: QuarantineSelection = QuarantineSelection(), limit: Int
  ) throws(StoreError) -> Page<QuarantinedRecord, Int64> {
    try quarantine(selection, before: nil, limit: limit)
  }

  package func quarantine(before id: Int64?, limit: Int) throws(StoreError) -> Page<QuarantinedRecord, Int64> {
    try quarantine(QuarantineSelection(), before: id, limit: limit)
  }

  package func quarantineReasons() throws(StoreError) -> [(reason: String, count: Int64)] {
    try quarantineReasons(QuarantineSelection())
  }

  package func commands(
    run: String, device: DeviceIdentity? = nil, now: WallInstant, limit: Int
  ) throws(StoreError) -> Page<CommandProgress, CommandCursor> {
    try commands(run: run, device: device, now: now, after: nil, limit: limit)
  }

  package func counts() throws(StoreError) -> StoreCounts { try counts(run: nil) }
}
