import BackendStore
import Base
import Contract
import HTTP1
import Network
package import Scenario
import Synchronization
import Threads
import Upload

/// Sends the requests of a scenario as they stand there, each at its time, those of one device over one connection.
package final class RequestPlayer: Sendable {
  /// A request, and what came of it.
  package struct Played: Sendable {
    package let request: WrittenRequest
    package let bytes: [UInt8]
    /// 0: there was no answer.
    package let status: Int
    /// For people.
    package let outcome: String

    /// The answer has the status that was written down, where one was.
    package var isAsWritten: Bool { request.status.map { $0 == status } ?? (status != 0) }
  }

  private let requests: [WrittenRequest]
  private let origin: String
  private let address: TargetAddress
  private let headers: [Named<String>]
  private let isInterrupted = Atomic(false)
  private let clock = SystemClock()
  private static let connectionsMax = 64
  private static let answerTime = Nanoseconds.seconds(60)

  /// Nil when the URL is none. The headers go over those of the requests.
  package init?(_ requests: [WrittenRequest], to url: String, headers: [Named<String>]) {
    guard let address = TargetAddress(url) else { return nil }
    (self.requests, self.address, self.headers) = (requests, address, headers)
    origin = (address.isPlain ? "http://" : "https://") + address.authority
  }

  /// What is not sent yet is not sent any more. From any thread.
  package func interrupt() { isInterrupted.store(true, ordering: .relaxed) }

  /// Returns when all have been answered. `tell` is called from several threads.
  package func play(_ tell: @escaping @Sendable (Played) -> Void) {
    var devices: [String] = []
    var lanes: [[WrittenRequest]] = []
    for request in requests {
      let known = devices.firstIndex(of: request.device)
      if known == nil { devices.append(request.device) }
      let lane = (known ?? devices.count - 1) % RequestPlayer.connectionsMax
      if lane == lanes.count { lanes.append([]) }
      lanes[lane].append(request)
    }
    let begin = clock.monotonicNow
    let threads = lanes.enumerated().map { index, lane in
      NamedThread.started("requests-\(index)") { self.play(lane, from: begin, tell) }
    }
    for thread in threads { thread.join() }
  }

  private func play(
    _ lane: [WrittenRequest], from begin: MonotonicInstant, _ tell: @Sendable (Played) -> Void
  ) {
    var connection: RawConnection?
    for request in lane.sorted(by: { $0.start < $1.start }) {
      wait(until: begin + request.start)
      if isInterrupted.load(ordering: .relaxed) { return }
      let raw = raw(request)
      let (status, outcome) = address.isPlain ? exchange(raw, over: &connection) : ask(raw)
      tell(Played(request: request, bytes: raw.body, status: status, outcome: outcome))
    }
  }

  private func wait(until instant: MonotonicInstant) {
    while !isInterrupted.load(ordering: .relaxed) {
      let left = (instant - clock.monotonicNow).wholeMilliseconds
      if left <= 0 { return }
      _ = Semaphore().wait(milliseconds: Int(min(left, 200)))
    }
  }

  private func raw(_ request: WrittenRequest) -> RawRequest {
    let fields = request.headers.map { NameValuePair($0.name, $0.value) }
    var raw = RawRequest(request.method, origin + request.path, headers: fields, body: request.bytes)
    for header in headers { raw.setHeader(header.name, header.value) }
    return raw
  }

  /// A connection that the server has closed meanwhile is made anew, once.
  private func exchange(_ request: RawRequest, over kept: inout RawConnection?) -> (Int, String) {
    for isReused in [kept != nil, false] {
      do throws(SystemError) {
        let connection: RawConnection
        if let kept { connection = kept } else { connection = try newConnection() }
        kept = connection
        connection.send(request.bytes)
        let reply = connection.reply(
          to: HTTPMethod.allCases.first { "\($0.name)" == request.method } ?? .other, within: RequestPlayer.answerTime)
        if case .answer(let answer) = reply {
          if !answer.keepsAlive { kept = nil }
          return (answer.status, reply.text)
        }
        kept = nil
        if !isReused { return (0, reply.text) }
      } catch { return (0, "no connection: \(error)") }
    }
    return (0, "no answer")
  }

  private func newConnection() throws(SystemError) -> RawConnection {
    guard let place = SocketAddress.resolving(address.host, port: address.port) else {
      throw SystemError(call: "getaddrinfo \(address.host)", code: 0)
    }
    return try RawConnection(to: place, watch: AnswerWatch())
  }

  private func ask(_ request: RawRequest) -> (Int, String) {
    let (outcome, _) = ConformanceClient().ask(
      request.url, by: request.method, headers: request.headers, body: request.body)
    return (outcome.status, outcome.text)
  }
}
