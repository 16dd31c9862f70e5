import Base
import Conformance
import Contract
import CurlTransport
import FleetSimulator
import Scenario

/// A scenario with requests instead of fleets, as written by `conform` for a finding or by `proxy` for a session.
struct RequestPlayback {
  private let process: ProcessContext
  private let scenario: Scenario
  private let url: String
  private let adminToken: String?
  private let isQuiet: Bool

  init(_ process: ProcessContext, _ scenario: Scenario, adminToken: String?, isQuiet: Bool) throws(UsageError) {
    guard let url = scenario.target.url else {
      throw UsageError("the requests of the scenario need a server: --target http://127.0.0.1:8080, or target.url")
    }
    (self.process, self.scenario, self.url) = (process, scenario, url)
    (self.adminToken, self.isQuiet) = (adminToken, isQuiet)
  }

  func run() -> ExitCode {
    let target = scenario.target
    var server = OutsideSetup(target, url: url, devices: Set(scenario.requests.map(\.device)).count)
    if server.isOurs { server.adminToken = adminToken }
    let player = RequestPlayer(
      scenario.requests, to: url, headers: target.headers, over: server.transport, seed: scenario.seed)
    if process.ownsSignals {
      do { try EndingSignals.listen { player.interrupt() } } catch {
        process.writeError("rollingroad simulate: \(error)")
      }
    }
    var played: [RequestPlayer.Played] = []
    do throws(TransportError) {
      try player.play { one in
        played.append(one)
        if !isQuiet { process.writeRaw(one.line) }
      }
    } catch {
      process.writeError("rollingroad simulate: \(error)")
      return .runtimeFailure
    }
    return report(played, at: server)
  }

  private func report(_ played: [RequestPlayer.Played], at server: OutsideSetup) -> ExitCode {
    let others = played.count { !$0.isAsWritten }
    let rest = scenario.requests.count - played.count
    process.writeOutput(
      "\(played.count.of("request")) sent\(rest > 0 ? ", \(rest) not" : ""): "
        + (others == 0 ? "all statuses unchanged" : "\(others.of("answer")) with another status"))
    let looks = acknowledged(played).map { device, records in (device, records.look(at: server, of: device)) }
      .filter { $0.1 != .notAsked }
    for (device, look) in looks { process.writeOutput("\(device): \(look.text)") }
    if rest > 0 { return .stoppedBySignal }
    if looks.contains(where: { $0.1.isRefuted }) { return .invariantViolated }
    if looks.contains(where: { !$0.1.isProven }) { return .runInvalid }
    return others == 0 ? .ok : .thresholdFailed
  }

  /// The records by device: a request without a device does not say where its records are stored.
  private func acknowledged(_ played: [RequestPlayer.Played]) -> [(device: String, records: AcknowledgedRecords)] {
    var found: [String: AcknowledgedRecords] = [:]
    for one in played where 200..<300 ~= one.status && !one.request.device.isEmpty {
      let headers = one.request.headers.map { NameValuePair($0.name, $0.value) }
      found[one.request.device, default: AcknowledgedRecords()].note(body: one.bytes, headers: headers)
    }
    return found.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension RequestPlayer.Played {
  fileprivate var line: String {
    let written = request.status.map { isAsWritten ? ", as it was" : ", which was \($0)" } ?? ""
    return
      "+\(request.start.seconds) s  \(request.method) \(request.path), \(bytes.count) bytes: \(outcome)\(written)\n"
  }
}
