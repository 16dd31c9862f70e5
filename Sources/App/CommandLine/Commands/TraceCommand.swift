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
      For a packed log: gzip -dc car.log.gz | rollingroad trace /dev/stdin --fidelity
      Exit code 1 when the file cannot be read or is no such log.
      """,
    run: { (invocation) throws(UsageError) in
      let limit = try invocation.values.read("differences", expected: "a whole number", Quantities.count)
      let path = invocation.operands[0]
      guard let text = invocation.process.readFile(path) else {
        invocation.process.writeError("rollingroad trace: cannot read \(path)")
        return .runtimeFailure
      }
      guard let log = LogReader(text) else {
        invocation.process.writeError("rollingroad trace: \(path) is no log of the SDK")
        return .runtimeFailure
      }
      invocation.process.writeOutput(
        "\(log.platform) log: \(log.lineCount) lines, \(log.facts.count) entries, "
          + "\(log.otherCount) without meaning for the engine")
      if invocation.values.isOn("fidelity") {
        invocation.process.writeOutput(FidelityTable(FidelityReport(log), limit: limit ?? 20).text)
      }
      return .ok
    })
}
