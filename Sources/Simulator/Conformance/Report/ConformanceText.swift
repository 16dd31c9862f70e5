import BackendStore
import Base

/// The verdicts for a person at a terminal.
package struct ConformanceText {
  private let summary: ConformanceSummary
  private let width: Int
  private let hasColours: Bool
  /// The folder of the run's files; nil without one.
  private let folder: String?

  package init(_ summary: ConformanceSummary, width: Int, hasColours: Bool, folder: String? = nil) {
    (self.summary, self.folder) = (summary, folder)
    self.width = max(40, min(width, 120))
    self.hasColours = hasColours
  }

  /// Returns the line of a clause, printed with its verdict.
  package func line(_ result: ClauseResult) -> String {
    switch result.verdict {
    case .kept(let note, _): "\(green("✓")) \(result.clause.id)\(note.isEmpty ? "" : dim("  \(note)"))"
    case .broken(let breach):
      "\(mark(of: result.clause.level)) \(result.clause.id)\n" + wrapped(breach.cause, indent: 4)
    case .notApplicable(let reason): dim("- \(result.clause.id)  not applicable: \(reason)".withoutControls)
    case .notJudged, .unread, .partly: dim("? \(result.clause.id)  not judged: \(result.remark)".withoutControls)
    }
  }

  /// The report after the run: findings first, each with the request, the answer and a command to reproduce it.
  package var text: String {
    var parts: [String] = []
    for result in summary.causes { parts.append(finding(result)) }
    parts += silent
    parts.append(verdict)
    return parts.joined(separator: "\n\n")
  }

  private func finding(_ result: ClauseResult) -> String {
    guard let breach = result.breach else { return "" }
    let clause = result.clause
    let level = summary.level(of: result)
    let own = level == clause.level ? "" : ", by itself a \(clause.level.rawValue)"
    let rank = "\(level.rawValue)\(own), \(clause.group.rawValue.lowercased())"
    let room = width - clause.id.count - 4
    var lines = ["\(mark(of: level)) \(bold(clause.id))" + (rank.count <= room ? "  \(rank)" : "")]
    if rank.count > room { lines.append(wrapped(rank, indent: 4)) }
    lines.append(wrapped(clause.sentence + ".", indent: 4))
    lines.append(field("cause", breach.cause))
    if !breach.sent.isEmpty { lines.append(field("sent", breach.sent.shortened(3 * width))) }
    if !breach.answered.isEmpty { lines.append(field("answer", breach.answered.shortened(2 * width))) }
    if !breach.stored.isEmpty { lines.append(field("stored", breach.stored.shortened(3 * width))) }
    if !breach.remedy.isEmpty { lines.append(field("remedy", breach.remedy)) }
    lines.append(field("harm", "\(breach.harm.rawValue): the SDK \(breach.harm.consequence)"))
    lines.append(field("why", clause.reason))
    let consequences = summary.broken.filter { $0.cause == clause.id }.map { consequence in
      consequence.clause.id + (level != clause.level && consequence.clause.level == .must ? " (must)" : "")
    }
    if !consequences.isEmpty { lines.append(field("also", consequences.joined(separator: ", "))) }
    let threads = clause.threads.compactMap(ConformanceClause.address(ofThread:))
    if let first = threads.first { lines.append(field("thread", first)) }
    // A line to paste is not wrapped.
    let met = breach.seenIn.filter { $0 != clause.id }
    let again = breach.suspects.isEmpty ? [clause.id] + met : breach.suspects
    let seed = String(summary.seed, radix: 16)
    let command = "\(summary.command) --only \(again.joined(separator: ",")) --seed 0x\(seed)"
    lines.append("    " + dim("again") + "   " + command.withoutControls)
    lines.append("    " + (breach.reproduction.map { commands($0, clause) } ?? dim(Breach.noCommandLine)))
    return lines.joined(separator: "\n")
  }

  private func commands(_ reproduction: Reproduction, _ clause: ConformanceClause) -> String {
    let script = folder.map { "sh \($0)/\(clause.scriptPath)" } ?? "--out DIR writes DIR/\(clause.scriptPath)"
    if reproduction.isLong { return dim("the request is long: \(script)") }
    let all = reproduction.requests.map { "\n" + field("script", "all \($0) requests of the clause: \(script)") } ?? ""
    return dim(reproduction.commandLine.withoutControls) + all
  }

  /// The maximum number of names per reason, so that findings stay visible.
  private static let namesMax = 24

  /// Returns the reason without the names of devices, which make no other one.
  private func kind(of reason: String) -> String {
    let start = "c\(ConformanceRun.Settings.runID(of: summary.start))"
    var (kind, rest) = ("", reason[...])
    while let found = rest.firstRange(of: start) {
      kind += rest[..<found.lowerBound]
      rest = rest[found.upperBound...].drop { $0.isLetter || $0.isNumber || "-_.%".contains($0) }
    }
    return kind + rest
  }

  /// The clauses that were not judged, by reason.
  private var silent: [String] {
    var groups: [(kind: String, reason: String, ids: [String])] = []
    for result in summary.results {
      let reason: String
      switch result.verdict {
      case .notApplicable, .notJudged, .unread, .partly: reason = "\(result.verdict.word): \(result.remark)"
      case .kept, .broken: continue
      }
      let kind = kind(of: reason)
      if let index = groups.firstIndex(where: { $0.kind == kind }) {
        groups[index].ids.append(result.clause.id)
      } else {
        groups.append((kind, reason, [result.clause.id]))
      }
    }
    guard !groups.isEmpty else { return [] }
    let lines = groups.map { group -> String in
      let rest = group.ids.count - ConformanceText.namesMax
      let names =
        rest < 2
        ? group.ids : group.ids.prefix(ConformanceText.namesMax) + ["and \(rest) more, which --verbose and --out show"]
      return wrapped(group.reason, indent: 2) + "\n" + wrapped(names.joined(separator: ", "), indent: 4)
    }
    return [dim(lines.joined(separator: "\n"))]
  }

  private var verdict: String {
    let counts = [
      (summary.broken.count, "broken"), (summary.notApplicable.count, "not applicable"),
      (summary.notJudged.count, "not judged"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let tail = counts.isEmpty ? "" : "; " + counts.joined(separator: ", ")
    let seconds = "\(Int(summary.seconds.rounded())) s"
    let reserved = summary.reservations.isEmpty ? "" : "; " + summary.reservations.joined(separator: "; ")
    let word = String(
      wrapped("\(summary.count) clauses kept\(reserved)\(tail); \(seconds)", indent: 2).drop { $0 == " " })
    let mark =
      switch summary.outcome {
      case .allKept: reserved.isEmpty ? green("✓") : yellow("!")
      case .mustBroken, .shouldBroken: red("✗")
      case .interrupted, .storeUnread, .outOfTime, .nothingJudged:
        summary.broken.isEmpty ? yellow("?") : red("✗")
      }
    return "\(mark) " + bold(word) + untested
  }

  /// The gaps that a reader of the verdict would not expect.
  private var untested: String {
    let limit = summary.rateLimit.map {
      "the list limits the rate (\($0)), and was waited for: a longer --time-limit gives it more time"
    }
    let restart =
      summary.lacksRestart
      ? "without --restart it was not put to the test whether a record is stored for good before its answer" : nil
    let unshown = summary.unshown.map {
      "\(ConformanceVerdict.unshownNote($0.field)): \($0.ids.joined(separator: ", ")) \($0.ids.count == 1 ? "was" : "were") judged without it (promises.keeps names what must be there)"
    }
    return (unshown + [limit, restart].compactMap(\.self)).map { "\n" + wrapped($0, indent: 2) }.joined()
  }

  private func mark(of level: ClauseLevel) -> String { level == .must ? red("✗") : yellow("!") }

  private func field(_ name: String, _ text: String) -> String {
    let head = "    " + dim(name) + String(repeating: " ", count: 8 - name.count)
    return head + wrapped(text, indent: 12).drop { $0 == " " }
  }

  /// Wraps words at the width; a longer word gets a line of its own.
  private func wrapped(_ text: String, indent: Int) -> String {
    let text = text.withoutControls
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(margin + line) }
    return lines.joined(separator: "\n")
  }

  private func coloured(_ text: String, _ code: String) -> String {
    hasColours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
  private func green(_ text: String) -> String { coloured(text, "32") }
  private func red(_ text: String) -> String { coloured(text, "31") }
  private func yellow(_ text: String) -> String { coloured(text, "33") }
  private func dim(_ text: String) -> String { coloured(text, "2") }
  private func bold(_ text: String) -> String { coloured(text, "1") }
}

extension String {
  /// The text with control characters written as `\u{1B}`, so that a backend's output cannot control the terminal.
  var withoutControls: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.value {
      case 0x09, 0x0A: text.unicodeScalars.append(scalar)
      case ..<0x20, 0x7F..<0xA0: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
