// Long fuzzing on demand; the bounded runs are unit tests.
//
//   fuzz MINUTES|--iterations N [--seed S] [--from ITERATION] [json] [http1] [tokens]
//
// A finding names seed and iteration: --seed S --from ITERATION --iterations 1 shows it again.

import Glibc
import ServerSupport
import Support

let fuzzers: [(name: String, run: (_ seed: UInt64, _ iterations: Range<Int>) -> FuzzFinding?)] = [
  ("json", { JSONFuzz().run(seed: $0, iterations: $1) }),
  ("http1", { HTTP1Fuzz().run(seed: $0, iterations: $1) }),
  ("tokens", { TokenFuzz().run(seed: $0, iterations: $1) }),
]

let arguments = FuzzArguments(CommandLine.arguments.dropFirst(), names: fuzzers.map(\.name))
print("seed \(arguments.seed)")
fflush(nil)
FuzzFlightRecorder.install()

let chosen = fuzzers.filter { arguments.names.contains($0.name) }
for fuzzer in chosen {
  let clock = ContinuousClock()
  let end = clock.now + arguments.duration / chosen.count
  var next = arguments.firstIteration
  while next < arguments.endIteration, clock.now < end {
    let batch = next..<min(next + 1000, arguments.endIteration)
    // A thousand small inputs take milliseconds, so this long means that one of them hangs.
    alarm(60)
    if let finding = fuzzer.run(arguments.seed, batch) {
      print("\(fuzzer.name): \(finding)")
      exit(1)
    }
    next = batch.upperBound
  }
  alarm(0)
  print("\(fuzzer.name): \(next - arguments.firstIteration) inputs, no finding")
  fflush(nil)
}
