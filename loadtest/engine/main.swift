// What a device costs: nanoseconds of processor time and allocations for each fix of a drive, the whole of a commuter's
// day, and the memory of an engine at rest. Medians of 21 rounds.
//   engine-bench
import AllocationCounter
import Base
import Contract
import Engine
import Glibc
import Vocabulary

func threadNanoseconds() -> Double {
  var time = timespec()
  let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  precondition(result == 0, "the thread has no clock")
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func median(_ rounds: Int = 21, _ body: () -> Double) -> Double {
  (0..<rounds).map { _ in body() }.sorted()[rounds / 2]
}

func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

for (platform, fences) in [(DevicePlatform.ios, 0), (.android, 0), (.ios, 10), (.android, 500)] {
  var commuter = Commuter(platform, device: 1, fences: fences)
  commuter.liveADay()

  let perFix = median {
    commuter.drive(seconds: 60)
    let start = threadNanoseconds()
    for second in 0..<10_000 { commuter.track(second) }
    return (threadNanoseconds() - start) / 10_000
  }
  let before = allocation_count()
  for second in 0..<10_000 { commuter.track(second) }
  let allocations = Double(allocation_count() - before) / 10_000

  let perDay = median(5) {
    let start = threadNanoseconds()
    commuter.liveADay()
    return threadNanoseconds() - start
  }
  print(
    "\(platform.rawValue), \(fences) fences: \(text(perFix)) ns per fix, \(allocations) allocations, "
      + "\(text(perDay / 1e6)) ms per day of \(2 * 3_600) fixes")
}

/// What a thousand engines hold after a drive: in the value itself, and on the heap. The array that holds them is large
/// enough to be mapped, and so does not count.
func memory() -> (inline: Int, heap: Int) {
  let count = 1_000
  var engines: [Engine] = []
  engines.reserveCapacity(count)
  let before = allocated_bytes()
  for device in 0..<count {
    var commuter = Commuter(.ios, device: UInt64(device))
    commuter.drive(seconds: 600)
    engines.append(commuter.engine)
  }
  let after = allocated_bytes()
  precondition(engines.count == count, "the engines live until here")
  return (MemoryLayout<Engine>.stride, Int(after - before) / count)
}

let (inline, heap) = memory()
print("memory of an engine: \(inline) bytes in the value, \(heap) on the heap")
for (name, size) in [
  ("Effect", MemoryLayout<Effect>.stride), ("EngineInput", MemoryLayout<EngineInput>.stride),
  ("LocationRecord", MemoryLayout<LocationRecord>.stride), ("LogEntry", MemoryLayout<LogEntry>.stride),
] { print("  \(name): \(size) bytes") }
