import JSON
import Store

extension ServerContext {
  /// `GET /admin/v1/quarantine?run&limit&cursor`: `{"records":[{"id","device","receivedAt","reason","key","record"},…],"next":…}`,
  /// the latest first. `key` names the member of the record that is wrong, null when it is the record; `record` is a text,
  /// because what is kept here need not be JSON.
  func listQuarantine(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = try QueryParameters(exchange, taking: ["run", "limit", "cursor"])
    let run = run(exchange, parameters)
    let listing = Listing<QuarantinedRecord, Int64>(
      format: .json("records") { $1.quarantined($0) },
      read: { (reader, before, limit) throws(StoreError) in
        try reader.quarantine(run: run, before: before, limit: limit)
      },
      text: { "\($0)" })
    return listing.reply(after: try parameters.rowCursor(), limit: try limit(parameters), query: exchange.query)
  }
}

extension JSONWriter {
  fileprivate mutating func quarantined(_ record: QuarantinedRecord) {
    beginObject()
    key("id")
    value(record.id)
    key("device")
    value(record.device.name)
    key("receivedAt")
    value(instant: record.receivedAt)
    key("reason")
    value(record.reason)
    key("key")
    value(record.detail.isEmpty ? nil : record.detail)
    key("record")
    value(String(decoding: record.record, as: UTF8.self))
    endObject()
  }
}
