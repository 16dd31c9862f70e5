import Base
import Glibc
import PostgresStore
import Store

// What the store in PostgreSQL takes, in this process as in a node: `postgres-bench PLACE singles|batches RECORDS`. Prints records a
// second, and the microseconds of this process for each.

let arguments = CommandLine.arguments
guard arguments.count == 4, let total = Int(arguments[3]) else {
  print("usage: postgres-bench PLACE singles|batches RECORDS")
  exit(2)
}
let deviceCount = 5_000
let perJob = arguments[2] == "singles" ? 1 : 50
let store = try PostgresStore(at: arguments[1], StoreConfiguration(folder: ""))
let clock = SystemClock()
let start = clock.wallNow.millisecondsSince1970
let record = Array(
  #"{"event":"motionchange","is_moving":true,"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","timestamp":"2026-07-28T18:34:22.563Z","age":12,"odometer":5230.7,"coords":{"latitude":45.519091234567,"longitude":-73.616934567891,"accuracy":5.2,"speed":13.4,"speed_accuracy":0.8,"heading":187.3,"heading_accuracy":4.1,"altitude":41.7,"altitude_accuracy":3.0},"activity":{"type":"in_vehicle","confidence":92},"battery":{"level":0.83,"is_charging":false},"extras":{}}"#
    .utf8)

/// Spread like random bits (the finaliser of MurmurHash3), and the same for every run.
func uuid(_ number: Int) -> UUID128 {
  var word = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
  word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
  word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
  return UUID128(high: word ^ word >> 33, low: UInt64(truncatingIfNeeded: number))
}

/// A job of `perJob` records of one device, as a node gets it.
func job(_ number: Int) -> StoreJob {
  var bytes: [UInt8] = []
  let points = (0..<perJob).map { index in
    let place = bytes.count
    bytes += record
    let count = number * perJob + index
    return Point(
      recordedAt: start + Int64(count), uuid: uuid(count), latitude: 45.5, longitude: -73.6, accuracy: 5.2, speed: 13.4,
      heading: 187.3,
      isMoving: true, odometer: 5230.7, event: "motionchange", record: place..<bytes.count)
  }
  return .ingest(
    IngestBatch(
      device: DeviceIdentity(name: "device-\(number % deviceCount)"), receivedAt: clock.wallNow, bytes: bytes,
      points: points))
}

func processorTime() -> Double {
  var usage = rusage()
  _ = unsafe getrusage(0, &usage)
  return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}

// A group is what arrives during a commit: as many as the writer takes at most, of singles those of a thousand phones.
let perGroup = perJob == 1 ? 1_000 : 8_000 / perJob
var made = 0
var jobs: [[StoreJob]] = []
while made < total {
  jobs.append((0..<perGroup).map { job(made / perJob + $0) })
  made += perGroup * perJob
}
let processor = processorTime()
let begun = clock.monotonicNow
var longest = Nanoseconds.zero
for group in jobs {
  let groupBegun = clock.monotonicNow
  let results = store.apply(group, now: clock.wallNow)
  longest = max(longest, clock.monotonicNow - groupBegun)
  for result in results {
    guard case .ingested(let receipt) = result, receipt.accepted == perJob else {
      preconditionFailure("a record is new and is stored: \(result)")
    }
  }
}
let seconds = Double((clock.monotonicNow - begun).count) / 1e9
let node = (processorTime() - processor) / Double(made) * 1e6
let rate = Int(Double(made) / seconds)
print("\(rate) \((node * 10).rounded() / 10) longest group \(longest.count / 1_000_000) ms")
store.close()
