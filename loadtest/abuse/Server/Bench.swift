import Base
import Glibc
import Support

/// Where the measures run, and where their results go.
struct Bench {
  let program: String
  let results: String
  let commit: String
  let machine: String
  let flags: [String]
  let folder: String
  let clock = SystemClock()

  /// Records that are in the store before anything is measured: enough to fill SQLite's cache, so that what grows later is
  /// not the cache.
  static let warmRecords = 400_000

  /// A server on a folder of its own. `extra` flags come after those of the caller.
  func start(_ name: String, _ extra: [String] = []) throws(Trouble) -> ServerProcess {
    try start(on: "\(folder)/\(name)", extra)
  }

  func start(on folder: String, _ extra: [String] = []) throws(Trouble) -> ServerProcess {
    do throws(ChildProcess.Failure) {
      return try ServerProcess(program: program, folder: folder, flags: flags + extra)
    } catch { throw Trouble(error.description) }
  }

  /// Fills the store as fast as the server takes it.
  func warm(_ server: ServerProcess, records: Int = Bench.warmRecords) throws(Trouble) {
    let batch = 200
    let tally = TallyBox()
    let crowd = try Crowd(uploaders: 16, every: nil, records: batch, port: server.port, salt: 1, tally)
    defer { crowd.end() }
    var stored = 0
    let start = clock.monotonicNow
    while stored < records {
      pause(.milliseconds(50))
      let seen = tally.take()
      stored += (seen.answered - seen.refused) * batch
      guard clock.monotonicNow - start < .seconds(120) else { throw Trouble("filling the store takes too long") }
    }
  }

  func pause(_ time: Nanoseconds) { _ = poll(nil, 0, Int32(clamping: time.wholeMilliseconds)) }

  /// `members` is JSON without its braces. What was printed so far is shown, also through a pipe.
  func record(_ measure: String, _ members: String) throws(Trouble) {
    fflush(nil)
    let flags = flags.joined(separator: " ")
    let line =
      "{\"measure\":\"\(measure)\",\"commit\":\"\(commit)\",\"machine\":\"\(machine)\",\"flags\":\"\(flags)\",\(members)}\n"
    let descriptor = unsafe open(results, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Trouble("writing \(results)", errno) }
    defer { _ = close(descriptor) }
    let bytes = Array(line.utf8)
    guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
      throw Trouble("writing \(results)", errno)
    }
  }
}

/// Figures as a table shows them.
enum Text {
  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  static func right(_ number: Int, _ width: Int) -> String { right("\(number)", width) }

  static func right(_ number: Double, _ width: Int, decimals: Int = 1) -> String {
    right(fixed(number, decimals: decimals), width)
  }

  static func fixed(_ number: Double, decimals: Int = 1) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let whole = Int((number * scale).rounded())
    guard decimals > 0 else { return "\(whole)" }
    let digits = String(abs(whole) % Int(scale))
    let sign = whole < 0 ? "-" : ""
    return "\(sign)\(abs(whole) / Int(scale)).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[(sorted.count - 1) / 2]
  }
}
