import BackendStore
import JSON

/// The list of clauses for people: on the terminal, and in docs/conform.md.
package struct ConformanceList {
  private let clauses: [ConformanceClause]

  package init(_ settings: ConformanceRun.Settings) {
    clauses = ConformanceClause.all.filter { clause in
      (settings.only?.contains(clause.id) ?? true) && !settings.skip.contains(clause.id)
    }
  }

  package var text: String {
    var lines: [String] = []
    for group in ClauseGroup.allCases {
      let members = clauses.filter { $0.group == group }
      if members.isEmpty { continue }
      lines += lines.isEmpty ? [] : [""]
      lines.append("\(group.rawValue) (\(group.name))")
      for clause in members { lines.append("  \(clause.id)  \(clause.level.rawValue)\n    \(clause.sentence).") }
    }
    return lines.joined(separator: "\n") + "\n\n\(clauses.count) clauses"
  }

  /// The list for programs.
  package var json: String {
    var writer = JSONWriter(capacity: 65_536)
    writer.beginArray()
    for clause in clauses {
      writer.beginObject()
      for (key, text) in [
        ("id", clause.id), ("group", clause.group.name), ("level", clause.level.rawValue),
        ("harm", clause.harm.rawValue),
        ("sentence", clause.sentence), ("reason", clause.reason),
      ] {
        writer.key(key)
        writer.value(text)
      }
      writer.endObject()
    }
    writer.endArray()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A table for each group, in Markdown.
  package static var markdown: String {
    ClauseGroup.allCases.map { group in
      let rows = ConformanceClause.all.filter { $0.group == group }.map { clause in
        let threads = clause.threads.compactMap { thread in
          ConformanceClause.address(ofThread: thread).map { "[\(thread)](\($0))" }
        }
        let needs = clause.needs.subtracting([.store]).map(\.rawValue).sorted().joined(separator: ", ")
        return
          "| `\(clause.id)` | \(clause.level.rawValue), \(clause.harm.rawValue) | \(clause.sentence) | \(clause.reason)\(threads.isEmpty ? "" : "; " + threads.joined(separator: ", ")) | \(needs) |"
      }
      return
        (["### \(group.rawValue)", "", "| clause | level, harm | the backend | why | needs |", "|---|---|---|---|---|"]
        + rows)
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
