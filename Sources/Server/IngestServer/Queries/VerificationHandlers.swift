import Base
import JSON
import Store

/// Handles requests that verify which records are stored.
struct VerificationHandlers: Sendable {
  let shortfall: Shortfall
  let hasJournal: Bool

  /// `POST /admin/v1/verify?run&from&to` with the lines of `uuids`, or with uuids alone: `{"asked","stored","missing",
  /// "missingRecords":[…]}`. `from` and `to` bound the search for uuids alone. With `exactly`, `atLeast` or `atMost` in the
  /// body records are counted instead.
  func verify(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.run
    if let plan = try WaitPlan(checking: exchange) { return plan.reply(hasJournal: hasJournal) }
    if let expectation = try CountExpectation(exchange.body, of: exchange) { return expectation.reply(shortfall) }
    let request = try VerificationRequest(exchange.body, run: run)
    let (from, to) = try parameters.window()
    let selection = KeySelection(run: run, from: from, to: to)
    let devices = request.devices
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      var missing: [RecordIdentity] = []
      for (device, keys) in devices {
        missing += try reader.missing(keys, of: device).map { RecordIdentity(device: device, key: $0) }
      }
      guard request.bare.isEmpty else { return UUIDSearch(request, missing: missing, in: selection).response }
      return .object { writer in
        writer.member("asked", request.count)
        writer.verification(asked: request.count, missing: missing, bare: [])
      }
    }
  }
}

extension JSONWriter {
  /// The missing records that an answer lists; their count is always exact.
  private static let missingNamedMax = 1_000

  /// `stored`, `missing` and `missingRecords`; a record requested by its uuid alone has null for unknown values.
  mutating func verification(asked: Int, missing: [RecordIdentity], bare: [VerificationRequest.Bare]) {
    let count = missing.count + bare.count
    member("stored", asked - count)
    member("missing", count)
    key("missingRecords")
    beginArray()
    for record in missing.prefix(Self.missingNamedMax) {
      beginObject()
      members(of: record)
      endObject()
    }
    for record in bare.prefix(max(0, Self.missingNamedMax - missing.count)) {
      beginObject()
      member("device", record.device?.text)
      member("uuid", record.uuid)
      key("timestamp")
      null()
      endObject()
    }
    endArray()
  }
}

extension VerificationHandlers {
  /// `GET /admin/v1/uuids?run&device&from&to&limit&cursor`: one line `{"device","uuid","timestamp"}` per stored record, in
  /// order of arrival. `POST /admin/v1/verify` accepts the same lines. With a limit the `Link` field names the next page; a
  /// page may have fewer lines than the limit.
  func listIdentities(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.run
    let device = parameters.text("device").map { DeviceIdentity(run: run, name: $0) }
    let (from, to) = try parameters.window()
    let selection = KeySelection(run: run, device: device, from: from, to: to)
    let cursor = try parameters.cursor { (text) throws(StoreError) in try ArrivalCursor(text: text) }
    let limit = try parameters.limit()
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      let found = try device.flatMap { (device) throws(StoreError) in try reader.device(device) }
      let listing = Listing<StoredKey, ArrivalCursor>(
        format: .lines { key, writer in
          writer.beginObject()
          writer.members(of: RecordIdentity(device: key.device, key: key.key))
          writer.endObject()
        },
        read: { (reader, after, limit) throws(StoreError) in
          let page = try reader.keys(selection, after: after, limit: limit)
          if let found { try reader.requireStill(found) }
          return page
        },
        text: \.text)
      return try listing.answer(reader, after: cursor, limit: limit, query: parameters.items)
    }
  }
}

/// A record and its device.
struct RecordIdentity: Sendable {
  let device: DeviceIdentity
  let key: PointKey
}

extension JSONWriter {
  /// `device`, `uuid` and `timestamp`, which is null for a record without a time.
  mutating func members(of record: RecordIdentity) {
    member("device", record.device.name)
    member("uuid", record.key.uuid)
    member("timestamp", instant: record.key.recordedAt == 0 ? nil : record.key.recordedAt)
  }
}
