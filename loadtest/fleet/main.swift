// What a fleet in virtual time costs: device-seconds a second on one core, and memory of a device.
//   fleet-bench [DEVICES]
import AllocationCounter
import Base
import Contract
import FleetSimulator
import Glibc
import Oracle
import Store
import World

let devices = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200

func threadSeconds() -> Double {
  var time = timespec()
  let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  precondition(result == 0, "the thread has no clock")
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

guard let center = Coordinate(latitude: 48.137, longitude: 11.575) else { preconditionFailure("a place on earth") }
let city = City(seed: 0x5EED, center: center, columns: 96, rows: 96)

func setup(_ devices: Int) -> RunSetup {
  var configuration = Configuration(platform: .android)
  configuration.http.batchSync = true
  configuration.http.autoSyncThreshold = 10
  configuration.http.maxBatchSize = 100
  let fleet = FleetSetup(
    name: "commuters", devices: devices, movement: .plan(.commuter, in: city), configuration: configuration)
  // Monday, 2 March 2026.
  return RunSetup(
    seed: 0x5EED, start: WallInstant(millisecondsSince1970: 1_772_406_000_000 + 3_600_000), duration: .seconds(86_400),
    settle: .seconds(600), fleets: [fleet])
}

let run = try FleetRun(setup(devices), store: SQLiteStore(.scratch))
let start = threadSeconds()
let report = try run.run()
let elapsed = threadSeconds() - start
print("seed \(report.seed), \(devices) commuters for a day, \(rounded(elapsed)) s of processor time")
print("  \(rounded(Double(devices) * 86_400 / elapsed / 1e6)) million device-seconds a second")
print("  \(rounded(elapsed * 1e6 / Double(max(report.sums.created, 1)))) µs for each record")
print("  \(report.sums), \(report.events) events, \(report.requests) requests, hash \(report.hash.text)")
for violation in report.violations { print(violation.text) }

let before = allocated_bytes()
let large = try FleetRun(setup(10_000), store: SQLiteStore(.scratch))
let heap = Double(allocated_bytes() - before) / 10_000
print("\(rounded(heap)) bytes a device at rest on the heap, without \(large.bytesInline) in the array of devices")
