import Base
import Contract
import JSON
import Store

/// The records that a request names, in its order.
struct VerificationRequest {
  static let recordsMax = 10_000

  /// A record identified by its uuid, and possibly the device.
  struct Bare: Hashable {
    let device: ExactText?
    let uuid: UUID128
  }

  private(set) var keys: [RecordIdentity] = []
  private(set) var bare: [Bare] = []

  var count: Int { keys.count + bare.count }

  /// Reads `{"device":…,"records":[…]}`, a list of records, or one record per line; a record is
  /// `{"uuid","timestamp","device"}`. The device may be omitted if the object around the list names it, the timestamp if the
  /// record has none.
  ///
  /// A uuid alone, a string in place of a record or in a list under `uuids`, is searched for at all times and, unless an object
  /// around it names one, under all devices. Uuids alone may also be one per line, without quotes.
  init(_ body: [UInt8], run: String) throws(ResponseError) {
    let opening = body.first { !Self.isSpace($0) }
    if let opening, !Array("{[\"".utf8).contains(opening) {
      try addLines(of: body)
      return
    }
    var reader = JSONReader(body.span)
    while !reader.isAtEnd() {
      let value: JSONValue
      do throws(JSONError) { value = try JSONValue(from: &reader, reading: .lenient) } catch {
        throw ResponseError(.error(400, "malformed_json", error.description))
      }
      switch value {
      case .array(let records): for record in records { try add(record, nil, run) }
      case .object: try add(object: value, run)
      default: try add(value, nil, run)
      }
    }
  }

  private static let recordKeys = ["device", "uuid", "timestamp"]
  private static let goodBody =
    #"{"device":"phone-1","exactly":3}, {"device":"phone-1","uuids":["…"]}, lines of GET uuids, or uuids, one on each line"#

  /// Adds an object at the top: a list with the common values of its elements, or one record.
  private mutating func add(object: JSONValue, _ run: String) throws(ResponseError) {
    let named = ["records", "uuids", "uuid"].filter { object[$0] != nil }
    let keys: [String] =
      switch named.first {
      case "records"?: ["device", "records"]
      case "uuids"?: ["device", "uuids"]
      case _?: Self.recordKeys
      // A misspelt key may have been any of them.
      case nil: Self.recordKeys + ["records", "uuids", "event", "from", "to", "since"] + CountRange.keys
      }
    do throws(FieldError) { _ = try AdminFields(object, knows: keys) } catch { throw refuse("\(error)") }
    switch (named.first, object[named.first ?? ""]) {
    case ("records"?, .array(let elements)), ("uuids"?, .array(let elements)):
      for element in elements { try add(element, object["device"], run) }
    case ("uuid"?, _): try add(object, nil, run)
    case (let name?, _): throw refuse("\(name) must be a list")
    case (nil, _): throw refuse("the body does not say what is expected: send \(Self.goodBody)")
    }
  }

  private mutating func addLines(of body: [UInt8]) throws(ResponseError) {
    for (index, line) in body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = Array(line.drop(while: Self.isSpace).reversed().drop(while: Self.isSpace).reversed())
      if text.isEmpty { continue }
      guard let uuid = UUID128(text: text.span) else {
        let shown = String(decoding: text.prefix(40), as: UTF8.self)
        throw ResponseError(
          .error(400, "bad_record", "line \(index + 1): '\(shown)' is neither a uuid nor JSON: send \(Self.goodBody)"))
      }
      try checkRoom()
      bare.append(Bare(device: nil, uuid: uuid))
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }

  private func checkRoom() throws(ResponseError) {
    guard count < Self.recordsMax else {
      throw ResponseError(.error(413, "too_many_records", "at most \(Self.recordsMax) records at a time"))
    }
  }

