/// Reads the text of a scenario: overrides go into it, then variables, then the tables judge all of it, so that one
/// reading finds everything that is wrong.
package struct ScenarioReader {
  /// A scenario that is right, and what its author should know of it.
  package struct Result: Sendable {
    package var scenario: Scenario
    /// What takes effect, though not as the author may think.
    package let notes: [ScenarioProblem]
    /// What this version understands and cannot do. A run refuses a scenario that has any.
    package let notYet: [ScenarioProblem]
    /// What was read, with overrides and variables put in.
    package let document: ScenarioDocument
  }

  let overrides: [Override]
  let variable: (String) -> String?
  private var textMayBeNumber = false

  /// `variable` looks into the environment.
  package init(overrides: [Override] = [], variable: @escaping (String) -> String? = { _ in nil }) {
    self.overrides = overrides
    self.variable = variable
  }

  /// A document that was read before. Its variables are texts by now, whatever they stand for.
  package static func read(_ document: ScenarioDocument) throws(ScenarioProblems) -> Result {
    var reader = ScenarioReader()
    reader.textMayBeNumber = true
    return try reader.read(document.text)
  }

  package func read(_ text: String) throws(ScenarioProblems) -> Result {
    var problems: [ScenarioProblem] = []
    var document = try parse(text)
    for (index, override) in overrides.enumerated() {
      do throws(ScenarioProblem) { try document.apply(override, number: index + 1) } catch { problems.append(error) }
    }
    var substitution = Substitution(variable: variable, marksAll: textMayBeNumber)
    substitution.replace(in: &document)
    let resolved = ScenarioDocument(document)
    var inheritance = MotionInheritance(of: document)
    if case .object(var members) = document.content, let motions = inheritance.resolved(),
      let index = members.firstIndex(where: { $0.key == "motion" })
    {
      members[index].value = motions
      document.content = .object(members)
    }
    var reading = Reading(names: DeclaredNames(in: document))
    let scenario = Form<Scenario>.section().read(document, &reading)
    // What does not even stand there cannot be judged as a whole.
    if let scenario, reading.problems.isEmpty { reading.judge(scenario, document) }
    problems += substitution.problems + inheritance.problems + reading.problems
    guard let scenario, problems.isEmpty else { throw ScenarioProblems(problems) }
    return Result(
      scenario: scenario, notes: reading.notes.inReadingOrder, notYet: reading.notYet.inReadingOrder,
      document: resolved)
  }

  private func parse(_ text: String) throws(ScenarioProblems) -> JSON5Value {
    do throws(ScenarioProblem) { return try JSON5Reader.read(text) } catch { throw ScenarioProblems([error]) }
  }
}
