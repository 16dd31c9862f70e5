// What one measurement costs while measuring: record, add, and a log line nobody wants. The fastest of nine rounds.
//   base-bench [MILLIONS]
import Base

let millions = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20
let repetitions = millions * 1_000_000

func report(_ name: String, _ body: () -> Void) {
  let clock = ContinuousClock()
  let rounds = (0..<9).map { _ in clock.measure(body) / .nanoseconds(repetitions) }
  let fastest = rounds.reduce(.infinity, min)
  print("\(name): \((fastest * 100).rounded() / 100) ns")
}

var histogram = Histogram(highestTrackableValue: 3_600_000_000_000)
var value: UInt64 = 1
report("histogram record") {
  for _ in 0..<repetitions {
    value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    histogram.record(value >> 34)
  }
}
report("the random number alone") {
  for _ in 0..<repetitions { value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
}

var registry = MetricsRegistry()
let counter = registry.counter("bench_total", help: "")
let gauge = registry.gauge("bench_level", help: "")
let shared = registry.histogram(
  "bench_seconds", help: "", bounds: [1_000, 10_000], divisor: 1_000_000)
report("counter add") { for _ in 0..<repetitions { counter.add() } }
report("gauge add") { for step in 0..<repetitions { gauge.add(Int64(step & 1)) } }
report("shared histogram record") { for step in 0..<repetitions { shared.record(UInt64(step & 0xFFFF)) } }

let log = Log(upTo: .warning, now: { WallInstant(millisecondsSince1970: 0) }, sink: { _ in })
report("log below the threshold") {
  for step in 0..<repetitions { log.info("not written", ["step": .integer(Int64(step)), "kind": .string("bench")]) }
}
print("checksums: \(histogram.count) \(counter.value) \(gauge.value) \(value)")

var page: [UInt8] = []
let clock = ContinuousClock()
let rendering = clock.measure { registry.render(into: &page) }
print("page of \(page.count) bytes with one histogram: \(rendering)")
