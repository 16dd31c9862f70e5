import BackendStore
import Base
import Contract
import Gzip
import HTTP1
import JSON
import Scenario
import Upload

/// A dialect, proposed after trial uploads: what the backend acknowledged, by frequency of use in apps. For a given dialect,
/// only its missing parts are proposed.
package final class DialectProposal {
  private let target: ConformanceTarget
  private let run: ClauseRun
  /// The app configuration with which uploads are acknowledged.
  private var app: App

  /// A variation of the app's requests, beyond the dialect.
  private struct App {
    var namesDevice = false
    var root: String?

    var text: String? {
      var keys: [String] = []
      if let root { keys.append("rootProperty: \"\(root)\"") }
      if namesDevice { keys.append("params: { device_id: \"${device.id}\" }") }
      return keys.isEmpty ? nil : "app: { http: { \(keys.joined(separator: ", ")) } }"
    }

    func configure(_ draft: inout Configuration) {
      if let root { draft.http.rootProperty = root }
    }
  }

  package init(_ target: ConformanceTarget) {
    self.target = target
    guard let clause = ConformanceClause.all.first else { preconditionFailure("there are clauses") }
    run = ClauseRun(
      clause, target, ConformanceRun.Settings(seed: 1, start: SystemClock().wallNow), facts: RunFacts(target),
      watch: AnswerWatch())
    app = App()
  }

  /// Nil where no upload was answered.
  package var text: String? {
    let first = firstAcknowledged()
    if [first.without, first.single, first.batch] == [0, 0, 0] { return nil }
    var lines = opening
    lines.append("  // one record: \(first.single.shown); a batch: \(first.batch.shown)")
    if let text = app.text { lines.append("  \(text), // without it: \(first.without.shown)") }
    let needsToken = [401, 403].contains(first.single) || [401, 403].contains(first.batch)
    if needsToken {
      lines.append("  promises: { tokens: \"required\" },")
      if target.login == nil {
        lines.append("  // login: { url: \"/…\", body: '{\"device_id\":\"${device.id}\"}' }, refresh: \"/…\",")
      }
    } else if isGood(first.single) || isGood(first.batch) {
      lines.append("  // acknowledged, which does not mean understood: run conform with them to know")
      lines.append("  promises: { \((["tokens: \"none\""] + promises).joined(separator: ", ")) },")
    } else {
      lines.append("  // nothing was acknowledged: describe the uploads with 'path', 'app' or --target")
    }
    return (lines + tail).joined(separator: "\n")
  }

  /// Tries the usual app configurations, most common first, until an upload is acknowledged or a token is required.
  private func firstAcknowledged() -> (without: Int, single: Int, batch: Int) {
    var without: Int?
    let roots: [String?] =
      target.dialect.app.document["http"]?["rootProperty"] == nil ? [nil, ".", "locations", "data"] : [nil]
    let devices = target.dialect.preset == nil && !saysDevice ? [false, true] : [false]
    for root in roots {
      for namesDevice in devices {
        app = App(namesDevice: namesDevice, root: root)
        let (single, batch) = (status { $0.http.batchSync = false }, status { $0.http.batchSync = true })
        without = without ?? single
        if isGood(single) || isGood(batch) || [401, 403].contains(single) { return (without ?? single, single, batch) }
      }
    }
    app = App()
    return (without ?? 0, status { $0.http.batchSync = false }, status { $0.http.batchSync = true })
  }

  /// Whether the dialect or the URL names the device.
  private var saysDevice: Bool {
    DevicePlaceholders.stand(in: target.url) || DevicePlaceholders.stand(in: target.dialect.app.document)
  }

  private var promises: [String] {
    var promises: [String] = []
    let others = ["location", "locations", "data", "."].filter { root in
      root != app.root ?? "location"
        && isGood(
          status {
            $0.http.rootProperty = root
            $0.http.batchSync = true
          })
    }
    if !others.isEmpty { promises.append("roots: [\(others.map { "\"\($0)\"" }.joined(separator: ", "))]") }
    let methods = [UploadMethod.put, .patch].filter { method in isGood(status { $0.http.method = method }) }
    if !methods.isEmpty {
      promises.append("methods: [\(methods.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]")
    }
    if isGood(status { $0.persistence.timestampFormat = .epoch }) { promises.append("epoch: true") }
    if isGood(gzipStatus) { promises.append("gzip: true") }
    return promises
  }

  private var opening: [String] {
    let given = target.dialect != Dialect()
    let path = URLParts(target.url).path
    let isTold = target.dialect.uploadPath != nil || target.dialect.preset != nil || ["", "/"].contains(path)
    return [
      given
        ? "// To be added to the dialect that was given, after a first conversation with \(target.url)."
        : "// A draft from a few probe requests to \(target.url). Fill in the lines after //.",
      "{", "  version: 1,",
    ] + (isTold ? [] : ["  path: \(JSONValue.string(String(path)).serializedText),"])
  }

  private var tail: [String] {
    var lines: [String] = []
    if target.storePlace == nil {
      lines.append("  // one of these, so that the store is read; without it, most clauses are not judged:")
      lines.append("  // verify: { url: \"/points?device={device}\", records: \"$[*]\" },")
      lines.append("  // verify: { database: \"points.db\", query: \"SELECT * FROM points WHERE device = :device\" },")
      lines.append(
        "  // verify: { database: \"postgresql://user@host/db\", query: \"SELECT * FROM points WHERE device = :device\" },"
      )
      lines.append("  // verify: { command: \"./list-points $DEVICE\" },")
    }
    if target.commands == nil {
      lines.append("  // commands: { url: \"/devices/{device}/commands\", body: '{commands}' },")
    }
    if target.dialect.restart == nil {
      lines.append("  // restart: \"kill -$SIGNAL $(cat backend.pid); ./backend & echo $! > backend.pid\",")
    }
    return lines + ["}"]
  }

  private func isGood(_ status: Int) -> Bool { 200..<300 ~= status }

  /// Returns 0 without an answer.
  private func status(_ configure: (inout Configuration) -> Void) -> Int {
    do {
      let phone = try phone(configure)
      phone.put([run.fix(phone)])
      return phone.upload().last?.status ?? 0
    } catch { return 0 }
  }

  private var gzipStatus: Int {
    do {
      let phone = try phone { $0.http.batchSync = true }
      var raw = RawRequest(try run.request(phone, [run.fix(phone)]))
      raw.body = GzipFile.pack(raw.body)
      raw.declaredLength = raw.body.count
      raw.setHeader(HeaderName.contentEncoding, "gzip")
      return try run.exchange(raw).status
    } catch { return 0 }
  }

  private func phone(_ configure: (inout Configuration) -> Void) throws -> ConformancePhone {
    let phone = try run.phone(signsIn: false) { draft in
      app.configure(&draft)
      configure(&draft)
    }
    if app.namesDevice {
      phone.configure { draft in
        guard case .object(let given) = draft.http.params else { return }
        var members = given
        members["device_id"] = .string(phone.name)
        draft.http.params = .object(members)
      }
    }
    return phone
  }
}

extension Int {
  /// The status, for messages.
  fileprivate var shown: String { self == 0 ? "no answer" : "status \(self)" }
}
