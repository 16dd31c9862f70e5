import BackendStore
import Base
import Contract
import HTTP1
import Scenario
import Upload

/// A dialect, proposed after a first conversation: what the backend acknowledged, in the order of what apps use most.
package struct DialectProposal {
  private let target: ConformanceTarget
  private var findings: [String] = []

  package init(_ target: ConformanceTarget) { self.target = target }

  package var text: String {
    let settings = ConformanceRun.Settings(seed: 1, start: SystemClock().wallNow)
    guard let clause = ConformanceClause.all.first else { preconditionFailure("there are clauses") }
    let run = ClauseRun(clause, target, settings, facts: RunFacts(target), watch: AnswerWatch())
    var lines = [
      "// A proposal after a first conversation with \(target.url). What stands behind // is to be filled in.", "{",
    ]
    lines.append("  version: 1,")
    if let preset = target.dialect.preset { lines.append("  preset: \"\(preset.rawValue)\",") }
    let single = status(run) { $0.http.batchSync = false }
    let batch = status(run) { $0.http.batchSync = true }
    lines.append("  // one record: \(single.shown); a batch: \(batch.shown)")
    if [401, 403].contains(single) || [401, 403].contains(batch) {
      lines.append("  promises: { tokens: \"required\" },")
      lines.append("  // login: { url: \"/…\", body: '{\"device_id\":\"${device.id}\"}' }, refresh: \"/…\",")
      return (lines + tail).joined(separator: "\n")
    }
    var promises: [String] = []
    let roots = ["locations", "data", "."].filter { root in
      200..<300
        ~= status(run) {
          $0.http.rootProperty = root
          $0.http.batchSync = true
        }
    }
    if !roots.isEmpty { promises.append("roots: [\(roots.map { "\"\($0)\"" }.joined(separator: ", "))]") }
    let methods = [UploadMethod.put, .patch].filter { method in 200..<300 ~= status(run) { $0.http.method = method } }
    if !methods.isEmpty {
      promises.append("methods: [\(methods.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]")
    }
    if 200..<300 ~= status(run, { $0.persistence.timestampFormat = .epoch }) { promises.append("epoch: true") }
    lines.append("  // acknowledged, which does not mean understood: run conform with them to know")
    lines.append("  promises: { tokens: \"none\"\(promises.map { ", " + $0 }.joined()) },")
    return (lines + tail).joined(separator: "\n")
  }

  private var tail: [String] {
    var lines: [String] = []
    if target.dialect.preset == nil {
      lines.append(
        "  app: { http: { params: { device_id: \"${device.id}\" } } }, // where your backend finds the device")
    }
    if target.storePlace == nil {
      lines.append("  // one of these, so that the store is looked at; without, most clauses are not judged:")
      lines.append("  // verify: { url: \"/points?device={device}\", records: \"$[*]\" },")
      lines.append("  // verify: { database: \"points.db\", query: \"SELECT * FROM points WHERE device = :device\" },")
      lines.append(
        "  // verify: { database: \"postgresql://user@host/db\", query: \"SELECT * FROM points WHERE device = :device\" },"
      )
      lines.append("  // verify: { command: \"./list-points $DEVICE\" },")
    }
    lines.append("  // commands: { url: \"/devices/{device}/commands\", body: '{commands}' },")
    lines.append("  // restart: \"kill -$SIGNAL $(cat backend.pid); ./backend & echo $! > backend.pid\",")
    return lines + ["}"]
  }

  /// 0 when no answer came.
  private func status(_ run: ClauseRun, _ configure: (inout Configuration) -> Void) -> Int {
    do {
      let phone = try run.phone(signsIn: false, configure)
      phone.put([run.fix(phone)])
      return phone.upload().last?.status ?? 0
    } catch { return 0 }
  }
}

extension Int {
  /// A status, for people.
  fileprivate var shown: String { self == 0 ? "no answer" : "status \(self)" }
}
