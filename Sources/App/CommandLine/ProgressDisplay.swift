import Base
import FleetSimulator
import Glibc
import Reports

/// The progress of a run: an updated line on a terminal, or an occasional line in a log.
final class ProgressDisplay {
  private let process: ProcessContext
  private let clock = SystemClock()
  private let start: MonotonicInstant
  private var last: MonotonicInstant
  private var lastShare = 0.0
  private var width = 0

  private static let renewal = Nanoseconds.milliseconds(100)
  private static let logInterval = Nanoseconds.seconds(10)

  init(_ process: ProcessContext) {
    self.process = process
    start = clock.monotonicNow
    last = start
  }

  func show(_ progress: RunProgress) {
    let now = clock.monotonicNow
    if process.errorIsTerminal {
      guard now - last >= ProgressDisplay.renewal else { return }
      // One column less: some terminals wrap when the last column is written.
      let room = process.errorWidth().map { $0 - 1 } ?? .max
      renew(ProgressText.bar(progress, left: left(progress, at: now), width: room))
    } else {
      guard progress.share - lastShare >= 0.1 || now - last >= ProgressDisplay.logInterval else { return }
      lastShare = progress.share
      process.writeError(ProgressText.line(progress, left: left(progress, at: now)))
    }
    last = now
  }

  /// Clears the line for other output.
  func clear() {
    guard width > 0 else { return }
    process.writeRaw("\r" + String(repeating: " ", count: width) + "\r")
    width = 0
  }

  private func renew(_ line: String) {
    let rest = String(repeating: " ", count: max(width - line.count, 0))
    process.writeRaw("\r" + line + rest)
    width = line.count
  }

  /// Estimates the remaining time from the elapsed time and the progress.
  private func left(_ progress: RunProgress, at now: MonotonicInstant) -> Nanoseconds? {
    guard progress.share > 0.02 else { return nil }
    return Nanoseconds(Int64(Double((now - start).count) * (1 - progress.share) / progress.share))
  }
}

/// Returns the columns of a terminal; nil when unknown.
func terminalWidth(_ descriptor: Int32) -> Int? {
  var size = winsize()
  let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
  return isKnown ? Int(size.ws_col) : nil
}
