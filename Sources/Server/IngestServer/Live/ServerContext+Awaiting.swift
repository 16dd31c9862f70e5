import Base
import Contract
import JSON

extension ServerContext {
  /// Uuids that one request may wait for.
  private static let uuidsMax = 100_000
  private static let standardMilliseconds: Int64 = 10_000

  /// `{"device":…,"run":…,"atLeast":n,"atMost":n,"exactly":n,"event":…,"uuids":[…],"since":"start"|"now","timeout":"10s"}`, all optional:
  /// without a number and `uuids` one record is waited for. `count` is another name of `atLeast`. 408 says that the time was
  /// over, 409 that there were more than there may be.
  func awaitRecords(_ exchange: Exchange) -> Reply {
    do {
      let body = exchange.body.isEmpty ? .object([:]) : try JSONValue(parsing: exchange.body.span)
      let keys = ["device", "run", "count", "event", "uuids", "since", "timeout"] + CountRange.keys
      let fields = try AdminFields(body, knows: keys)
      let milliseconds = try fields.milliseconds("timeout") ?? ServerContext.standardMilliseconds
      return .wait(try condition(fields, of: exchange), milliseconds: milliseconds)
    } catch {
      return .answer(.error(400, "bad_await", "\(error)"))
    }
  }

  private func condition(_ fields: AdminFields, of exchange: Exchange) throws(FieldError) -> AwaitCondition {
    let uuids = try uuids(fields)
    let count = try fields.integer("count", in: 0...Int64(Int32.max))
    if count != nil, CountRange.keys.contains(where: { fields.value($0) != nil }) {
      throw FieldError("count", .outOfRange(expected: "left out beside exactly, atLeast and atMost"))
    }
    let range = try CountRange(fields, absent: count.map { Int($0) } ?? (uuids.isEmpty ? 1 : 0))
    var condition = AwaitCondition(run: try fields.run(within: exchange), count: range)
    condition.device = try fields.text("device")
    condition.event = try fields.text("event")
    condition.uuids = uuids
    switch try fields.text("since") ?? "start" {
    case "start": condition.isFromNow = false
    case "now": condition.isFromNow = true
    default: throw FieldError("since", .outOfRange(expected: "start, for all that is stored, or now"))
    }
    if condition.event != nil && !condition.isFromNow {
      throw FieldError(
        "since", .outOfRange(expected: "now where an event is given: earlier ones are not counted by event"))
    }
    return condition
  }

  private func uuids(_ fields: AdminFields) throws(FieldError) -> Set<UUID128> {
    guard let value = fields.value("uuids") else { return [] }
    guard case .array(let elements) = value, elements.count <= ServerContext.uuidsMax else {
      throw FieldError("uuids", .outOfRange(expected: "an array of at most \(ServerContext.uuidsMax) uuids"))
    }
    var uuids: Set<UUID128> = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element, let uuid = UUID128(text: text.utf8.span) else {
        throw FieldError("uuids[\(index)]", .outOfRange(expected: "a uuid"))
      }
      uuids.insert(uuid)
    }
    return uuids
  }
}
