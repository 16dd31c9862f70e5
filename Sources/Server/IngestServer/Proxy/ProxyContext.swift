package import Base
import Contract
import Gzip
import HTTP1
import Network
package import Store

/// Memory that the connections of one loop share, because only one of them runs at a time.
final class ProxyScratch {
  let session = SessionScratch()
  var answerHead = ResponseHead()
  var head: RequestHead {
    _read { yield session.head }
    _modify { yield &session.head }
  }

  init() {}
}

/// The state that all connections of a proxy share: it determines the operation and the faults of a request, and records each
/// finished exchange.
final class ProxyContext: Sendable {
  let server: ServerContext
  let target: UpstreamTarget
  let name: ProxyName
  /// The limits of forwarded messages: a body may have any length.
  let limits: HTTPLimits
  private let keepsHost: Bool
  /// The length of the longest body whose records are read.
  private let bodyBytesMax: Int
  private let judge: (any AnswerJudge)?

  init(
    _ server: ServerContext, target: UpstreamTarget, name: ProxyName, keepsHost: Bool, bodyBytesMax: Int,
    judge: (any AnswerJudge)?
  ) {
    self.name = name
    (self.server, self.target, self.keepsHost, self.bodyBytesMax) = (server, target, keepsHost, bodyBytesMax)
    self.judge = judge
    var limits = HTTPLimits()
    limits.bodyBytes = 1 << 50
    limits.headBytes = 32_768
    self.limits = limits
  }

  /// More than a server keeps, so that a session can be sent again: a batch of 250 records has about 150 KB.
  private static let journaledBodyBytes = 262_144

  func begin(_ scratch: ProxyScratch, now: MonotonicInstant) -> ProxyExchange {
    let operation = ProxiedOperation.of(scratch.head)
    var target = Exchange.Target()
    (target.route, target.routeNumber) = ProxiedOperation.route(operation)
    target.isServed = operation != nil
    let router = server.reader.router
    target.run =
      router.run(of: scratch.head).flatMap { scratch.head.fields.text($0.name) } ?? scratch.head.text(HeaderName.runID)
      ?? ""
    let exchange = Exchange(scratch.head, target, query: [], receivedAt: server.backend.now, begunAt: now)
    if let journal = server.journal, journal.takesNext() {
      exchange.draft = JournalDraft(scratch.head, operation, keepingOfBody: Self.journaledBodyBytes)
    }
    server.live.sampleFigures(at: exchange.receivedAt.millisecondsSince1970)
    return ProxyExchange(exchange, scratch.head, target: scratch.head.fields.text(scratch.head.target) ?? "/")
  }

  func appendHead(
    _ head: borrowing RequestHead, omitting omission: HeadFields.Omission, into out: inout [UInt8]
  ) {
    ForwardedHead.append(head, to: target, omitting: omission, keepsHost: keepsHost, by: name, into: &out)
  }

  func date(_ scratch: ProxyScratch) -> [UInt8] { scratch.session.date(server.backend.now) }

  /// RFC 9110 §7.6.2: a proxy that may not forward a request is its final recipient.
  func ownAnswer(to head: borrowing RequestHead) -> Response? {
    if name.hasPassed(head) { return name.loopAnswer }
    guard head.method == .options || head.method == .trace, head.text(HeaderName.maxForwards) == "0" else { return nil }
    guard head.method == .options else {
      return .error(405, "method_not_allowed", "the proxy does not answer TRACE; see Max-Forwards")
        .with(HeaderName.allow, "OPTIONS")
    }
    return Response(204, "text/plain", [])
  }
}

/// Faults, and the values needed to decide them.
extension ProxyContext {
  /// Returns whether a rule may need the complete request, to answer in the upstream's place or to delay it.
  func holdsBody(of current: ProxyExchange) -> Bool { server.faults.board.concernsRequests }

  func keep(_ bytes: Span<UInt8>, of current: ProxyExchange) -> Bool {
    current.keep(bytes, in: server.bodies, atMost: bodyBytesMax)
  }

