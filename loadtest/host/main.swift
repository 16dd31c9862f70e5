// What a device with an app costs: processor time and allocations from a fix to the deletion of its row, without a
// network, and the memory of a device at rest. Medians of 21 rounds.
//   host-bench
import AllocationCounter
import Contract
import Glibc
import Host
import JSON
import Queue
import Upload

func threadNanoseconds() -> Double {
  var time = timespec()
  let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  precondition(result == 0, "the thread has no clock")
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func configuration(_ keys: String) throws -> JSONValue {
  try JSONValue(parsing: "{\"url\":\"http://127.0.0.1:8080/locations\",\"params\":{\"user\":7}\(keys)}".utf8.span)
}

func measure(_ name: String, keys: String) throws {
  let database = try QueueDatabase(path: ":memory:", commits: .grouped)
  var device = try BenchDevice(0, in: database, scratch: HostScratch(), configuration: configuration(keys))
  device.setOff()
  for _ in 0..<1_000 { device.drive() }
  var times: [Double] = []
  var allocations: [UInt] = []
  let fixes = 2_000
  for _ in 0..<21 {
    let blocks = allocation_count()
    let start = threadNanoseconds()
    for _ in 0..<fixes { device.drive() }
    times.append((threadNanoseconds() - start) / Double(fixes))
    allocations.append((allocation_count() - blocks) / UInt(fixes))
    try database.commit()
  }
  let bytes = device.phone.bytesSent
  print(
    "\(name): \(Int(times.sorted()[10])) ns and \(allocations.sorted()[10]) allocations for each fix (\(bytes) bytes sent)"
  )
}

try measure("recorded only", keys: ",\"autoSync\":false,\"maxRecordsToPersist\":1000")
try measure("uploaded one by one", keys: "")
try measure("uploaded in batches of 50", keys: ",\"batchSync\":true,\"maxBatchSize\":50,\"autoSyncThreshold\":50")

let database = try QueueDatabase(path: ":memory:", commits: .grouped)
let scratch = HostScratch()
let devices = 10_000
let document = try configuration("")
// The array is large enough to be mapped, and so does not count as heap.
let before = allocated_bytes()
var fleet: [BenchDevice] = []
fleet.reserveCapacity(devices)
for number in 0..<devices {
  fleet.append(try BenchDevice(number, in: database, scratch: scratch, configuration: document))
}
try database.commit()
let heap = Int(allocated_bytes() - before) / fleet.count
print(
  "a device at rest: \(MemoryLayout<DeviceHost>.stride) bytes in the value,",
  "\(MemoryLayout<Uploader>.size) of them the uploader's, and \(heap) on the heap, rows of the database included")
