import Base
import Contract
import CurlTransport
import Glibc
import Synchronization
import Upload

// transport-bench URL mobile|shared|fresh DEVICES ROUNDS RATE [SOURCE …]: see README.md.

/// What has ended, for the thread that waits for it.
final class Tally: Sendable {
  struct Counts {
    var ended = 0
    var failed = 0
    var connects = 0
    var lastFailure = ""
    var microseconds = Histogram(highestTrackableValue: 60_000_000)
  }

  let counts = Mutex(Counts())
  func add(_ completions: [TransportCompletion]) {
    counts.withLock { counts in
      for completion in completions {
        counts.ended += 1
        counts.connects += completion.timings.newConnections
        counts.microseconds.record(UInt64(completion.timings.total.count / 1_000))
        guard case .answered(200, _, _) = completion.outcome else {
          counts.failed += 1
          counts.lastFailure = "\(completion.outcome)"
          continue
        }
      }
    }
  }
}

func processorTime() -> Duration {
  var time = timespec()
  let result = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  precondition(result == 0, "Linux has this clock")
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// What this process has in memory, in KiB (proc_pid_status(5)).
func residentKiB() -> Int {
  guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
  defer { _ = unsafe fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while unsafe fgets(&line, 256, file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard text.hasPrefix("VmRSS:") else { continue }
    return Int(text.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) ?? 0
  }
  return 0
}

let arguments = CommandLine.arguments
guard arguments.count > 5, let devices = Int(arguments[3]), let rounds = Int(arguments[4]), let rate = Int(arguments[5])
else {
  print("usage: transport-bench URL mobile|shared|fresh DEVICES ROUNDS RATE [SOURCE …]")
  exit(64)
}
var configuration = TransportConfiguration()
switch arguments[2] {
case "shared": configuration.connections = .shared(atMost: 64)
case "fresh": configuration.connections = .fresh
default: configuration.connections = .mobile
}
configuration.sourceAddresses = Array(arguments.dropFirst(6))
let headers = [
  NameValuePair("Content-Type", "application/json"), NameValuePair("User-Agent", "BGGeoSim/1 (iOS)"),
  NameValuePair("Authorization", "Bearer " + String(repeating: "x", count: 120)),
]
let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600)
let tally = Tally()
let emptyKiB = residentKiB()
let transport = try CurlTransport(configuration) { tally.add($0) }
print(
  "| round | requests/s | µs of processor time each | p50 ms | p99 ms | new connections | failed | KiB each device |")
print("|---|---|---|---|---|---|---|---|")
var id: UInt64 = 0
for round in 1...rounds {
  let start = ContinuousClock.now
  let before = processorTime()
  let target = tally.counts.withLock { $0.ended } + devices
  tally.counts.withLock { ($0.connects, $0.microseconds) = (0, Histogram(highestTrackableValue: 60_000_000)) }
  var submitted = 0
  while submitted < devices {
    id += 1
    let request = OutgoingRequest(
      id: id, purpose: .records, method: "POST", url: arguments[1], headers: headers, body: body, timeout: .seconds(60))
    transport.submit(request, device: submitted)
    submitted += 1
    let inFlight = submitted - (tally.counts.withLock { $0.ended } + devices - target)
    let isEarly = rate > 0 && .seconds(Double(submitted) / Double(rate)) > ContinuousClock.now - start
    if isEarly || inFlight >= 200 { _ = poll(nil, 0, 1) }
  }
  while tally.counts.withLock({ $0.ended }) < target { _ = poll(nil, 0, 1) }
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  let each = (processorTime() - before) / .microseconds(devices)
  let memory = Double(residentKiB() - emptyKiB) / Double(devices)
  tally.counts.withLock { counts in
    let quantiles = [0.5, 0.99].map { Double(counts.microseconds.value(atQuantile: $0) ?? 0) / 1_000 }
    print(
      "| \(round) | \(Int(Double(devices) / seconds)) | \((each * 10).rounded() / 10) | \(quantiles[0]) "
        + "| \(quantiles[1]) | \(counts.connects) | \(counts.failed) | \((memory * 10).rounded() / 10) |")
    if counts.failed > 0 { print(counts.lastFailure) }
  }
}
transport.stop()
