import Contract
import JSON
import Testing

@testable import Scenario

@Suite struct SchemaTests {
  let checker = SchemaChecker(ScenarioSchema.document)

  private func tree(_ text: String) throws -> JSONValue { try JSON5Reader.read(text).json }

  @Test func whatTheReaderTakesTheSchemaTakes() throws {
    #expect(try checker.complaints(about: tree(EveryKey.text)) == [])
    for builtIn in BuiltInScenario.all {
      #expect(try checker.complaints(about: tree(builtIn.text)) == [], "\(builtIn.name)")
    }
  }

  /// Each value of a scenario that says everything is replaced by others; whatever the reader still takes, the schema takes.
  @Test func theSchemaIsNeverStricterThanTheReader() throws {
    let replacements: [JSON5Value.Content] = [
      .null, .bool(true), .integer(0), .integer(1), .double(0.5), .string("1m"), .string("${N:-1}"), .array([]),
      .object([]),
    ]
    let document = try JSON5Reader.read(EveryKey.text)
    // What a substitution makes of the other texts is the same each time.
    let whole = filled(document)
    var taken = 0
    for (index, place) in document.places.enumerated() {
      // Every fourth replacement, another one at every place, so that the test takes seconds.
      for content in replacements.indices.filter({ ($0 + index) % 4 == 0 }).map({ replacements[$0] }) {
        let changed = document.replacing(place[...], by: content)
        var context = DecodingContext(names: DeclaredNames(in: changed))
        let isFilled = if case .string(let text) = content { text.contains("$") } else { false }
        let read = isFilled ? filled(changed) : whole.replacing(place[...], by: content)
        _ = ValueCodec<Scenario>.section().read(read, &context)
        guard context.problems.isEmpty else { continue }
        taken += 1
        #expect(checker.complaints(about: changed.json) == [], "\(place) as \(content)")
      }
    }
    #expect(taken > 100)
  }

  private func filled(_ document: JSON5Value) -> JSON5Value {
    var (filled, substitution) = (document, Substitution { _ in nil })
    substitution.replace(in: &filled)
    return filled
  }

  @Test func bothRefuseAKeyTooMuchAndAKeyTooFew() throws {
    let document = try JSON5Reader.read(EveryKey.text)
    for place in document.places {
      let changed = document.adding("unheard-of", at: place[...])
      guard changed != document else { continue }
      var context = DecodingContext(names: DeclaredNames(in: changed))
      _ = ValueCodec<Scenario>.section().read(changed, &context)
      // A map of the author's own names, or a document of the app, takes the key; what is beneath is null.
      #expect(
        context.problems.isEmpty == checker.complaints(about: changed.json).isEmpty || context.isAboutOthers, "\(place)"
      )
    }
    for required in ["version", "name"] {
      let changed = document.removing(required)
      #expect(!checker.complaints(about: changed.json).isEmpty, "\(required)")
    }
  }

  @Test func everyKeyOfTheTablesIsInTheSchemaAndTheOtherWayRound() throws {
    var tables: [String: [String]] = [:]
    var defined = ScenarioSchema.document.keys(of: "scenario", root: true)
    collect(Scenario.table.schema, into: &tables)
    #expect(tables["scenario"] == defined)
    for name in tables.keys.sorted() where name != "scenario" {
      defined = ScenarioSchema.document.keys(of: name, root: false)
      let tags = defined.filter { !(tables[name] ?? []).contains($0) }
      #expect(defined.filter { !tags.contains($0) } == tables[name], "\(name)")
      #expect(tags.allSatisfy { ["type", "model", "executor", "dist"].contains($0) }, "\(name): \(tags)")
    }
    let definitions = ScenarioSchema.document["$defs"]
    guard case .object(let object)? = definitions else { return }
    let others = object.members.map(\.key).filter { tables[$0] == nil }
    #expect(others.sorted() == ["sdk-config", "variable"])
  }

  private func collect(_ section: SectionSchema, into tables: inout [String: [String]]) {
    guard tables[section.name] == nil else {
      #expect(tables[section.name] == section.keys.map(\.name), "two tables are called \(section.name)")
      return
    }
    tables[section.name] = section.keys.map(\.name)
    for key in section.keys { collect(key.schema, into: &tables) }
  }

  private func collect(_ schema: ValueSchema, into tables: inout [String: [String]]) {
    switch schema {
    case .boolean, .integer, .number, .text, .choice, .measure, .configuration, .open: break
    case .list(let inner, _), .map(let inner, _): collect(inner, into: &tables)
    case .section(let section): collect(section, into: &tables)
    case .variants(_, _, let variants): for variant in variants { collect(variant.schema, into: &tables) }
    case .anyOf(let shapes): for inner in shapes { collect(inner, into: &tables) }
    }
  }

  @Test func theReferenceIsUpToDate() throws {
    let written = try RepositoryFile.text("docs/scenario.md")
    #expect(
      written == ScenarioReference.text + "\n",
      "docs/scenario.md is out of date: rollingroad schema --reference > docs/scenario.md")
  }
}

extension DecodingContext {
  /// Problems of values that the schema leaves open.
  fileprivate var isAboutOthers: Bool {
    problems.allSatisfy {
      $0.path.contains("background_geolocation") || $0.path.contains("fences") || $0.path.contains("thresholds")
    }
  }
}

extension JSONValue {
  fileprivate func keys(of definition: String, root: Bool) -> [String] {
    let section = root ? self : self["$defs"]?[definition]
    guard case .object(let properties)? = section?["properties"] else { return [] }
    return properties.members.map(\.key)
  }
}
