import Base
import Store

/// Sessions that wait for events of a run. An event of any other run costs one look-up. A session is notified once, and not
/// again until it has fetched. The uploads of a run are kept once, for all of its watches.
struct WatchTable: Sendable {
  /// The limits of a run's unfetched uploads, in number and bytes.
  static let batchesMax = 1_024
  static let bytesMax = 4 << 20

  struct Watch: Sendable {
    let id: UInt64
    let address: SessionAddress
    /// The watched device; nil for the whole run.
    let device: String?
    let kinds: Set<ContentExpectation.Kind>
    /// The number of the next upload that it has not fetched.
    fileprivate(set) var next: UInt64 = 0
    fileprivate(set) var isTold = false

    fileprivate func concerns(_ name: String) -> Bool { name.isEmpty || device == nil || name.isExactly(device) }
  }

  private struct Run {
    var watches: [Watch] = []
    var batches: [IngestBatch] = []
    var byteCount = 0
    /// The number of the first upload.
    var first: UInt64 = 0
    var end: UInt64 { first + UInt64(batches.count) }

    mutating func keep(_ batch: IngestBatch) {
      byteCount += batch.bytes.count
      batches.append(batch)
      // Drops all of them: a watch that has not fetched them reads the store instead.
      if batches.count > WatchTable.batchesMax || byteCount > WatchTable.bytesMax { drop() }
    }

    mutating func drop() { (first, batches, byteCount) = (end, [], 0) }

    /// Called when records were deleted: each watch detects that it has missed something, and reads the store again.
    mutating func forget() { (first, batches, byteCount) = (end + 1, [], 0) }
  }

  private var runs: [ExactText: Run] = [:]
  private(set) var count = 0
  /// The number of watches for requests.
  private(set) var requestCount = 0

  mutating func add(_ watch: Watch, run: String) {
    var watch = watch
    watch.next = runs[ExactText(run)]?.end ?? 0
    runs[ExactText(run), default: Run()].watches.append(watch)
    count += 1
    if watch.kinds.contains(where: \.isOfJournal) { requestCount += 1 }
  }

  mutating func remove(_ id: UInt64, run name: String) {
    let run = ExactText(name)
    guard let index = index(of: id, run), let watch = runs[run]?.watches.remove(at: index) else { return }
    count -= 1
    if watch.kinds.contains(where: \.isOfJournal) { requestCount -= 1 }
    if runs[run]?.watches.isEmpty == true { runs[run] = nil }
  }

  private func index(of id: UInt64, _ run: ExactText) -> Int? { runs[run]?.watches.firstIndex { $0.id == id } }

  /// Returns what arrived since the last call, and whether something is missing.
  mutating func collect(_ id: UInt64, run: String) -> (batches: [IngestBatch], hasMissed: Bool) {
    let name = ExactText(run)
    guard let index = index(of: id, name), var run = runs[name] else { return ([], false) }
    let watch = run.watches[index]
    let hasMissed = watch.next < run.first
    let batches = run.batches.dropFirst(Int(max(watch.next, run.first) - run.first)).filter {
      watch.concerns($0.device.name)
    }
    // A second reference would cause a copy.
    runs[name] = nil
    run.watches[index].next = run.end
    run.watches[index].isTold = false
    if run.watches.allSatisfy({ $0.next == run.end || !$0.kinds.contains(.records) }) { run.drop() }
    runs[name] = run
    return (Array(batches), hasMissed)
  }

  /// Called when a job was committed.
  mutating func note(_ job: StoreJob, _ result: StoreResult, _ messages: inout [EventHub.Message]) {
    switch (job, result) {
    case (.ingest(let batch), .ingested(let receipt)):
      let hasCommands = !receipt.commands.isEmpty || !receipt.confirmed.isEmpty
      tell(batch.device, batch.points.isEmpty ? nil : batch, &messages) { hasCommands && $0.kinds.contains(.commands) }
    case (.queue(let command), .queued):
      let target: DeviceIdentity =
        switch command.target {
        case .device(let device): device
        case .tag(_, let run), .everyone(let run): DeviceIdentity(run: run, name: "")
        }
      tell(target, nil, &messages) { $0.kinds.contains(.commands) }
    case (.takeCommands(let device, _), .commands), (.markDelivered(let device, _), .changed),
      (.returnCommands(let device, _), .changed):
      tell(device, nil, &messages) { $0.kinds.contains(.commands) }
    case (.delete(let device), .changed): forget(device.run, &messages)
    case (.reset(let run), .changed):
      for name in run.map({ [$0] }) ?? runs.keys.map(\.text).sorted() { forget(name, &messages) }
    default: break
    }
  }

  private mutating func forget(_ run: String, _ messages: inout [EventHub.Message]) {
    runs[ExactText(run)]?.forget()
    tell(DeviceIdentity(run: run, name: ""), nil, &messages) { _ in true }
  }

  /// Called when a request was answered.
  mutating func noteRequest(run: String, device: String, _ messages: inout [EventHub.Message]) {
    tell(DeviceIdentity(run: run, name: device), nil, &messages) { $0.kinds.contains(where: \.isOfJournal) }
  }

  /// The name of the device is empty when it is unknown, or any may be meant.
  private mutating func tell(
    _ device: DeviceIdentity, _ batch: IngestBatch?, _ messages: inout [EventHub.Message], _ isMeant: (Watch) -> Bool
  ) {
    let name = ExactText(device.run)
    guard var run = runs[name] else { return }
    // A second reference would cause a copy.
    runs[name] = Run()
    var isKept = false
    for index in run.watches.indices where run.watches[index].concerns(device.name) {
      let isForRecords = batch != nil && run.watches[index].kinds.contains(.records)
      if isForRecords { isKept = true }
      guard !run.watches[index].isTold, isForRecords || isMeant(run.watches[index]) else { continue }
      run.watches[index].isTold = true
      messages.append((.eventsWaiting(run.watches[index].id), run.watches[index].address))
    }
    if isKept, let batch { run.keep(batch) }
    runs[name] = run
  }
}
