import AnswerCheck
package import Base
package import CurlTransport
import JSON
import Scenario
import Upload

/// Sends the requests of a run's devices to an external server, which answers in its own time.
package final class FleetTransport {
  private let transport: DrivenTransport
  /// The number of requests so far.
  private(set) var requests = 0
  /// The number of requests that have not ended.
  private(set) var inFlight = 0
  /// The server's name in its first answer (RFC 9110 §10.2.4); nil without one.
  private(set) var serverName: String?
  private var hasAnswered = false
  /// The request to end the run, after which no answer is waited for.
  var interruption: Interruption?
  /// The time that was waited in vain since the last answer, for requests that are sent one by one.
  private var silence = Nanoseconds.zero
  /// When waiting for a target ends after a request to end the run.
  private var graceEnd: MonotonicInstant?
  private let clock = SystemClock()

  /// How long requests that are sent one by one are waited for in vain.
  private let silenceMax: Nanoseconds
  package static let standardSilenceMax = Nanoseconds.seconds(180)

  package init(
    _ configuration: TransportConfiguration, silenceMax: Nanoseconds = standardSilenceMax
  ) throws(TransportError) {
    transport = try DrivenTransport(configuration)
    self.silenceMax = silenceMax
  }

  /// Whether the target has been silent for too long: nothing more is sent.
  var hasGivenUp: Bool { silence >= silenceMax }

  func send(_ request: OutgoingRequest, of device: Int) {
    requests += 1
    inFlight += 1
    transport.submit(request, device: device)
  }

  var openConnections: Int { transport.openConnections }

  func cancel(_ request: UInt64, of device: Int) { transport.cancel(request, device: device) }

  /// Returns what a request in flight has done so far; nil where it has no connection yet.
  func timings(of request: UInt64, of device: Int) -> TransferTimings? {
    transport.timings(of: request, device: device)
  }

  /// Closes the connections of a device, which belong to one network.
  func changeNetwork(of device: Int) { transport.changeNetwork(of: device) }

  /// Sends and receives until a request has ended, `alarm` is called, or the machine's clock reaches the deadline; nil:
  /// forever. Returns the requests that have ended.
  func work(until deadline: MonotonicInstant?) -> [TransportCompletion] {
    let landed = transport.turn(until: deadline)
    inFlight -= landed.count
    if !hasAnswered, let first = landed.first(where: { !$0.head.isEmpty }) {
      hasAnswered = true
      serverName = AnswerHead(parsing: first.head)["server"].flatMap(FleetTransport.printable)
    }
    return landed
  }

  /// Returns the name without control characters; nil when nothing is left.
  fileprivate static func printable(_ name: String) -> String? {
    let letters = name.unicodeScalars.prefix(100).filter { (0x20..<0x7F).contains($0.value) }
    return letters.isEmpty ? nil : String(String.UnicodeScalarView(letters))
  }

  /// Sends a request and waits for its end; no other may be under way. After a long silence nothing more is sent, and after a
  /// request to end the run the wait is short.
  func ask(_ request: OutgoingRequest, of device: Int) -> TransportCompletion {
    precondition(inFlight == 0, "one request at a time")
    if hasGivenUp || isGraceOver {
      return TransportCompletion(
        device: device, id: request.id,
        outcome: .failed(.timeout, message: "the target does not answer; no further requests are sent"),
        timings: TransferTimings(), head: [])
    }
    let begun = clock.monotonicNow
    send(request, of: device)
    while true {
      if let end = work(until: graceEnd).first {
        if case .failed(.timeout, _) = end.outcome {
          silence = silence + (clock.monotonicNow - begun)
        } else {
          silence = .zero
        }
        return end
      }
      if isGraceOver { cancel(request.id, of: device) }
    }
  }

  private var isGraceOver: Bool {
    guard let interruption, interruption.isRequested else { return false }
    let now = clock.monotonicNow
    guard let end = graceEnd else {
      graceEnd = now + Interruption.grace
      return false
    }
    return now >= end
  }

  /// A function that ends a wait, from any thread.
  var alarm: @Sendable () -> Void { transport.alarm }
}

extension OutsideSetup {
  /// Returns the version of a Rolling Road server; nil when it reports none. Other servers get no request that
  /// devices would not send.
  package func askVersion() throws -> String? {
    guard isOurs else { return nil }
    let answer = try BlockingHTTPClient(transport).ask(origin + "/healthz", seconds: 3)
    guard case .string(let version)? = JSONValue(answerOf: answer)?["version"] else { return nil }
    return FleetTransport.printable("Rolling Road " + version)
  }

  /// Uploads the streets of the run's cities to the target's live page. Only a Rolling Road server has one, so it is first
  /// asked with a GET. Returns why a page shows no streets; nil when it does, or when there is no page.
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
