import Base
import CurlTransport
import JSON
import Scenario
import Upload

/// What a Rolling Road server outside the run does badly for the run's devices: rules of its administration, which come
/// and go with the faults. Rules are placed together before the next requests leave, and taken away with the run.
package final class TargetFaults {
  private let administration: TargetAdministration
  private let faults: [Fault]
  private let names: [String]
  private let seed: UInt64
  /// The devices that each fault affects now.
  private var affectedDevices: [Set<Int>]
  private var hasChanged = false
  private var hasRules = false
  private var placements: UInt64 = 0
  /// Why something was not done; nil when everything was.
  private(set) var refusal: String?

  /// A server keeps no more of one run.
  static let rulesMax = 1_000
  private static let path = "/admin/v1/faults"

  /// Nil when nothing is asked of the server. Throws when it is no server of ours, wants to see a token, or has rules of
  /// another run, which would be lost.
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

  /// What has changed holds for every request that is sent from now on.
  func place() {
    guard hasChanged else { return }
    hasChanged = false
    let rules = faults.indices.flatMap { self.rules(of: $0) }
    if rules.count > TargetFaults.rulesMax {
      return refuse("\(rules.count) rules at once are more than a server keeps")
    }
    hasRules = !rules.isEmpty
    placements += 1
    // Draws begin anew with each list.
    let body = TargetFaultRule.list(rules, seed: seed &+ placements)
    note(administration.ask(TargetFaults.path, by: "PUT", body: body), "PUT \(TargetFaults.path)")
  }

  /// The server does everything well again.
  func clear() {
    guard hasRules else { return }
    hasRules = false
    note(administration.ask(TargetFaults.path, by: "DELETE"), "DELETE \(TargetFaults.path)")
  }

  /// 429: as many commands wait as the server keeps, and these are not among them.
  func obey(_ order: Administration) {
    let answer = administration.ask(order.path, by: "POST", body: Array(order.body.utf8))
    if answer.status != 429 { note(answer, "POST \(order.path)") }
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

/// A server outside does not do what the run needs of it.
struct TargetError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Fault {
  /// It goes wrong at the server itself: a rule there meets the handshakes of all devices, and cannot tell one from another.
  func isRuleOfHandshakes(at target: OutsideSetup) -> Bool {
    guard case .tls = action else { return false }
    return target.isOurs && target.lockstep == nil && isEverybodys
  }

  /// One rule is enough for all devices.
  var isEverybodys: Bool { selection == FaultSelection() && occurrences == nil && perDeviceHour == 0 }
}

extension JSONValue {
  /// Nil when the content of an answer is not JSON.
  init?(answerOf outcome: RequestOutcome) {
    let bytes = outcome.body
    do throws(JSONError) { self = try JSONValue(parsing: bytes.span, reading: .lenient) } catch { return nil }
  }
}
