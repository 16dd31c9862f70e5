import Glibc
import Support

// Started by loadtest/abuse/run, which says what the measures are.

let words = CommandLine.arguments
guard words.count >= 6 else {
  print("usage: loadtest/abuse/run [MEASURE [ARGUMENT ...]]")
  exit(2)
}
Sockets.raiseDescriptorLimit()
var isGood = false
do {
  let work = try TemporaryFolder()
  let bench = Bench(
    program: words[1], results: words[2], commit: words[3], machine: words[4],
    flags: words[5].split(separator: " ").map(String.init), folder: work.path)
  isGood = try Measure.run(Array(words[6...]), bench)
} catch {
  print("the measurement failed: \(error)")
  exit(1)
}
exit(isGood ? 0 : 1)
