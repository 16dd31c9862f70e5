package import Base
package import JSON

/// An acknowledged record that the server does not have, as an entry of the list of losses.
package struct LostRecord: Equatable, Sendable {
  /// Where the record is instead, or how it was lost.
  package enum Cause: Equatable, Sendable {
    case missing
    /// Listed for that device.
    case elsewhere(String)
    /// The target answered with a page of HTML, which no fault of the scenario explains.
    case page

    fileprivate var word: String {
      switch self {
      case .missing: "missing"
      case .elsewhere: "elsewhere"
      case .page: "page"
      }
    }
  }

  package let device: String
  package let uuid: UUID128
  /// The timestamp of the record.
  package let timestamp: WallInstant
  /// Times since the start of the run.
  package let (created, acknowledged): (Nanoseconds, Nanoseconds)
  /// The request whose answer made the device delete it, its number of records, and its final status.
  package let request: UInt64
  package let (records, status, attempts): (Int, Int, Int)
  package let cause: Cause

  init(_ dequeued: DequeuedRecord, of device: String, _ cause: Cause) {
    let start = MonotonicInstant(nanoseconds: 0)
    (self.device, self.cause, uuid, timestamp) = (device, cause, dequeued.uuid, dequeued.timestamp)
    (created, acknowledged) = (dequeued.createdAt - start, dequeued.at - start)
    request = dequeued.request
    (records, status, attempts) = (Int(dequeued.requestRecords), Int(dequeued.status), Int(dequeued.attempts))
  }

  package var json: JSONValue {
    var object: JSONObject = [
      "device": .string(device), "uuid": .string(uuid.text), "timestamp": .string(timestamp.iso8601Text),
      "createdSeconds": created.json, "acknowledgedSeconds": acknowledged.json,
      "request": .integer(Int64(clamping: request)), "records": .integer(Int64(records)),
      "status": .integer(Int64(status)), "sent": .integer(Int64(attempts)), "cause": .string(cause.word),
    ]
    if case .elsewhere(let holder) = cause { object["listedFor"] = .string(holder) }
    return .object(object)
  }

  /// Returns one line per record.
  package static func lines(of records: [LostRecord]) -> [UInt8] {
    records.flatMap { $0.json.serialized + [UInt8(ascii: "\n")] }
  }
}

extension Nanoseconds {
  /// The seconds, as an integer where they are whole.
  package var json: JSONValue {
    count % 1_000_000_000 == 0 ? .integer(count / 1_000_000_000) : .double(seconds)
  }
}