  /// Looks for the device in the body first, which names it more often than the head.
  func fault(for current: ProxyExchange, at stages: ServerFault.Stages) -> AppliedFault? {
    guard !server.faults.board.isEmpty else { return nil }
    let hasBody = !stages.contains(.head)
    if hasBody, current.exchange.device.isEmpty { current.exchange.device = deviceSaid(in: current) }
    let fault = server.faults.fault(for: current.exchange, at: stages)
    if hasBody { current.exchange.fault = fault }
    return fault
  }

  private func deviceSaid(in current: ProxyExchange) -> String {
    var envelope = Envelope()
    let content = current.content(atMost: bodyBytesMax)
    guard !content.isEmpty else { return "" }
    do throws(EnvelopeError) {
      let name = try server.uploads.reader.device(in: content, &envelope)
      return current.exchange.identity(name)?.name ?? ""
    } catch { return "" }
  }

  /// Returns the records of the body; none if it has none.
  func records(in current: ProxyExchange, _ scratch: ProxyScratch) -> UploadReading {
    records(in: current.content(atMost: bodyBytesMax), scratch)
  }

  private func records(in content: [UInt8], _ scratch: ProxyScratch) -> UploadReading {
    guard !content.isEmpty else { return UploadReading() }
    do throws(EnvelopeError) {
      return try server.uploads.reader.read(content, into: &scratch.session.envelope)
    } catch { return UploadReading() }
  }

  /// Returns the body without the records after the first `count`; nil when nothing would be left.
  func prefix(of current: ProxyExchange, records count: Int, _ scratch: ProxyScratch) -> [UInt8]? {
    let content = current.content(atMost: bodyBytesMax)
    let ranges = records(in: content, scratch).ranges
    guard let first = ranges.first, let last = ranges.last, count < ranges.count else { return current.body.bytes }
    current.passedRecords = count
    if count == 0, ranges.count == 1 { return nil }
    let end = count == 0 ? first.lowerBound : ranges[count - 1].upperBound
    let left = Array(content[..<end] + content[last.upperBound...])
    return current.exchange.coding == .identity ? left : GzipFile.pack(left)
  }
}

/// Records finished exchanges.
extension ProxyContext {
  func note(_ current: ProxyExchange, _ scratch: ProxyScratch, now: MonotonicInstant) {
    let exchange = current.exchange
    let content = exchange.route.deviceOperation == .uploadLocations ? current.content(atMost: bodyBytesMax) : []
    let reading = records(in: content, scratch)
    if exchange.device.isEmpty { exchange.device = exchange.identity(reading.device)?.name ?? "" }
    exchange.body = current.takeBody(server.bodies)
    let answer = current.shownAnswer(target, name)
    if current.status != 0 || current.failure != nil { judge(current, content, now) }
    store(current, current.passedRecords.map(reading.first) ?? reading, content)
    server.note(exchange, answer, sent: sent(current, reading), now: now)
  }

  private func sent(_ current: ProxyExchange, _ reading: UploadReading) -> [LedgerRecord] {
    guard server.journal != nil, !reading.points.isEmpty else { return [] }
    let exchange = current.exchange
    let device = DeviceIdentity(run: exchange.run, name: exchange.device)
    let fault = exchange.fault?.fault.kind
    let answeredAt = server.backend.now.millisecondsSince1970
    // SDK §7.2.2: the records are deleted on any 2xx, whatever its content.
    let isDelivered = !current.isClientGone && 200..<300 ~= current.deliveredStatus
    let passed = current.passedRecords.map { Set(reading.first($0).points.map(\.record.lowerBound)) }
    return reading.points.map { point in
      let hasPassed = passed?.contains(point.record.lowerBound) ?? true
      return LedgerRecord(
        uuid: point.uuid, device: device, at: exchange.receivedAt.millisecondsSince1970, answeredAt: answeredAt,
        status: hasPassed ? current.status : 0, isDelivered: isDelivered, fault: fault?.rawValue)
    }
  }

