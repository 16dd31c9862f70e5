import Base
import Contract
import CurlTransport
import IngestServer
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
  /// Whom each fault befalls now.
  private var befallen: [Set<Int>]
  private var hasChanged = false
  private var hasRules = false
  private var placements: UInt64 = 0
  /// Why something was not done; nil when everything was.
  private(set) var refusal: String?

  /// A server keeps no more of one run.
  static let rulesMax = 1_000
  private static let path = "/admin/v1/faults"

  /// Nil when nothing is asked of the server. Throws when it is no server of ours, wants to see a token, or has rules of
  /// somebody else, which would be lost.
  init?(_ setup: RunSetup, at target: OutsideSetup) throws {
    guard setup.faults.contains(where: \.isServers), target.isOurs else { return nil }
    administration = TargetAdministration(try Questioner(target.transport), of: target)
    (faults, names, seed) = (setup.faults, setup.deviceNames, setup.seed)
    befallen = Array(repeating: [], count: setup.faults.count)
    let answer = administration.ask(TargetFaults.path)
    if let reason = answer.refusal {
      let remedy = answer.wantsToken ? "; show --admin-token" : ""
      throw TargetRefusal("\(target.origin) takes no faults from here: \(TargetFaults.path): \(reason)\(remedy)")
    }
    guard case .array(let rules)? = JSONValue(answerOf: answer)?["faults"] else {
      throw TargetRefusal("\(target.origin) is no Rolling Road: \(TargetFaults.path) has no list of faults")
    }
    guard rules.isEmpty else {
      throw TargetRefusal(
        "\(target.origin) has faults of somebody else: wait for the end of that run, or DELETE \(TargetFaults.path)")
    }
  }

  func begin(_ fault: Int, of device: Int) {
    let isFirst = befallen[fault].isEmpty
    befallen[fault].insert(device)
    if isFirst || !faults[fault].isEverybodys { hasChanged = true }
  }

  func end(_ fault: Int, of device: Int) {
    befallen[fault].remove(device)
    if befallen[fault].isEmpty || !faults[fault].isEverybodys { hasChanged = true }
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
    guard !befallen[index].isEmpty else { return [] }
    let devices = fault.isEverybodys ? [nil] : befallen[index].sorted().map { names[$0] as String? }
    return devices.flatMap { device in TargetFaultRule.rules(of: fault, index, device: device) }
  }
}

/// A server outside does not do what the run needs of it.
struct TargetRefusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Fault {
  /// A server has to do it.
  package var isServers: Bool {
    switch action {
    case .http, .authorization, .remote: true
    case .network, .toxic, .storage, .device, .lifecycle: false
    }
  }

  /// One rule is enough, whoever asks.
  var isEverybodys: Bool { selection == FaultSelection() && occurrences == nil && perDeviceHour == 0 }
}

extension JSONValue {
  /// Nil when the content of an answer is no JSON.
  init?(answerOf outcome: RequestOutcome) {
    let bytes = outcome.body
    do throws(JSONError) { self = try JSONValue(parsing: bytes.span, duplicateKeys: .lastWins) } catch { return nil }
  }
}
