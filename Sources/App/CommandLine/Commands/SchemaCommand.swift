import Scenario

extension Command {
  static let schema = Command(
    name: "schema",
    summary: "print the JSON Schema of scenarios",
    operands: "",
    operandCount: 0...0,
    flags: [.toggle("reference", "print the reference as Markdown instead")],
    details: """
      Editors use the schema to complete and check a scenario as you type: save it, and name the file in the scenario as
      "$schema": "./scenario.schema.json".
      """,
    examples: [
      "rollingroad schema > scenario.schema.json"
    ],
    run: { (invocation) throws(UsageError) in
      let wantsReference = invocation.values.isOn("reference")
      invocation.process.writeOutput(wantsReference ? ScenarioReference.text : ScenarioSchema.document.pretty)
      return .ok
    })
}
