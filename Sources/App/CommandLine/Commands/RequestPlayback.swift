import Base
import Conformance
import CurlTransport
import FleetSimulator
import Scenario
import Synchronization

/// A scenario with requests instead of fleets: what `conform` wrote for a finding, or `proxy` of a session.
struct RequestPlayback {
  private let process: ProcessContext
  private let scenario: Scenario
  private let adminToken: String?
  private let isQuiet: Bool

  init(_ process: ProcessContext, _ scenario: Scenario, adminToken: String?, isQuiet: Bool) {
    (self.process, self.scenario, self.adminToken, self.isQuiet) = (process, scenario, adminToken, isQuiet)
  }

  func run() throws(UsageError) -> ExitCode {
    let target = scenario.target
    guard let url = target.url, let player = RequestPlayer(scenario.requests, to: url, headers: target.headers) else {
      throw UsageError("the requests of the scenario need a server: --target http://127.0.0.1:8080, or target.url")
    }
    guard scenario.fleets.isEmpty else {
      throw UsageError("the scenario has both fleets and requests: keep one of them")
    }
    if process.ownsSignals {
      do { try EndingSignals.listen { player.interrupt() } } catch {
        process.writeError("rollingroad simulate: \(error)")
      }
    }
    let played = Mutex<[RequestPlayer.Played]>([])
    let output = SharedOutput(process.writeRaw)
    let isQuiet = isQuiet
    player.play { one in
      played.withLock { played in
        played.append(one)
        if !isQuiet { output.write(one.line) }
      }
    }
    return report(played.withLock { $0 }, at: url)
  }

  private func report(_ played: [RequestPlayer.Played], at url: String) -> ExitCode {
    let others = played.count { !$0.isAsWritten }
    let rest = scenario.requests.count - played.count
    process.writeOutput(
      "\(played.count.of("request")) sent\(rest > 0 ? ", \(rest) not" : ""): "
        + (others == 0 ? "all answers as they were" : "\(others.of("answer")) other than it was"))
    var isProven = true
    for (device, records) in acknowledged(played) {
      var server = OutsideSetup(url: url, isOurs: scenario.target.isOurs)
      server.verification = scenario.target.verification
      server.transport.isDirect = true
      server.transport.readsEnvironment = true
      if server.isOurs { server.adminToken = adminToken }
      let look = records.look(at: server, of: device)
      if look == .notAsked { continue }
      process.writeOutput("\(device): \(look.text)")
      if !look.isProven { isProven = false }
    }
    if rest > 0 { return .stoppedBySignal }
    return isProven ? others == 0 ? .ok : .thresholdFailed : .invariantViolated
  }

  private func acknowledged(_ played: [RequestPlayer.Played]) -> [(device: String, records: AcknowledgedRecords)] {
    var found: [String: AcknowledgedRecords] = [:]
    for one in played where 200..<300 ~= one.status && !one.request.device.isEmpty {
      found[one.request.device, default: AcknowledgedRecords()].note(body: one.bytes)
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension RequestPlayer.Played {
  fileprivate var line: String {
    let written = request.status.map { isAsWritten ? ", as it was" : ", which was \($0)" } ?? ""
    return
      "+\(request.start.seconds) s  \(request.method) \(request.path), \(bytes.count) bytes: \(outcome)\(written)\n"
  }
}