  private mutating func add(_ record: JSONValue, _ owner: JSONValue?, _ run: String) throws(ResponseError) {
    try checkRoom()
    if case .string(let text) = record {
      bare.append(Bare(device: try name(owner).map(ExactText.init), uuid: try uuid(text)))
      return
    }
    do throws(FieldError) { _ = try AdminFields(record, knows: Self.recordKeys) } catch { throw refuse("\(error)") }
    guard case .string(let device)? = record["device"] ?? owner else {
      throw refuse("device must be the name of a device")
    }
    guard case .string(let text)? = record["uuid"] else { throw refuse(Self.uuidForm) }
    keys.append(
      RecordIdentity(
        device: DeviceIdentity(run: run, name: device),
        key: PointKey(recordedAt: try instant(record["timestamp"]), uuid: try uuid(text))))
  }

  private static let uuidForm = "uuid must have 36 characters of the form 8-4-4-4-12"

  private func uuid(_ text: String) throws(ResponseError) -> UUID128 {
    guard let uuid = UUID128(text: text.utf8.span) else { throw refuse(Self.uuidForm) }
    return uuid
  }

  private func name(_ device: JSONValue?) throws(ResponseError) -> String? {
    switch device {
    case nil, .null: return nil
    case .string(let name): return name
    default: throw refuse("device must be the name of a device")
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
    throw refuse("timestamp must be a time such as 2026-07-28T18:34:22.563Z, or milliseconds since 1970")
  }

  private func refuse(_ what: String) -> ResponseError {
    ResponseError(.error(400, "bad_record", "record \(count): \(what)"))
  }

  /// The keys of each device, the devices in the order in which they were first named.
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

/// An expected number of stored records.
struct CountExpectation: Sendable {
  private let range: CountRange
  private let selection: RecordSelection

  /// Reads `{"device":…,"run":…,"event":…,"from":…,"to":…,"since":…,"exactly"|"atLeast"|"atMost":n}`: `from` ≤ recorded time <
  /// `to`, and `since` ≤ time of arrival. Nil for a body without a number, which names certain records.
  init?(_ body: [UInt8], of exchange: Exchange) throws(ResponseError) {
    do {
      // The first of several consecutive texts is not such an object.
      guard body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else { return nil }
      var reader = JSONReader(body.span)
      let value = try JSONValue(from: &reader, reading: .lenient)
      // A body with conditions that a wait could not read must not be read without them.
      if WaitPlan.ownKeys.contains(where: { value[$0] != nil }) { _ = try JSONValue(parsing: body.span) }
      guard reader.isAtEnd(), CountRange.keys.contains(where: { value[$0] != nil }) else { return nil }
      let fields = try AdminFields(
        value, knows: ["device", "run", "event", "from", "to", "since"] + CountRange.keys + WaitPlan.ownKeys)
      let run = try fields.run(within: exchange)
      range = try CountRange(fields, absent: 1)
      let device = try fields.text("device").map { DeviceIdentity(run: run, name: $0) }
      let (from, to) = (try fields.time("from"), try fields.time("to"))
      // The range would be empty, and "none" would always hold.
      if let from, let to, from >= to { throw FieldError("to", .outOfRange(expected: "later than from")) }
      selection = RecordSelection(
        KeySelection(
          run: run, device: device, from: from?.millisecondsSince1970 ?? .min, to: to?.millisecondsSince1970 ?? .max),
        event: try fields.text("event"), receivedFrom: try fields.time("since")?.millisecondsSince1970 ?? .min)
    } catch let error as JSONError {
      throw ResponseError(.error(400, "malformed_json", error.description))
    } catch {
      throw ResponseError(.error(400, "bad_verify", "\(error)"))
    }
  }

  /// Whether the records are selected by run and device only.
  private var isOfAll: Bool {
    let keys = selection.keys
    return selection.event == nil && selection.receivedFrom == .min && keys.from == .min && keys.to == .max
  }

  /// Returns the count of `await`, or the number of matching stored records. Stops, not complete, when the range is exceeded.
  private func count(_ reader: any StoreReader) throws(StoreError) -> (count: Int, isWhole: Bool) {
    if isOfAll { return (try reader.arrived(run: selection.keys.run, device: selection.keys.device?.name), true) }
    var sum = 0
    var next: ArrivalCursor?
    repeat {
      let (count, following) = try reader.count(selection, after: next)
      sum += count
      next = following
    } while next != nil && !range.isExceeded(by: sum)
    return (sum, next == nil)
  }

  /// 200 `{"records":n,"holds":true}`, or 409 with the actual number.
  func reply(_ shortfall: Shortfall) -> Reply {
    .ask { [self] (reader: any StoreReader) throws(StoreError) -> Response in
      let (count, isWhole) = try self.count(reader)
      guard range.contains(count) else {
        let found = isWhole ? CountRange.records(count) : "\(count) or more records"
        var detail: JSONObject = ["records": .integer(Int64(count))]
        var message = "\(found), expected \(range.text)"
        if count < range.atLeast {
          let sought = Shortfall.Sought(
            run: selection.keys.run, device: selection.keys.device?.name, event: count == 0 ? selection.event : nil)
          let reasons = shortfall.reasons(sought, reader)
          message += reasons.words
          if !reasons.isEmpty { detail["reasons"] = .array(reasons.map(\.json)) }
        }
        return .error(409, "not_verified", message, detail: .object(detail))
      }
      return .object { writer in
        writer.member("records", count)
        writer.member("holds", true)
      }
    }
  }
}

/// Searches for records by uuid alone. No index has them: the records of the run are scanned once for the whole list, page by
/// page, so that other queries run in between, and only until all are found.
struct UUIDSearch: Sendable {
  private let asked: Int
  /// The records with a time that are not stored.
  private let missing: [RecordIdentity]
  private let wanted: [VerificationRequest.Bare]
  private var selection: KeySelection
  private var open: Set<VerificationRequest.Bare>
  private var cursor: ArrivalCursor?

  /// `missing` are the records already looked up; `selection` bounds the search for the rest.
  init(_ request: VerificationRequest, missing: [RecordIdentity], in selection: KeySelection) {
    asked = request.count
    self.missing = missing
    wanted = request.bare
    self.selection = selection
    open = Set(request.bare)
    self.selection.uuids = Set(request.bare.map(\.uuid))
    if let first = request.bare.first?.device, request.bare.allSatisfy({ $0.device == first }) {
      self.selection.device = DeviceIdentity(run: selection.run, name: first.text)
    }
  }

  /// The answer begins at once and ends with the scan.
  var response: Response {
    var response = Response(200, "application/json", Array("{\"asked\":\(asked),".utf8))
    response.rest = .store { (reader: any StoreReader) throws(StoreError) -> ContentPage in try page(reader) }
    return response
  }

  private func page(_ reader: any StoreReader) throws(StoreError) -> ContentPage {
    let found = try reader.keys(selection, after: cursor)
    var search = self
    for record in found.elements {
      search.open.remove(VerificationRequest.Bare(device: nil, uuid: record.key.uuid))
      search.open.remove(VerificationRequest.Bare(device: ExactText(record.device.name), uuid: record.key.uuid))
    }
    guard let next = found.next, !search.open.isEmpty else {
      return ContentPage(bytes: try search.ending(reader), next: nil)
    }
    search.cursor = next
    let following = search
    return ContentPage(
      bytes: [],
      next: .store { (reader: any StoreReader) throws(StoreError) -> ContentPage in try following.page(reader) })
  }

  /// Returns the members after `asked`, and where the missing records are instead.
  private func ending(_ reader: any StoreReader) throws(StoreError) -> [UInt8] {
    let lost = wanted.filter { open.contains($0) }
    let elsewhere =
      lost.isEmpty
      ? []
      : try Shortfall.elsewhere(Set(lost.map(\.uuid)), of: selection.device?.name, run: selection.run, reader)
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.verification(asked: asked, missing: missing, bare: lost)
    if !elsewhere.isEmpty { writer.list("reasons", elsewhere) { $1.json.write(to: &$0) } }
    writer.endObject()
    return Array(writer.bytes.dropFirst())
  }
}
