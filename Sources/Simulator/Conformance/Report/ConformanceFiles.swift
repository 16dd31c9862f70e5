import BackendStore
import Base
import Contract
import CurlTransport
import Database
import Formats
import JSON
import Scenario
import Shell

/// The files that a run writes into the folder of `--out`.
package struct ConformanceFiles {
  private let summary: ConformanceSummary

  package init(_ summary: ConformanceSummary) { self.summary = summary }

  package var all: [(name: String, text: String)] {
    [("report.md", markdown), ("junit.xml", junit), ("conformance.json", json), ("badge.txt", summary.badge + "\n")]
      + reproductions
  }

  /// The names of all files that a run may write into `again`.
  package static let namesOfReproductions = ConformanceClause.all.flatMap { clause in
    [clause.scriptPath, clause.scenarioPath]
  }

  /// For each finding, a script that shows it again, run by `sh again/batch-250.sh`, and, if the clause sent complete requests
  /// only, a scenario with all of them for `rollingroad simulate again/batch-250.json5`.
  private var reproductions: [(String, String)] {
    summary.causes.flatMap { result in
      var files: [(String, String)] = []
      if let script = result.breach?.reproduction?.script {
        let remark = (result.clause.sentence + ".\n" + result.remark).replacing("\n", with: "\n# ")
        files.append((result.clause.scriptPath, "#!/bin/sh\n# \(remark)\n\(script)\n"))
      }
      if let requests = result.breach?.requests {
        let opening = RequestScenario.opening(
          name: result.clause.id, description: "\(result.clause.sentence): \(result.remark)", target: writeTarget)
        let bytes = opening + requests + RequestScenario.closing
        files.append((result.clause.scenarioPath, String(decoding: bytes, as: UTF8.self)))
      }
      return files
    }
  }

  /// Writes the server and the access to its store in the form of a scenario.
  private func writeTarget(_ writer: inout JSONWriter) {
    func member(_ key: String, _ text: String?) {
      guard let text else { return }
      writer.key(key)
      writer.value(text)
    }
    func members(_ key: String, _ members: [Named<String>]) {
      guard !members.isEmpty else { return }
      writer.key(key)
      writer.beginObject()
      for each in members { member(each.name, each.value) }
      writer.endObject()
    }
    let (dialect, verification) = (summary.dialect, summary.dialect.verification)
    member("preset", dialect.preset?.rawValue)
    member("url", summary.target)
    writeTrust(&writer)
    guard verification.url != nil || verification.place.count > 0 else { return }
    writer.key("verify")
    writer.beginObject()
    if let url = verification.url {
      member("url", RequestScenario.escaped(url))
      members("headers", verification.headers.map(ConformanceFiles.withoutSecret))
      member("uuids", verification.records)
      member("next", verification.next)
    }
    member(
      "database",
      verification.place.database.map { RequestScenario.escaped(PostgresURI($0)?.shown ?? WholePath.of($0)) })
    member("query", verification.place.query.map(RequestScenario.escaped))
    member("command", verification.place.command.map(RequestScenario.escaped))
    member("file", verification.place.file.map { RequestScenario.escaped(WholePath.of($0)) })
    member("stream", verification.place.stream.map(RequestScenario.escaped))
    members("fields", verification.fields)
    if let kept = dialect.promises.kept, !kept.isEmpty {
      writer.key("keeps")
      writer.beginArray()
      for field in kept { writer.value(field.rawValue) }
      writer.endArray()
    }
    if verification.readDelay > .zero { member("readDelay", "\(verification.readDelay.wholeMilliseconds)ms") }
    writer.endObject()
  }

  private func writeTrust(_ writer: inout JSONWriter) {
    let transport = summary.transport
    let files = [
      ("ca", transport.certificateAuthorities), ("clientCert", transport.clientCertificate),
      ("clientKey", transport.clientKey),
    ].compactMap { key, file in file.map { (key, RequestScenario.escaped(WholePath.of($0))) } }
    guard !files.isEmpty || !transport.checksServer else { return }
    writer.key("tls")
    writer.beginObject()
    for (key, file) in files {
      writer.key(key)
      writer.value(file)
    }
    if !transport.checksServer {
      writer.key("insecure")
      writer.value(true)
    }
    writer.endObject()
  }

  /// Replaces fields that may contain credentials by a variable: `Authorization` by `VERIFY_AUTHORIZATION`.
  private static func withoutSecret(_ field: Named<String>) -> Named<String> {
    let variable = SecretPurpose.verify.variable(for: NameValuePair(field.name, field.value))
    return Named(name: field.name, value: variable.map { "${\($0)}" } ?? DevicePlaceholders.escaped(field.value))
  }

  private var markdown: String {
    var lines = [
      "# \(([summary.count + " clauses kept"] + summary.reservations).joined(separator: "; "))", "",
      "Target `\(summary.target)`, \(summary.store.map { "store `\($0)`" } ?? "no store to look at"), seed `0x\(String(summary.seed, radix: 16))`, \(summary.start.iso8601Text)\(summary.transport.checksServer ? "" : "; the certificate of the server was not checked").",
    ]
    if summary.lacksRestart {
      lines += [
        "", "Without `--restart` it was not put to the test whether a record is stored for good before its answer.",
      ]
    }
    for result in summary.causes {
      guard let breach = result.breach else { continue }
      lines += [
        "", "## \(result.clause.id)", "", "\(result.clause.sentence) (\(summary.level(of: result).rawValue)).", "",
      ]
      lines.append("- **Cause:** \(breach.cause)")
      if !breach.sent.isEmpty { lines.append("- **Sent:** `\(breach.sent.withoutControls)`") }
      if !breach.answered.isEmpty { lines.append("- **Answer:** `\(breach.answered.withoutControls)`") }
      if !breach.stored.isEmpty { lines.append("- **Stored:** `\(breach.stored.withoutControls)`") }
      if !breach.remedy.isEmpty { lines.append("- **Remedy:** \(breach.remedy)") }
      lines.append("- **Harm:** \(breach.harm.rawValue): the SDK \(breach.harm.consequence)")
      lines.append("- **Why:** \(result.clause.reason)")
      let also = summary.broken.filter { $0.cause == result.clause.id }.map { "`\($0.clause.id)`" }
      if !also.isEmpty { lines.append("- **Because of it:** \(also.joined(separator: ", "))") }
      for thread in result.clause.threads {
        if let address = ConformanceClause.address(ofThread: thread) {
          lines.append("- **Thread:** [\(thread)](\(address))")
        }
      }
      lines += [""] + (result.commands.map { ["```sh", $0, "```"] } ?? [Breach.noCommandLine])
      if let count = breach.reproduction?.requests {
        lines += ["", "All \(count) requests of the clause: `sh \(result.clause.scriptPath)`."]
      }
      if breach.requests == nil {
        lines += [
          "",
          "A scenario cannot express this clause: the clause sends partial, simultaneous or too many requests, waits, restarts the backend, depends on the clock, looks for records that it did not send, or has found what happens by chance.",
        ]
      }
    }
    lines += ["", "## All clauses", "", "| clause | level | verdict | |", "|---|---|---|---|"]
    for result in summary.results {
      lines.append(
        "| `\(result.clause.id)` | \(result.clause.level.rawValue) | \(result.verdict.word) | \(result.remark.escapedForTable) |"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var junit: String {
    let failures = summary.broken.count
    let missed = summary.results.count(where: \.isMissed)
    let skipped = summary.notApplicable.count + summary.notJudged.count - missed
    let counts =
      "tests=\"\(summary.results.count)\" failures=\"\(failures)\" errors=\"\(missed)\" skipped=\"\(skipped)\""
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"conform\" \(counts)>"]
    for group in ClauseGroup.allCases {
      let results = summary.results.filter { $0.clause.group == group }
      if results.isEmpty { continue }
      let broken = results.count { $0.breach != nil }
      let missed = results.count(where: \.isMissed)
      let silent = results.count { ["not applicable", "not judged"].contains($0.verdict.word) } - missed
      lines.append(
        "  <testsuite name=\"\(group.name)\" tests=\"\(results.count)\" failures=\"\(broken)\" errors=\"\(missed)\" skipped=\"\(silent)\">"
      )
      for result in results { lines += testCase(result) }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>", ""]).joined(separator: "\n")
  }

  private func testCase(_ result: ClauseResult) -> [String] {
    let head =
      "    <testcase classname=\"conform.\(result.clause.group.name)\" name=\"\(result.clause.id)\" time=\"\(Double(Int(result.seconds * 1_000)) / 1_000)\""
    switch result.verdict {
    case .kept: return [head + "/>"]
    case _ where result.isMissed:
      return [head + ">", "      <error message=\"\(XML.escaped(result.remark))\"/>", "    </testcase>"]
    case .notApplicable, .notJudged, .unread, .partly:
      return [head + ">", "      <skipped message=\"\(XML.escaped(result.remark))\"/>", "    </testcase>"]
    case .broken(let breach):
      let because = result.cause.map { "because of \($0): " } ?? ""
      let text = [breach.sent, breach.answered, breach.stored, result.commands ?? ""].filter { !$0.isEmpty }
        .joined(separator: "\n")
      return [
        head + ">",
        "      <failure type=\"\(result.clause.level.rawValue)\" message=\"\(XML.escaped(because + breach.cause))\">\(XML.escaped(text))</failure>",
        "    </testcase>",
      ]
    }
  }

  private var json: String {
    var writer = JSONWriter(capacity: 65_536)
    writer.beginObject()
    func member(_ key: String, _ text: String?) {
      guard let text else { return }
      writer.key(key)
      writer.value(text)
    }
    member("target", summary.target)
    member("store", summary.store)
    member("seed", "0x" + String(summary.seed, radix: 16))
    member("start", summary.start.iso8601Text)
    member("badge", summary.badge)
    writer.key("seconds")
    writer.value(summary.seconds)
    writer.key("clauses")
    writer.beginArray()
    for result in summary.results {
      writer.beginObject()
      member("id", result.clause.id)
      member("group", result.clause.group.name)
      member("level", result.clause.level.rawValue)
      member("verdict", result.verdict.word)
      member("remark", result.breach == nil && !result.remark.isEmpty ? result.remark : nil)
      member("because", result.cause)
      member("cause", result.breach?.cause)
      member("harm", result.breach?.harm.rawValue)
      member("sent", result.breach?.sent)
      member("answer", result.breach?.answered)
      member("stored", result.breach?.stored)
      member("remedy", result.breach.flatMap { $0.remedy.isEmpty ? nil : $0.remedy })
      member("curl", result.commands)
      writer.key("seconds")
      writer.value(result.seconds)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }
}

extension ClauseResult {
  /// Whether it was selected and could not be judged.
  fileprivate var isMissed: Bool {
    if case .unread = verdict { true } else { verdict == .notJudged(.interrupted) }
  }

  /// The commands that show the breach again, or the one that runs their script.
  fileprivate var commands: String? {
    breach?.reproduction.map { $0.isLong ? "sh \(clause.scriptPath)" : $0.commandLine }
  }

  /// A remark beside the verdict.
  var remark: String {
    switch verdict {
    case .kept(let note, _): note
    case .broken(let breach): breach.cause
    case .notJudged(let reason): "\(reason)"
    case .notApplicable(let reason), .unread(let reason), .partly(let reason): reason
    }
  }
}

extension String {
  fileprivate var escapedForTable: String {
    String(map { $0.isNewline ? " " : $0 }).replacing("|", with: "\\|")
  }
}

extension Breach {
  static let noCommandLine =
    "No curl command reproduces it: the request or its answer was cut off, the request was sent in parts, after another one on its connection or together with others, or the finding has no single request."
}

extension ConformanceClause {
  /// The paths in the folder of the report.
  var scriptPath: String { "again/\(id).sh" }
  var scenarioPath: String { "again/\(id).json5" }
}
