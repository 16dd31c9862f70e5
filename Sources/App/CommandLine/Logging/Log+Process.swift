import Base

extension Log {
  /// The log of a process: lines on the standard error, for people when that is a terminal and as JSON otherwise.
  init(of process: ProcessContext) {
    let clock = SystemClock()
    let writeError = process.writeError
    let isForPeople = process.errorIsTerminal
    self.init(upTo: .info, now: { clock.wallNow }) { event in
      var line: [UInt8] = []
      if isForPeople { event.appendLine(to: &line) } else { event.appendJSONLine(to: &line) }
      // The context ends each line itself.
      writeError(String(decoding: line.dropLast(), as: UTF8.self))
    }
  }
}
