import Contract
import IngestServer
import JSON
import Scenario

/// One rule of PUT /admin/v1/faults.
struct TargetFaultRule {
  private let id: String
  private let fault: ServerFault
  private let share: Double
  /// Nil: of everybody.
  private let device: String?
  /// Nil: whatever is asked.
  private var operation: String?

  /// What a fault comes to, the first that meets a request first.
  static func rules(of fault: Fault, _ index: Int, device: String?) -> [TargetFaultRule] {
    func rule(_ effect: ServerFault, _ share: Double) -> TargetFaultRule {
      TargetFaultRule(
        id: "\(index) \(fault.name) \(effect.kind.rawValue) \(device ?? "")", fault: effect, share: share,
        device: device)
    }
    switch fault.action {
    case .http(let http):
      var (aborted, answered) = ((http.abort?.percentage ?? 0) / 100, (http.answer?.percentage ?? 0) / 100)
      // The server resets before it reads a body, and so before it decides about anything else.
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
    case .network, .toxic, .storage, .device, .lifecycle, .remote: return []
    }
  }

  static func list(_ rules: [TargetFaultRule], seed: UInt64) -> [UInt8] {
    var writer = JSONWriter(capacity: 256 * (rules.count + 1))
    writer.beginObject()
    writer.key("faults")
    writer.beginArray()
    // The administration takes numbers that every reader of JSON can hold.
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
