import Store

extension Command {
  static let inspect = Command(
    name: "inspect",
    summary: "look into a data folder, also while its server runs",
    operands: "DIR",
    operandCount: 1...1,
    flags: [
      .toggle("json", "print one JSON object"),
      .value("limit", "N", "devices and quarantined records to list, each", standard: "100"),
    ],
    details: """
      Checks every page of the data file, counts what it holds, and lists devices and quarantined records.
      Reads only. Exit code 1 when the folder cannot be read or its file is damaged.
      """,
    run: { (invocation) throws(UsageError) in
      let limit = try invocation.values.read("limit", expected: "a whole number above 0") { text in
        Quantities.count(text).flatMap { $0 > 0 ? $0 : nil }
      }
      do throws(StoreError) {
        let inspection = try Inspection(of: invocation.operands[0], limit: limit ?? 100)
        invocation.process.writeOutput(invocation.values.isOn("json") ? inspection.json : inspection.table)
        return inspection.problems.isEmpty ? .ok : .runtimeFailure
      } catch {
        invocation.process.writeError("rollingroad inspect: \(error.message)")
        return .runtimeFailure
      }
    })
}
