import Store

extension Command {
  static let inspect = Command(
    name: "inspect",
    summary: "check a data folder and show what is in it",
    operands: "DIR",
    operandCount: 1...1,
    flags: [
      .toggle("json", "print one JSON object"),
      .value("limit", "N", "how many devices and quarantined records to list", standard: "100"),
    ],
    details: """
      Checks every page of the database, counts what it holds, and lists devices and quarantined records. It only reads,
      so it can be used while a server runs on the folder. The exit code is 1 when the folder cannot be read or the
      database is damaged.
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
