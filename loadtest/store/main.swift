import Base
import Glibc
import Store
import Synchronization

// store-bench FOLDER [rows present, in thousands …]: see README.md.

/// One record as JSON takes about this much.
let body = [UInt8](repeating: UInt8(ascii: "x"), count: 560)
let measuredRows = 500_000
let clock = SystemClock()

/// Jobs in flight; the writer commits what has arrived.
final class Window: Sendable {
  private let free: Mutex<Int>
  let accepted = Mutex(0)

  init(_ size: Int) { free = Mutex(size) }

  /// False while the window is full.
  func enter() -> Bool {
    free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  func leave(_ completions: [Completion]) {
    var rows = 0
    for completion in completions {
      guard case .ingested(let receipt) = completion.result else { fail("not stored: \(completion.result)") }
      rows += receipt.accepted
    }
    accepted.withLock { $0 += rows }
    free.withLock { $0 += completions.count }
  }

  func waitUntilEmpty(_ size: Int) {
    while free.withLock({ $0 }) < size { letOthersWork() }
  }
}

/// Waits a millisecond without taking the processor from the writer.
func letOthersWork() { _ = poll(nil, 0, 1) }

func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}

func batch(from number: Int, start: Int64) -> IngestBatch {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(BenchRow.batch * body.count)
  var points: [Point] = []
  points.reserveCapacity(BenchRow.batch)
  for number in number..<number + BenchRow.batch {
    let row = BenchRow(number: number, start: start)
    let place = bytes.count
    bytes.append(contentsOf: body)
    points.append(
      Point(
        recordedAt: row.recordedAt, uuid: row.uuid, latitude: 45.5, longitude: -73.6, accuracy: 4.8, speed: 13.41,
        heading: 271.3, isMoving: true, record: place..<bytes.count))
  }
  let device = BenchRow(number: number, start: start).device
  return IngestBatch(
    device: DeviceIdentity(name: "bench-\(device)"), receivedAt: clock.wallNow, bytes: bytes, points: points)
}

/// Rows a second through the writer, and the time of groups and of upkeep steps.
func measureStore(_ writer: WriterThread, _ window: Window, rows: Range<Int>, start: Int64) -> Double {
  let begin = clock.monotonicNow
  for number in stride(from: rows.lowerBound, to: rows.upperBound, by: BenchRow.batch) {
    let job = StoreJob.ingest(batch(from: number, start: start))
    while !window.enter() { letOthersWork() }
    guard writer.submit(job, ticket: Ticket(number: UInt64(number))) else { fail("the mailbox is full") }
  }
  window.waitUntilEmpty(windowSize)
  return Double(rows.count) / (clock.monotonicNow - begin).seconds
}

/// As many rows a commit as the store's groups have: the window holds them all.
func measureFloor(_ floor: Floor, rows: Range<Int>, start: Int64, group: Int) -> Double {
  let begin = clock.monotonicNow
  for number in stride(from: rows.lowerBound, to: rows.upperBound, by: group) {
    let upper = min(number + group, rows.upperBound)
    floor.commit((number..<upper).map { BenchRow(number: $0, start: start) }, body: body)
  }
  return Double(rows.count) / (clock.monotonicNow - begin).seconds
}

let windowSize = 64
guard CommandLine.arguments.count >= 2 else { fail("usage: store-bench FOLDER [thousands of rows present …]") }
let folder = CommandLine.arguments[1]
let levels = CommandLine.arguments.dropFirst(2).map { Int($0).map { $0 * 1_000 } ?? -1 }
guard levels.allSatisfy({ $0 >= 0 }), levels == levels.sorted() else { fail("levels are numbers that grow") }
guard unsafe mkdir(folder, 0o700) == 0 else { fail("\(folder) is there already, or cannot be made") }

let times = TimesBox()
var registry = MetricsRegistry()
let metrics = WriterMetrics(in: &registry)
let window = Window(windowSize)
let writer = try WriterThread(metrics: metrics, deliver: { window.leave($0) }) { () throws(StoreError) in
  TimedStore(try SQLiteStore(StoreConfiguration(folder: folder + "/store")), times)
}
let floor = Floor(path: folder + "/floor.db")
let start = clock.wallNow.millisecondsSince1970 - 86_400_000
var present = 0

print("rows present | store rows/s | floor rows/s | floor 512 a commit | ratio")
for level in levels.isEmpty ? [0] : levels {
  if present < level {
    _ = measureStore(writer, window, rows: present..<level, start: start)
    _ = measureFloor(floor, rows: present..<level, start: start, group: 8_192)
    present = level
  }
  // Three turns each, one after the other: a machine that others use as well is slower at one time than at another.
  var store: [Double] = []
  var same: [Double] = []
  var small: [Double] = []
  for _ in 0..<3 {
    let third = measuredRows / 3 / BenchRow.batch * BenchRow.batch
    let rows = present..<present + third
    store.append(measureStore(writer, window, rows: rows, start: start))
    same.append(measureFloor(floor, rows: rows.lowerBound..<rows.lowerBound + third / 2, start: start, group: 1_600))
    small.append(measureFloor(floor, rows: rows.lowerBound + third / 2..<rows.upperBound, start: start, group: 512))
    present += third
  }
  let (s, f, g) = (store.sorted()[1], same.sorted()[1], small.sorted()[1])
  print("\(level) | \(Int(s)) | \(Int(f)) | \(Int(g)) | \(Int(s / f * 100)) % / \(Int(s / g * 100)) %")
}
writer.stop()
let (groups, rows, upkeep) = times.value.withLock { ($0.groups, $0.groupRows, $0.upkeep) }
print("rows a group: median \(rows.value(atQuantile: 0.5) ?? 0)")
print("group: median \(groups.value(atQuantile: 0.5) ?? 0) µs, p99 \(groups.value(atQuantile: 0.99) ?? 0) µs")
print("upkeep step: p99 \(upkeep.value(atQuantile: 0.99) ?? 0) µs, longest \(upkeep.maximum ?? 0) µs")

// What a start costs with everything present, and a page of a device's history.
let beforeOpening = clock.monotonicNow
let reopened = try SQLiteStore(StoreConfiguration(folder: folder + "/store"))
let opened = clock.monotonicNow
print("start with \(present) rows: \((opened - beforeOpening).count / 1_000) µs")
if let reader = reopened.reader {
  for limit in [1, 100, 1_000] {
    let start = clock.monotonicNow
    let page = try reader.history(of: DeviceIdentity(name: "bench-7"), limit: limit)
    print("history, \(page.elements.count) points: \((clock.monotonicNow - start).count / 1_000) µs")
  }
}
reopened.close()
