import Base
import Contract
import Host
import IngestServer
import JSON
import Scenario
import Upload

/// The server faults of a scenario: per request for the in-process server, as rules for an external Rolling Road server.
extension DeviceLink {
  /// Returns the fault of a request that has arrived; of several matching faults the first counts.
  func serverFault(of exchange: LinkExchange, under faults: FaultTimeline, in run: RunContext) -> ServerFault? {
    for spell in faults.running {
      let fault = run.faults.faults[spell.fault]
      switch fault.action {
      case .http(let http):
        // Three draws per request.
        var draws = FaultDraw.request.stream(
          fault.name, seed: run.setup.seed, device: key, n: 4 * (exchange.request & 0xFFFF_FFFF))
        if let met = http.meets(exchange, &draws) { return met }
      case .authorization(let authorization):
        if let status = authorization.refreshStatus, exchange.purpose == .refresh { return .status(status, []) }
      default: break
      }
    }
    return nil
  }
}

extension ServerFault {
  /// Whether the server has stored the records nevertheless.
  var isAfterCommit: Bool {
    switch self {
    case .delay, .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty, .replace: true
    case .refuse, .reset, .status, .portal, .redirect, .pretend, .prefix, .certificate, .cutHandshake, .slowHandshake:
      false
    }
  }
}

extension HTTPFault {
  /// Returns the first of abort, answer and delay that matches the request.
  fileprivate func meets(_ exchange: LinkExchange, _ draws: inout RandomStream) -> ServerFault? {
    let chances = (draws.uniform() * 100, draws.uniform() * 100, draws.uniform() * 100)
    if let abort, chances.0 < abort.percentage, exchange.satisfies(abort.condition) {
      return abort.serverFault
    }
    if let answer, chances.1 < answer.percentage, exchange.satisfies(answer.condition) {
      return answer.kind.serverFault
    }
    if let delay, chances.2 < delay.percentage, exchange.satisfies(delay.condition) {
      return delay.serverFault
    }
    return nil
  }
}

extension HTTPAbort {
  var serverFault: ServerFault { .status(status, headers.map { NameValuePair($0.name, $0.value) }, body: body) }
}

extension HTTPDelay {
  var serverFault: ServerFault {
    let milliseconds = fixedDelay.wholeMilliseconds
    return .delay(milliseconds...milliseconds)
  }
}

extension LinkExchange {
  fileprivate func satisfies(_ condition: Condition?) -> Bool {
    guard let condition else { return true }
    switch condition.subject {
    case .requestBytes: return condition.holds(Double(bodyBytes))
    case .requestRecords: return condition.holds(Double(records))
    // The scenario language rejects these here.
    case .responseStatus, .responseBytes, .responseDuration: return false
    }
  }

  private var records: Int {
    guard purpose == .records else { return 0 }
    var envelope = Envelope()
    do throws(EnvelopeError) { try EnvelopeReader(maxRecords: .max).read(body.span, into: &envelope) } catch {
      return 0
    }
    return envelope.records.count
  }
}

extension AnswerFault {
  var serverFault: ServerFault {
    switch self {
    case .portal: .portal
    case .redirect: .redirect(status: 302, location: "http://portal.example/login")
    case .empty: .empty
    case .malformed: .malformed
    case .drop: .drop
    case .pretend: .pretend
    case .half: .cut(bytes: 40)
    case .tooLong: .wrongLength(by: 10)
    case .tooShort: .wrongLength(by: -10)
    case .reset: .reset
    case .dribble: .dribble(bytes: 16, every: 1_000)
    case .late: .delayAfterCommit(90_000...90_000)
    }
  }
}

extension Fault {
  /// Whether the simulator's network can simulate it in front of any server.
  var isPlayable: Bool {
    switch action {
    case .http(let http):
      http.delay == nil && (http.answer.map { $0.kind == .portal } ?? true)
        // A success in its name would make the records of the server's losses.
        && !(200..<300 ~= http.abort?.status ?? 0)
    // A key is the server's own.
    case .authorization(let authorization): !authorization.rotateKeys
    default: false
    }
  }
}

/// A rule of PUT /admin/v1/faults.
struct TargetFaultRule {
  let id: String
  let fault: ServerFault
  let share: Double
  /// Nil: all devices.
  let device: String?
  /// Nil: all operations.
  var operation: String?

  /// Returns the rules of a fault, in order of precedence.
  static func rules(of fault: Fault, _ index: Int, device: String?) -> [TargetFaultRule] {
    func rule(_ effect: ServerFault, _ share: Double) -> TargetFaultRule {
      TargetFaultRule(
        id: "\(index) \(fault.name) \(effect.kind.rawValue) \(device ?? "")", fault: effect, share: share,
        device: device)
    }
    switch fault.action {
    case .http(let http):
      var (aborted, answered) = ((http.abort?.percentage ?? 0) / 100, (http.answer?.percentage ?? 0) / 100)
      // The server decides about a reset before it reads a body, and so before anything else.
      if http.answer?.kind == .reset {
        answered *= 1 - aborted
        aborted = answered < 1 ? aborted / (1 - answered) : 0
      }
      return [
        http.abort.map { rule($0.serverFault, aborted) }, http.answer.map { rule($0.kind.serverFault, answered) },
        http.delay.map { rule($0.serverFault, $0.percentage / 100) },
      ].compactMap { $0 }
    case .authorization(let authorization):
      guard let status = authorization.refreshStatus else { return [] }
      var refusal = rule(.status(status, []), 1)
      refusal.operation = "refreshToken"
      return [refusal]
    case .tls(let tls): return [rule(tls.serverFault, 1)]
    default: return []
    }
  }

  static func list(_ rules: [TargetFaultRule], seed: UInt64) -> [UInt8] {
    var writer = JSONWriter(capacity: 256 * (rules.count + 1))
    writer.beginObject()
    writer.key("faults")
    writer.beginArray()
    // The seed is reduced to integers that every JSON reader can represent.
    for rule in rules { rule.append(seed: Int64(seed & (1 << 53 - 1)), to: &writer) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private func append(seed: Int64, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.value(id)
    writer.key("fault")
    fault.append(to: &writer)
    writer.key("match")
    writer.beginObject()
    writer.key("share")
    writer.value(share)
    if let device {
      writer.key("device")
      writer.value(device)
    }
    if let operation {
      writer.key("operation")
      writer.value(operation)
    }
    writer.endObject()
    writer.key("seed")
    writer.value(seed)
    writer.endObject()
  }
}
