import Base
import Contract
import CurlTransport
import Scenario
package import Store
import Upload

extension RunDestination {
  /// What a setup asks for; `newStore` makes that of a server inside. Throws when the machine lacks what it takes.
  package init(of setup: RunSetup, newStore: () throws -> any Store) throws {
    guard let outside = setup.outside else {
      self = .inside(try newStore())
      return
    }
    let carrier = try Carrier(outside.transport)
    let desk = TargetDesk(
      proof: try outside.proof(devices: setup.deviceNames, seed: setup.seed, start: setup.start.iso8601Text),
      faults: try TargetFaults(setup, at: outside))
    self =
      if let latency = outside.lockstep {
        .lockstep(carrier, latency, desk)
      } else {
        .outside(carrier, factor: outside.factor, desk)
      }
  }
}

extension OutsideSetup {
  /// Why nobody answers there; nil when somebody does, whatever the answer is.
  package func silence() throws -> String? {
    // A connection is made and nothing is sent: the first request is that of a device.
    var transport = transport
    (transport.connectsOnly, transport.isDirect) = (true, false)
    let questioner = try Questioner(transport)
    guard case .failed(_, let message) = questioner.ask(origin, seconds: 10) else { return nil }
    return "nobody answers at \(origin): \(message)"
  }

  /// Whom to ask what became of the records; nil when nobody is to be asked.
  func proof(devices: [String], seed: UInt64, start: String) throws(TransportError) -> (any StoreProof)? {
    if let query = verification.url, verification.effectiveMethod == .query {
      func filled(_ url: String) -> String {
        let filled = url.split(separator: "{start}", omittingEmptySubsequences: false).joined(separator: start)
        return filled.hasPrefix("/") ? origin + filled : filled
      }
      var question = QueryProof.Question(url: filled(query), path: verification.uuids)
      question.putAsideURL = verification.quarantinedURL.map(filled)
      question.putAsidePath = verification.quarantined
      return QueryProof(
        try Questioner(transport, keepsHeads: true), question, headers: headers, seed: seed, devices: devices)
    }
    guard isOurs, verification.effectiveMethod != .journal else { return nil }
    return AdministrationProof(TargetAdministration(try Questioner(transport), of: self), devices: devices)
  }
}
