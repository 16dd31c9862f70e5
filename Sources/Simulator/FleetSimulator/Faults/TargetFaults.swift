import AnswerCheck
import Base
import CurlTransport
import JSON
import Scenario
import Upload

/// The faults of an external Rolling Road server for the run's devices: rules of its administration that follow
/// the scenario's faults. Changed rules are uploaded together before the next requests are sent, and removed at
/// the end of the run.
package final class TargetFaults {
  private let administration: TargetAdministration
  private let faults: [Fault]
  private let names: [String]
  private let seed: UInt64
  /// The devices that each fault currently affects.
  private var affectedDevices: [Set<Int>]
  private var hasChanged = false
  private var hasRules = false
  private var placements: UInt64 = 0
  /// Why the server refused something; nil when it did not.
  private(set) var refusal: String?

  /// The server's maximum per run.
  static let rulesMax = 1_000
  private static let path = "/admin/v1/faults"

  /// Nil when no fault needs the server. Throws when it is not a Rolling Road server, requires a token, or has rules of
  /// another run, which would be overwritten.
  init?(_ setup: RunSetup, at target: OutsideSetup) throws {
    guard target.isOurs, setup.faults.contains(where: { $0.action.isServers || $0.isRuleOfHandshakes(at: target) })
    else {
      return nil
    }
    administration = TargetAdministration(try BlockingHTTPClient(target.transport), of: target)
    (faults, names, seed) = (setup.faults, setup.deviceNames, setup.seed)
    affectedDevices = Array(repeating: [], count: setup.faults.count)
    let answer = administration.ask(TargetFaults.path)
    if let reason = answer.refusal {
      let remedy = administration.remedy(of: answer)
      throw TargetError("\(target.origin) does not accept faults: \(TargetFaults.path): \(reason)\(remedy)")
    }
    guard case .array(let rules)? = JSONValue(answerOf: answer)?["faults"] else {
      throw TargetError("\(target.origin) is not a Rolling Road server: \(TargetFaults.path) has no list of faults")
    }
    guard rules.isEmpty else {
      throw TargetError(
        "\(target.origin) has faults of another client: wait for the end of that run, or DELETE \(TargetFaults.path)")
    }
  }

  func begin(_ fault: Int, of device: Int) {
    let isFirst = affectedDevices[fault].isEmpty
    affectedDevices[fault].insert(device)
    if isFirst || !faults[fault].isEverybodys { hasChanged = true }
  }

  func end(_ fault: Int, of device: Int) {
    affectedDevices[fault].remove(device)
    if affectedDevices[fault].isEmpty || !faults[fault].isEverybodys { hasChanged = true }
  }

  /// Uploads changed rules, which apply to every request that is sent from now on.
  func place() {
    guard hasChanged else { return }
    hasChanged = false
    let rules = faults.indices.flatMap { self.rules(of: $0) }
    if rules.count > TargetFaults.rulesMax {
      return refuse("\(rules.count) rules at once are more than a server keeps")
    }
    hasRules = !rules.isEmpty
    placements += 1
    // A new list restarts the server's draws.
    let body = TargetFaultRule.list(rules, seed: seed &+ placements)
    note(administration.ask(TargetFaults.path, by: "PUT", body: body), "PUT \(TargetFaults.path)")
  }

  /// Removes all rules.
  func clear() {
    guard hasRules else { return }
    hasRules = false
    note(administration.ask(TargetFaults.path, by: "DELETE"), "DELETE \(TargetFaults.path)")
  }

  /// Sends an administrative request. 429 is accepted: the server's limit of pending commands is reached, and
  /// these were discarded.
  func perform(_ request: Administration) {
    let answer = administration.ask(request.path, by: "POST", body: Array(request.body.utf8))
    if answer.status != 429 { note(answer, "POST \(request.path)") }
  }

  private func note(_ answer: RequestOutcome, _ what: String) {
    if let reason = answer.refusal { refuse("\(what): \(reason)") }
  }

  private func refuse(_ reason: String) { if refusal == nil { refusal = reason } }

  private func rules(of index: Int) -> [TargetFaultRule] {
    let fault = faults[index]
    guard !affectedDevices[index].isEmpty else { return [] }
    let devices = fault.isEverybodys ? [nil] : affectedDevices[index].sorted().map { names[$0] as String? }
    return devices.flatMap { device in TargetFaultRule.rules(of: fault, index, device: device) }
  }
}

/// The external server refuses something that the run needs.
struct TargetError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Fault {
  /// Reports whether the fault is a handshake rule of the server, which applies to all devices, because it
  /// cannot tell them apart.
  func isRuleOfHandshakes(at target: OutsideSetup) -> Bool {
    guard case .tls = action else { return false }
    return target.isOurs && target.lockstep == nil && isEverybodys
  }

  /// Whether one rule covers all devices.
  var isEverybodys: Bool { selection == FaultSelection() && occurrences == nil && perDeviceHour == 0 }
}

extension RunContext {
  /// Reports whether a rule of the server has the effect of a fault while it lasts.
  func isRuleOfTarget(_ spell: FaultTimeline.Spell) -> Bool {
    let fault = faults.faults[spell.fault]
    return switch fault.action {
    case .http: true
    case .authorization(let authorization): authorization.refreshStatus != nil
    case .tls: isRuleOfHandshakes(fault)
    case .network, .toxic, .remote, .lifecycle, .storage, .device: false
    }
  }

  func isRuleOfHandshakes(_ fault: Fault) -> Bool { setup.outside.map { fault.isRuleOfHandshakes(at: $0) } ?? false }
}
