import AnswerCheck
import Base
package import CurlTransport
import JSON
import Scenario
import Upload

/// Takes the requests of a run's devices to a server outside the run, which answers in its own time.
package final class FleetTransport {
  private let transport: DrivenTransport
  /// How many it has taken so far.
  private(set) var requests = 0
  /// Of those, how many have not ended.
  private(set) var inFlight = 0
  /// What its first answer says of the server (RFC 9110 §10.2.4); nil where it says nothing.
  private(set) var serverName: String?
  private var hasAnswered = false
  /// A wish to end the run, which waits no longer for an answer.
  var interruption: Interruption?
  /// Of requests that were waited for one by one: those in a row whose time ran out.
  private var silences = 0
  /// The end of the patience with a target after a wish to end the run.
  private var patienceEnd: MonotonicInstant?
  private let clock = SystemClock()

  private static let silencesMax = 3

  package init(_ configuration: TransportConfiguration) throws(TransportError) {
    transport = try DrivenTransport(configuration)
  }

  func send(_ request: OutgoingRequest, of device: Int) {
    requests += 1
    inFlight += 1
    transport.submit(request, device: device)
  }

  var openConnections: Int { transport.openConnections }

  func cancel(_ request: UInt64, of device: Int) { transport.cancel(request, device: device) }

  /// Connections belong to a network, and end with it.
  func changeNetwork(of device: Int) { transport.changeNetwork(of: device) }

  /// Sends and receives until something has ended, a call comes in, or that instant of the machine's clock has come; nil: for
  /// ever. Gives what has ended.
  func work(until deadline: MonotonicInstant?) -> [TransportCompletion] {
    let landed = transport.turn(until: deadline)
    inFlight -= landed.count
    if !hasAnswered, let first = landed.first(where: { !$0.head.isEmpty }) {
      hasAnswered = true
      serverName = AnswerHead(parsing: first.head)["server"].flatMap(FleetTransport.printable)
    }
    return landed
  }

  /// What moves no cursor; nil when nothing is left.
  fileprivate static func printable(_ name: String) -> String? {
    let letters = name.unicodeScalars.prefix(100).filter { (0x20..<0x7F).contains($0.value) }
    return letters.isEmpty ? nil : String(String.UnicodeScalarView(letters))
  }

  /// Sends, and waits for the end of just that; nothing else may be under way. A target that has let the time of several
  /// requests in a row run out is sent nothing more, and after a wish to end the run the wait is short.
  func ask(_ request: OutgoingRequest, of device: Int) -> TransportCompletion {
    precondition(inFlight == 0, "one request at a time")
    if silences >= FleetTransport.silencesMax || isOutOfPatience {
      return TransportCompletion(
        device: device, id: request.id,
        outcome: .failed(.timeout, message: "the target does not answer; no further requests are sent"),
        timings: TransferTimings(), head: [])
    }
    send(request, of: device)
    while true {
      if let end = work(until: patienceEnd).first {
        if case .failed(.timeout, _) = end.outcome { silences += 1 } else { silences = 0 }
        return end
      }
      if isOutOfPatience { cancel(request.id, of: device) }
    }
  }

  private var isOutOfPatience: Bool {
    guard let interruption, interruption.isRequested else { return false }
    let now = clock.monotonicNow
    guard let end = patienceEnd else {
      patienceEnd = now + Interruption.patience
      return false
    }
    return now >= end
  }

  /// Ends a wait, from any thread.
  var alarm: @Sendable () -> Void { transport.alarm }
}

extension OutsideSetup {
  /// The version of a Rolling Road server; nil when it does not say. Others are asked nothing that devices would not ask.
  package func askVersion() throws -> String? {
    guard isOurs else { return nil }
    let answer = try BlockingHTTPClient(transport).ask(origin + "/healthz", seconds: 3)
    guard case .string(let version)? = JSONValue(answerOf: answer)?["version"] else { return nil }
    return FleetTransport.printable("Rolling Road " + version)
  }

  /// Puts the streets of the run's cities under the devices on the target's live page. Only a Rolling Road server has
  /// one; it is asked first by reading. Gives why a page shows no streets; nil when
  /// it does, or when there is no page.
  package func showStreets(of setup: RunSetup) throws -> String? {
    guard isOurs, let map = setup.streets else { return nil }
    let administration = TargetAdministration(try BlockingHTTPClient(transport), of: self)
    let answer = administration.ask("/admin/v1/map")
    if answer.wantsToken, adminToken != nil {
      throw TargetError("\(origin): status \(answer.status)\(administration.remedy(of: answer))")
    }
    if answer.wantsToken { return "the live page shows no streets: the server's admin API requires --admin-token" }
    guard JSONValue(answerOf: answer)?["type"] == .string("FeatureCollection") else { return nil }
    return administration.ask("/admin/v1/map", by: "PUT", body: map).refusal.map {
      "the live page shows no streets: \($0)"
    }
  }
}
