import JSON
import Store

extension ServerContext {
  /// Missing records that an answer names; their count is exact all the same.
  private static let missingMax = 1_000

  /// `POST /admin/v1/verify?run` with the lines of `uuids`: `{"asked","stored","missing","missingRecords":[…]}`.
  func verify(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = try QueryParameters(exchange, taking: ["run"])
    let request = try VerificationRequest(exchange.body, run: run(exchange, parameters))
    let devices = request.devices
    let asked = request.keys.count
    return .ask { (reader: StoreReader) throws(StoreError) -> Response in
      var missing: [RecordIdentity] = []
      for (device, keys) in devices {
        missing += try reader.missing(keys, of: device).map { RecordIdentity(device: device, key: $0) }
      }
      return .verification(asked: asked, missing: missing, named: Self.missingMax)
    }
  }
}

extension Response {
  fileprivate static func verification(asked: Int, missing: [RecordIdentity], named limit: Int) -> Response {
    .json { writer in
      writer.beginObject()
      writer.key("asked")
      writer.value(asked)
      writer.key("stored")
      writer.value(asked - missing.count)
      writer.key("missing")
      writer.value(missing.count)
      writer.key("missingRecords")
      writer.beginArray()
      for key in missing.prefix(limit) {
        writer.beginObject()
        writer.members(of: key)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
  }
}
