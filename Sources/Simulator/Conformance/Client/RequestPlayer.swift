import AnswerCheck
package import Base
import Contract
package import CurlTransport
package import Scenario
import Synchronization
import Upload

/// Sends the requests of a scenario unmodified, each at its time; those of one device use one connection and follow each other.
package final class RequestPlayer: Sendable {
  /// A request and its outcome.
  package struct Played: Sendable {
    package let request: WrittenRequest
    package let bytes: [UInt8]
    /// 0: no answer.
    package let status: Int
    /// The text for messages.
    package let outcome: String

    /// Whether the answer has the status in the scenario, if that defines one.
    package var isAsWritten: Bool { request.status.map { $0 == status } ?? (status != 0) }
  }

  private let requests: [WrittenRequest]
  private let origin: String
  private let headers: [Named<String>]
  private let transport: TransportConfiguration
  private let seed: UInt64
  private let answerTime: Nanoseconds
  private let isInterrupted = Atomic(false)
  private let alarm = Mutex<@Sendable () -> Void>({})
  private let clock = SystemClock()

  /// The headers override those of the requests; placeholders are filled in per device.
  package init(
    _ requests: [WrittenRequest], to url: String, headers: [Named<String>], over transport: TransportConfiguration,
    seed: UInt64, answerTime: Nanoseconds = .seconds(60)
  ) {
    (self.requests, self.headers, self.transport, self.seed) = (requests, headers, transport, seed)
    self.answerTime = answerTime
    origin = URLParts(url).origin
  }

  /// Stops sending. May be called from any thread.
  package func interrupt() {
    isInterrupted.store(true, ordering: .relaxed)
    alarm.withLock { $0 }()
  }

  /// Returns when all requests have been answered; reports each answer.
  package func play(_ tell: (Played) -> Void) throws(TransportError) {
    let transport = try DrivenTransport(transport)
    alarm.withLock { $0 = transport.alarm }
    var lanes = Dictionary(grouping: requests.sorted { $0.start < $1.start }, by: \.device)
      .sorted { $0.key < $1.key }.map { Array($0.value.reversed()) }
    var waiting = TimerQueue<Int>()
    let begin = clock.monotonicNow
    for (lane, requests) in lanes.enumerated() {
      if let first = requests.last { _ = waiting.schedule(at: begin + first.start, lane) }
    }
    var underWay = 0
    while !waiting.isEmpty || underWay > 0 {
      if isInterrupted.load(ordering: .relaxed) { waiting = TimerQueue() }
      while let (_, lane) = waiting.popDue(clock.monotonicNow) {
        guard let next = lanes[lane].last else { continue }
        transport.submit(outgoing(next, number: UInt64(lanes[lane].count)), device: lane)
        underWay += 1
      }
      if waiting.isEmpty && underWay == 0 { break }
      for end in transport.turn(until: waiting.nextDeadline) {
        underWay -= 1
        guard let request = lanes[end.device].popLast() else { continue }
        tell(Played(request: request, bytes: body(of: request), status: end.outcome.status, outcome: end.outcome.text))
        if let next = lanes[end.device].last { _ = waiting.schedule(at: begin + next.start, end.device) }
      }
    }
  }

  private func body(of request: WrittenRequest) -> [UInt8] {
    guard request.base64 == nil else { return request.bytes }
    // `$${device.id}` is an escape for `${device.id}`.
    return Array(DevicePlaceholders(named: request.device, seed: seed).fill(request.body).utf8)
  }

  private func outgoing(_ request: WrittenRequest, number: UInt64) -> OutgoingRequest {
    let placeholders = DevicePlaceholders(named: request.device, seed: seed)
    let fields = request.headers.overlaid(headers).map { NameValuePair($0.name, placeholders.fill($0.value)) }
    // The target of a request through a proxy is a complete URL.
    let path = request.path.contains("://") ? String(URLParts(request.path).path) : request.path
    return OutgoingRequest(
      id: number, purpose: .log, method: request.method, url: origin + placeholders.fill(path), headers: fields,
      body: body(of: request), timeout: answerTime)
  }
}
