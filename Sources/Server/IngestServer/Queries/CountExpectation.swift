import Base
import Contract
import JSON
import Store

/// So many records of a kind are expected to be stored.
struct CountExpectation: Sendable {
  private let range: CountRange
  private let selection: RecordSelection

  /// `{"device":…,"event":…,"from":…,"to":…,"since":…,"exactly"|"atLeast"|"atMost":n}`: `from` ≤ recorded time < `to`, and
  /// `since` ≤ time of arrival. Nil for a body without a number, which asks for certain records.
  init?(_ body: [UInt8], run: String) throws(ResponseError) {
    do {
      // Of several texts one behind the other the first is none of these.
      var reader = JSONReader(body.span)
      guard case .object = try reader.peek() else { return nil }
      let value = try JSONValue(from: &reader, duplicateKeys: .lastWins)
      guard reader.isAtEnd(), CountRange.keys.contains(where: { value[$0] != nil }) else { return nil }
      let fields = try AdminFields(value, knows: ["device", "event", "from", "to", "since"] + CountRange.keys)
      range = try CountRange(fields, absent: 1)
      let device = try fields.text("device").map { DeviceIdentity(run: run, name: $0) }
      selection = RecordSelection(
        KeySelection(
          run: run, device: device, from: try fields.time("from")?.millisecondsSince1970 ?? .min,
          to: try fields.time("to")?.millisecondsSince1970 ?? .max),
        event: try fields.text("event"), receivedFrom: try fields.time("since")?.millisecondsSince1970 ?? .min)
    } catch let error as JSONError {
      throw ResponseError(.error(400, "malformed_json", error.description))
    } catch {
      throw ResponseError(.error(400, "bad_verify", "\(error)"))
    }
  }

  /// 200 `{"records":n,"holds":true}`, or 409 with how many there are instead.
  func reply(_ context: ServerContext) -> Reply {
    .ask { [self] (reader: StoreReader) throws(StoreError) -> Response in
      var sum = 0
      var next: ArrivalCursor?
      repeat {
        let (count, following) = try reader.count(selection, after: next)
        sum += count
        next = following
      } while next != nil && !range.isExceeded(by: sum)
      let count = sum
      guard range.contains(count) else {
        let found = next == nil ? CountRange.records(count) : "\(count) or more records"
        var detail: JSONObject = ["records": .integer(Int64(count))]
        var message = "\(found), expected \(range.text)"
        if count < range.atLeast {
          let reasons = context.shortfall(run: selection.keys.run, device: selection.keys.device?.name, reader)
          message += reasons.words
          if !reasons.isEmpty { detail["reasons"] = .array(reasons.map(\.json)) }
        }
        return .error(409, "not_verified", message, detail: .object(detail))
      }
      return .json { writer in
        writer.beginObject()
        writer.member("records", count)
        writer.key("holds")
        writer.value(true)
        writer.endObject()
      }
    }
  }
}
