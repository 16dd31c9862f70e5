import Scenario

extension Command {
  static let schema = Command(
    name: "schema",
    summary: "print the JSON Schema of scenarios",
    operands: "",
    operandCount: 0...0,
    flags: [.toggle("reference", "print the reference for people instead, in Markdown")],
    details: """
      For editors that complete and check while one types: put the output into a file and name it in the
      scenario, "$schema": "./scenario.schema.json".
      """,
    run: { (invocation) throws(UsageError) in
      let wantsReference = invocation.values.isOn("reference")
      invocation.process.writeOutput(wantsReference ? ScenarioReference.text : ScenarioSchema.document.pretty)
      return .ok
    })
}
