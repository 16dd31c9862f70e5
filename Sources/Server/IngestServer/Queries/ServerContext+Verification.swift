import JSON
import Store

extension ServerContext {
  /// `POST /admin/v1/verify?run&from&to` with the lines of `uuids`, or with uuids alone: `{"asked","stored","missing",
  /// "missingRecords":[…]}`. `from` and `to` bound where uuids alone are looked for. With `exactly`, `atLeast` or `atMost` in
  /// the body records are counted instead.
  func verify(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.run
    if let expectation = try CountExpectation(exchange.body, run: run) { return expectation.reply(self) }
    let request = try VerificationRequest(exchange.body, run: run)
    let (from, to) = try parameters.window()
    let selection = KeySelection(run: run, from: from, to: to)
    let devices = request.devices
    return .ask { (reader: StoreReader) throws(StoreError) -> Response in
      var missing: [RecordIdentity] = []
      for (device, keys) in devices {
        missing += try reader.missing(keys, of: device).map { RecordIdentity(device: device, key: $0) }
      }
      guard request.bare.isEmpty else { return UUIDSearch(request, missing: missing, in: selection).response }
      return .json { writer in
        writer.beginObject()
        writer.member("asked", request.count)
        writer.verification(asked: request.count, missing: missing, bare: [])
        writer.endObject()
      }
    }
  }
}

extension JSONWriter {
  /// Missing records that an answer names; their count is exact all the same.
  private static let missingNamedMax = 1_000

  /// `stored`, `missing` and `missingRecords`; a record of which only the uuid was asked has a null for what is not known.
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
      key("device")
      value(record.device)
      key("uuid")
      value(record.uuid)
      key("timestamp")
      null()
      endObject()
    }
    endArray()
  }
}
