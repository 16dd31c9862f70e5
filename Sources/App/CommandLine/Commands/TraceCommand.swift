import DeviceLog
import Fidelity

extension Command {
  static let trace = Command(
    name: "trace",
    summary: "read the log of a real device",
    operands: "FILE",
    operandCount: 1...1,
    flags: [
      .toggle("fidelity", "hold the engine against the log: same inputs, same doings?"),
      .value("differences", "N", "differences to list for each class", standard: "20"),
    ],
    details: """
      Reads the text log that the SDK exports on iOS or Android and says how much of it is understood.
      With --fidelity: the share that agrees, for an engine with the habits seen in logs of real devices,
      and, in the last column, for one that goes by the documents alone, as simulated devices do.
      A log that is packed with gzip is read as it is.
      Exit code 1 when the file cannot be read or is no such log.
      """,
    run: { (invocation) throws(UsageError) in
      let limit = try invocation.values.read("differences", expected: "a whole number", Quantities.count)
      let path = invocation.operands[0]
      guard let text = readLog(path, invocation.process) else { return .runtimeFailure }
      guard let log = LogReader(text) else {
        invocation.process.writeError("rollingroad trace: \(path) is no log of the SDK")
        return .runtimeFailure
      }
      invocation.process.writeOutput(
        "\(log.platform) log: \(log.lineCount) lines, \(log.facts.count) entries, "
          + "\(log.otherCount) without meaning for the engine")
      if invocation.values.isOn("fidelity") {
        let table = FidelityTable(
          FidelityReport(log), documented: FidelityReport(log, isAsObserved: false), limit: limit ?? 20)
        invocation.process.writeOutput(table.text)
      }
      return .ok
    })
  /// A day of a verbose log is a few megabytes.
  private static let logBytesMax = 1 << 30

  /// Nil when there is nothing to read, which was said. A log may have been cut in the middle of a character.
  private static func readLog(_ path: String, _ process: ProcessContext) -> String? {
    guard let file = process.readFile(path) else {
      process.writeError("rollingroad trace: cannot read \(path)")
      return nil
    }
    guard GzipFile.isPacked(file) else { return String(decoding: file, as: UTF8.self) }
    do throws(GzipError) {
      return String(decoding: try GzipFile.unpack(file, limit: logBytesMax), as: UTF8.self)
    } catch {
      process.writeError("rollingroad trace: \(path): \(error)")
      return nil
    }
  }
}
