import Base
import JSON
import Store

/// The records that somebody wants to know of whether they are stored, in the order in which they were named.
struct VerificationRequest {
  static let recordsMax = 10_000

  /// A record of which only the uuid is known, and perhaps the device.
  struct Bare: Hashable {
    let device: String?
    let uuid: UUID128
  }

  private(set) var keys: [RecordIdentity] = []
  private(set) var bare: [Bare] = []

  var count: Int { keys.count + bare.count }

  /// `{"device":…,"records":[…]}`, a list of records, or one record a line; a record is `{"uuid","timestamp","device"}`. The
  /// device may be left out where the object around the list names it, the timestamp where the record has none.
  ///
  /// A uuid alone, a text in place of a record or in a list under `uuids`, is looked for at all times and, where no object
  /// around it names one, at all devices.
  init(_ body: [UInt8], run: String) throws(ResponseError) {
    var reader = JSONReader(body.span)
    while !reader.isAtEnd() {
      let value: JSONValue
      do throws(JSONError) { value = try JSONValue(from: &reader, duplicateKeys: .lastWins) } catch {
        throw ResponseError(.error(400, "malformed_json", error.description))
      }
      if case .array(let records) = value {
        for record in records { try add(record, nil, run) }
      } else if case .array(let records)? = value["records"] {
        for record in records { try add(record, value["device"], run) }
      } else if case .array(let uuids)? = value["uuids"] {
        for uuid in uuids { try add(uuid, value["device"], run) }
      } else {
        try add(value, nil, run)
      }
    }
  }

  private mutating func add(_ record: JSONValue, _ owner: JSONValue?, _ run: String) throws(ResponseError) {
    guard count < Self.recordsMax else {
      throw ResponseError(.error(413, "too_many_records", "at most \(Self.recordsMax) records at a time"))
    }
    if case .string(let text) = record {
      bare.append(Bare(device: try name(owner), uuid: try uuid(text)))
      return
    }
    guard case .string(let device)? = record["device"] ?? owner else {
      throw refuse("device takes the name of a device")
    }
    guard case .string(let text)? = record["uuid"] else { throw refuse(Self.uuidForm) }
    keys.append(
      RecordIdentity(
        device: DeviceIdentity(run: run, name: device),
        key: PointKey(recordedAt: try instant(record["timestamp"]), uuid: try uuid(text))))
  }

  private static let uuidForm = "uuid takes 36 characters of the form 8-4-4-4-12"

  private func uuid(_ text: String) throws(ResponseError) -> UUID128 {
    guard let uuid = UUID128(text: text.utf8.span) else { throw refuse(Self.uuidForm) }
    return uuid
  }

  private func name(_ device: JSONValue?) throws(ResponseError) -> String? {
    switch device {
    case nil, .null: return nil
    case .string(let name): return name
    default: throw refuse("device takes the name of a device")
    }
  }

  private func instant(_ value: JSONValue?) throws(ResponseError) -> Int64 {
    switch value {
    case nil, .null: return 0
    case .integer(let milliseconds): return milliseconds
    case .string(let text):
      if let instant = WallInstant(iso8601: text.utf8.span) { return instant.millisecondsSince1970 }
    default: break
    }
    throw refuse("timestamp takes a time like 2026-07-28T18:34:22.563Z, or milliseconds since 1970")
  }

  private func refuse(_ what: String) -> ResponseError {
    ResponseError(.error(400, "bad_record", "record \(count): \(what)"))
  }

  /// The places of the records of each device, the devices in the order in which they were first named.
  var devices: [(device: DeviceIdentity, keys: [PointKey])] {
    var places: [DeviceIdentity: Int] = [:]
    var devices: [(device: DeviceIdentity, keys: [PointKey])] = []
    for key in keys {
      if let place = places[key.device] {
        devices[place].keys.append(key.key)
      } else {
        places[key.device] = devices.count
        devices.append((key.device, [key.key]))
      }
    }
    return devices
  }
}
