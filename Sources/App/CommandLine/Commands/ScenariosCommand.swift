import Base
import Scenario

extension Subcommand {
  static let scenarios = Subcommand(
    name: "scenarios",
    summary: "list the built-in scenarios, or print one",
    operands: "[NAME]",
    operandCount: 0...1,
    flags: [],
    details: """
      Without NAME, lists each built-in scenario with a line about what it shows. With NAME, prints its file, which you can
      save and change.
      """,
    examples: [
      "rollingroad scenarios",
      "rollingroad scenarios tunnel-exit > mine.json5",
    ],
    run: { (invocation) throws(UsageError) in
      guard let name = invocation.operands.first else {
        let width = BuiltInScenario.all.map(\.name.count).max() ?? 0
        let lines = BuiltInScenario.all.map { scenario in
          scenario.name + String(repeating: " ", count: width - scenario.name.count + 3) + scenario.description
        }
        invocation.process.writeOutput(lines.joined(separator: "\n"))
        return .ok
      }
      guard let scenario = BuiltInScenario.named(name) else { throw UsageError(unknownScenario(name)) }
      invocation.process.writeOutput(scenario.text)
      return .ok
    })
}

extension Subcommand {
  static let schema = Subcommand(
    name: "schema",
    summary: "print the JSON Schema of scenarios, or of dialects",
    operands: "",
    operandCount: 0...0,
    flags: [
      .toggle("reference", "print the reference as Markdown instead"),
      .toggle("dialect", "print the schema of dialect files, which 'rollingroad conform' reads, instead"),
    ],
    details: """
      Editors use the schema to complete and check a scenario as you type: save it, and name the file in the scenario as
      "$schema": "./scenario.schema.json".
      """,
    examples: [
      "rollingroad schema > scenario.schema.json",
      "rollingroad schema --dialect > dialect.schema.json",
    ],
    run: { (invocation) throws(UsageError) in
      let (wantsReference, isDialect) = (invocation.values.isOn("reference"), invocation.values.isOn("dialect"))
      let reference = isDialect ? ScenarioReference.dialect : ScenarioReference.text
      let schema = isDialect ? ScenarioSchema.dialect : ScenarioSchema.document
      invocation.process.writeOutput(wantsReference ? reference : schema.pretty)
      return .ok
    })
}

extension Subcommand {
  static let version = Subcommand(
    name: "version",
    summary: "print the version and exit",
    operands: "",
    operandCount: 0...0,
    flags: [],
    details: "Prints \"rollingroad\" and the version on one line. 'rollingroad --version' does the same.",
    run: { (invocation) throws(UsageError) in
      invocation.process.writeOutput("rollingroad \(Product.version)")
      return .ok
    })
}
