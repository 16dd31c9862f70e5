internal import JSON

/// The reference of the scenario language in Markdown, made from the tables that read it.
package enum ScenarioReference {
  package static var text: String {
    ([head] + parts(of: Scenario.table.schema) + [tail]).joined(separator: "\n\n")
  }

  /// The keys of a dialect.
  package static var dialect: String { parts(of: Dialect.table.schema).joined(separator: "\n\n") }

  private static func parts(of root: SectionSchema) -> [String] {
    var writer = Writer()
    writer.section(root, tags: [])
    while let next = writer.waiting.first {
      writer.waiting.removeFirst()
      writer.section(next.section, tags: next.tags)
    }
    return writer.parts
  }

  private static let head = """
    # Scenarios

    A scenario describes devices, their movement, networks and target server, the faults of the run, and its pass criteria. It is a file in
    [JSON5](https://json5.org): JSON with comments, trailing commas, single quotes and plain words as keys. Every key that is not in
    these tables is an error, and all errors of a file are reported at once with their places.

    `rollingroad scenarios` lists those that are built in, `rollingroad schema` prints the JSON Schema for editors, and
    `rollingroad simulate SCENARIO --dry-run` prints the plan of a run, or what is wrong with the scenario. `--set path=value` changes one value:
    `--set fleets.couriers.stages[0].target=50`. In every string, `${NAME}` stands for an environment variable and `${NAME:-default}` gives it a
    default; a number may be written this way too. In `sdk.config`, the `config` of a fleet, `target.headers` and `target.url` each device fills in
    `${device.id}` (`cars-7`), `${device.index}` (`7`), `${device.fleet}` and `${run.seed}` (`0x1`); the tags of a fleet take the last two. `$${` stands for `${`.

    This page is the output of `rollingroad schema --reference`, made from the tables that read scenarios; a test fails when it is out of date.
    """

  private static var tail: String {
    let rows = Metric.all.map { "| `\($0.name)` | \($0.kind.rawValue) | \($0.text) |" }
    let aliases = Metric.aliases.map { "`\($0.name)` is `\($0.meaning)`" }.joined(separator: ", ")
    return """
      ## Metrics

      Thresholds have the grammar of k6: `p(95)<800`, `rate>0.97`, `count==0`, for a metric or for the part of it with some tags,
      `upload_duration{fleet:couriers,network:lte}`. Tags: \(Metric.tags.map { "`\($0)`" }.joined(separator: ", ")), and those of the fleets;
      `batch` is true or false, `trigger` is \(Metric.triggers.dropLast().joined(separator: ", ")) or \(Metric.triggers.last ?? ""), `status` 0 when no answer came, `phase` is drive or settle. Durations,
      sizes, failures and checks of requests that leave in the settle phase count only where `phase:settle` asks for them.
      A counter has `count` and `rate`, a gauge `value`, `min` and `max`, a rate `rate`, a trend `avg`, `min`, `med`, `max`, `count` and `p(N)`.

      | metric | kind | what it counts |
      |---|---|---|
      \(rows.joined(separator: "\n"))

      Names of k6: \(aliases). Unlike that of k6, `upload_duration` includes the connection and its handshake.
      """
  }
}

extension ScenarioReference {
  /// Writes sections in the order in which they are first named.
  fileprivate struct Writer {
    var parts: [String] = []
    var waiting: [(section: SectionSchema, tags: [String])] = []
    private var known: [String] = []

    mutating func section(_ section: SectionSchema, tags: [String]) {
      if known.isEmpty { known.append(section.name) }
      var lines = ["## \(section.name)", "", section.text + (tags.isEmpty ? "" : " Chosen by \(list(tags)).")]
      if !section.keys.isEmpty {
        lines += ["", "| key | value | default | meaning |", "|---|---|---|---|"]
        lines += section.keys.map { row($0) }
      }
      parts.append(lines.joined(separator: "\n"))
    }

    private mutating func row(_ key: KeySchema) -> String {
      let standard = key.isRequired ? "**required**" : key.standard.map { "`\($0.serializedText)`" } ?? ""
      let text = key.text
      return "| `\(key.name)` | \(words(for: key.schema)) | \(standard) | \(text) |"
    }

    private mutating func words(for schema: ValueSchema) -> String {
      switch schema {
      case .boolean: return "true or false"
      case .integer(let range): return "\(range.lowerBound) to \(range.upperBound)"
      case .number(let range): return "\(range.lowerBound.short) to \(range.upperBound.short)"
      case .text(_, let words): return words
      case .choice(let names): return list(names.map { "`\($0)`" })
      case .measure(let measure): return "\(measure.name), `\(measure.example)`"
      case .list(let element, _): return "list of: \(words(for: element))"
      case .map(let element, let names):
        return (names.map { "\(list($0.map { "`\($0)`" })) to: " } ?? "names to: ") + words(for: element)
      case .section(let section): return link(section, tags: [])
      case .variants: return alternatives(of: schema, tags: []).joined(separator: " or ")
      case .anyOf(let shapes): return shapes.map { words(for: $0) }.joined(separator: " or ")
      case .configuration: return "the SDK's own keys"
      case .open(let words): return words
      }
    }

    private mutating func alternatives(of schema: ValueSchema, tags: [String]) -> [String] {
      switch schema {
      case .variants(let tag, let standard, let variants):
        return variants.flatMap { variant in
          let isStandard = variant.name == standard ? " (or nothing)" : ""
          return alternatives(of: variant.schema, tags: tags + ["`\(tag): \"\(variant.name)\"`\(isStandard)"])
        }
      case .section(let section): return [link(section, tags: tags)]
      case .boolean, .integer, .number, .text, .choice, .measure, .list, .map, .anyOf, .configuration, .open:
        preconditionFailure("a variant is a section")
      }
    }

    private mutating func link(_ section: SectionSchema, tags: [String]) -> String {
      if !known.contains(section.name) {
        known.append(section.name)
        waiting.append((section, tags))
      }
      return "[\(section.name)](#\(section.name))"
    }

    private func list(_ words: [String]) -> String { words.joined(separator: ", ") }
  }
}
