// The cost of the wrapper: the same rows through sqlite3 as C and through Database, in turns within one run, in processor
// time. Compare the medians of the pairs' ratios, not figures of different runs.
//   database-bench [ROUNDS] [ROWS_PER_ROUND]
import CSQLite
import Database

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let rounds = arguments.first ?? 21
let rows = arguments.dropFirst().first ?? 51_200

let schema = """
  CREATE TABLE d(ts INTEGER NOT NULL, device INTEGER NOT NULL, uuid BLOB NOT NULL, lat REAL, lon REAL, body TEXT NOT NULL,
    PRIMARY KEY(ts, device, uuid)) STRICT, WITHOUT ROWID
  """
let insertion = "INSERT OR IGNORE INTO d(ts, device, uuid, lat, lon, body) VALUES (?, ?, ?, ?, ?, ?)"
let query = "SELECT ts, device, uuid, lat, lon, body FROM d"

var results: [Comparison] = []
for (name, path) in [("memory", ":memory:"), ("wal", "database-bench.tmp")] {
  var writing = Comparison("insert, \(name)")
  var reading = Comparison("select, \(name)")
  for round in 0..<rounds {
    let wrappedFirst = round % 2 == 0 ? try timings(path, WrappedTable.init) : nil
    let plain = try timings(path, PlainTable.init)
    let wrapped = try wrappedFirst ?? timings(path, WrappedTable.init)
    // The first pair warms caches and allocator.
    guard round > 0 else { continue }
    writing.add(plain: plain.insert, wrapped: wrapped.insert)
    reading.add(plain: plain.select, wrapped: wrapped.select)
  }
  results += [writing, reading]
}
for result in results { print(result.line(rows: rows)) }
