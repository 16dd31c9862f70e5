import Base
import Glibc
import Queue

// queue-bench FOLDER [records waiting, in thousands …]: see README.md.

let devices = 10_000
let pairsPerCommit = 100
let measuredPairs = 300_000
/// One record as JSON takes about this much.
let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600)
let start = WallInstant(millisecondsSince1970: 1_795_176_000_000)

/// What this process has used of the processors, and what has passed.
struct Times {
  let processor: Duration
  let wall: Duration

  static var now: Times { Times(processor: read(CLOCK_PROCESS_CPUTIME_ID), wall: read(CLOCK_MONOTONIC)) }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "Linux has this clock")
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// Spread like random bits, so that neighbours in time are no neighbours in the database.
func device(_ number: Int) -> Int { Int(UInt64(number) &* 0x9E37_79B9_7F4A_7C15 >> 40) % devices }

/// Each step inserts a record of a device, and locks and deletes its oldest one: what is waiting stays as much.
func measure(_ path: String, _ commits: QueueDatabase.Commits, waiting: Int) throws {
  let database = try QueueDatabase(path: path, commits: commits)
  let queues = (0..<devices).map { database.queue(of: $0) }
  for number in 0..<waiting {
    try insert(number, queues[number % devices])
    if number % 10_000 == 9_999 { try database.commit() }
  }
  try database.commit()
  var locked: [QueuedRecord] = []
  let before = Times.now
  for number in 0..<measuredPairs {
    let queue = queues[device(number)]
    try insert(waiting + number, queue)
    locked.removeAll(keepingCapacity: true)
    try queue.lock(limit: 1, newestFirst: false, into: &locked)
    let deleted = try queue.delete(locked.map(\.id))
    precondition(deleted == 1, "a record is gone")
    if number % pairsPerCommit == pairsPerCommit - 1 { try database.commit() }
  }
  let after = Times.now
  precondition(queues.reduce(0) { $0 + $1.count } == waiting, "records are missing")
  let perCore = Int(Double(measuredPairs) / ((after.processor - before.processor) / .seconds(1)))
  let perSecond = Int(Double(measuredPairs) / ((after.wall - before.wall) / .seconds(1)))
  print("| \(path == ":memory:" ? "memory" : "file") | \(waiting) | \(perCore) | \(perSecond) |")
}

/// The next start of the process, which reads which rows are whose.
func measureOpening() throws {
  let before = Times.now
  let database = try QueueDatabase(path: file, commits: .grouped)
  let after = Times.now
  let count = (0..<devices).reduce(0) { $0 + database.queue(of: $1).count }
  print("opened again with \(count) records in \(Int((after.wall - before.wall) / .milliseconds(1))) ms")
}

func insert(_ number: Int, _ queue: DeviceQueue) throws {
  let uuid = UUID128(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number))
  _ = try queue.insert(uuid: uuid, timestamp: start.advanced(byMilliseconds: Int64(number)), bytes: body.span)
}

guard CommandLine.arguments.count > 1 else {
  print("usage: queue-bench FOLDER [THOUSANDS …]")
  exit(64)
}
let file = CommandLine.arguments[1] + "/queue-bench.db"
let sizes = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }.map { $0 * 1_000 }
print("| database | records waiting | pairs/s of processor time | pairs/s |")
print("|---|---|---|---|")
for waiting in sizes.isEmpty ? [0, 100_000, 1_000_000] : sizes {
  for path in [file, ":memory:"] {
    for suffix in ["", "-wal", "-shm"] { unsafe unlink(file + suffix) }
    try measure(path, .grouped, waiting: waiting)
    if path == file { try measureOpening() }
  }
}
for suffix in ["", "-wal", "-shm"] { unsafe unlink(file + suffix) }
