// Usage: network-bench ADDRESS [LOOPS]. Serves until a signal; then prints what was counted.
import Base
import Glibc
import Network

let arguments = CommandLine.arguments
guard arguments.count >= 2, let loops = arguments.count > 2 ? Int(arguments[2]) : 1 else {
  print("usage: network-bench ADDRESS [LOOPS]")
  exit(2)
}
do {
  let signals = try SignalWatcher([SIGTERM, SIGINT])
  var configuration = NetworkConfiguration()
  configuration.loops = loops
  let group = try LoopGroup<CannedAnswerSession>(configuration, on: ListenAddress(parsing: arguments[1])) { _, _ in
    { _ in CannedAnswerSession() }
  }
  print("listening http://\(group.address)")
  fflush(nil)
  let outcome = group.run(until: signals, drainWithin: .seconds(5))
  print(outcome, group.figures.reduce(LoopFigures(), +))
} catch {
  print(error)
  exit(1)
}