  /// Stores what the upstream has acknowledged as `serve` would store it.
  private func store(_ current: ProxyExchange, _ reading: UploadReading, _ content: [UInt8]) {
    // Backends accept other JSON too: a body without a single record is not a device's.
    let count = reading.points.isEmpty ? 0 : reading.points.count + reading.quarantined.count
    guard count > 0 else { return }
    let exchange = current.exchange
    server.metrics.arrived(records: count, oldest: reading.oldest, at: exchange.receivedAt)
    guard 200..<300 ~= current.status,
      let device = exchange.identity(exchange.device.isEmpty ? "anonymous" : exchange.device)
    else { return }
    let batch = IngestBatch(
      device: device, receivedAt: exchange.receivedAt, parameters: reading.parameters, bytes: content,
      points: reading.points, quarantined: reading.quarantined, commandLimit: 0)
    _ = server.backend.submit(.ingest(batch), for: .discarded)
  }

  /// `content` is what the body says, where it is an upload that can be read.
  private func judge(_ current: ProxyExchange, _ content: [UInt8], _ now: MonotonicInstant) {
    guard let judge, let operation = current.exchange.route.deviceOperation,
      !ProxyName.tellsLoop(status: current.status, head: current.answerHead)
    else { return }
    let exchange = current.exchange
    let end = current.answeredAt ?? now
    judge.judge(
      JudgedAnswer(
        device: DeviceIdentity(run: exchange.run, name: exchange.device), operation: operation,
        url: target.url + current.target, body: content.isEmpty ? exchange.body : content, status: current.status,
        head: current.answerHead, answer: current.answerContent, failure: current.failure.map { $0.kind },
        duration: end - (current.passedAt ?? exchange.begunAt),
        endedAt: exchange.receivedAt.advanced(byMilliseconds: (end - exchange.begunAt).wholeMilliseconds)))
  }
}

extension UploadReading {
  /// The ranges of the records, in the order of the body.
  var ranges: [Range<Int>] {
    (points.map(\.record) + quarantined.map(\.record)).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Returns the reading without the records after the first `count` of the body.
  func first(_ count: Int) -> UploadReading {
    var first = self
    _ = UploadReading.keepFirst(count, points: &first.points, quarantined: &first.quarantined)
    return first
  }
}

extension ProxyExchange {
  /// Returns the answer for the journal: the upstream's, or the one given in its place.
  fileprivate func shownAnswer(_ target: UpstreamTarget, _ name: ProxyName) -> Response {
    if let ownAnswer { return ownAnswer }
    if status != 0 { return Response(status, "", answer) }
    return failure?.response(target, name) ?? .clientGone
  }
}

/// An answer of the upstream, with its request.
package struct JudgedAnswer: Sendable {
  /// Why there is no answer.
  package enum Failure: Sendable {
    case unreachable(String)
    case timeout
    case incomplete
    case malformed(String)
  }

  package let device: DeviceIdentity
  package let operation: DeviceOperation
  package let url: String
  /// Of the request: what it says, as far as that can be read, else as it came.
  package let body: [UInt8]
  package let status: Int
  /// The head as received, with the status line.
  package let head: [UInt8]
  /// The decoded content; nil when it is unknown, because it is long or in an unsupported coding.
  package let answer: [UInt8]?
  package let failure: Failure?
  /// Between the upstream's first byte of the request and the end of its answer.
  package let duration: Nanoseconds
  package let endedAt: WallInstant
}

extension UpstreamFailure {
  fileprivate var kind: JudgedAnswer.Failure {
    switch self {
    case .unreachable(let error): .unreachable(error.description)
    case .connectTimeout: .unreachable("the connection timed out")
    case .answerTimeout: .timeout
    case .closed: .incomplete
    case .malformed(let error): .malformed(error.reason)
    }
  }
}
