import JSON
import Store

extension ServerContext {
  /// `GET /admin/v1/uuids?run&device&from&to&limit&cursor`: one line `{"device","uuid","timestamp"}` for each stored record, in the order
  /// of arrival. `POST /admin/v1/verify` takes the same lines. With a limit the `Link` field names the next page; a page may
  /// hold fewer lines than the limit.
  func listIdentities(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.run
    let device = parameters.text("device").map { DeviceIdentity(run: run, name: $0) }
    let (from, to) = try parameters.window()
    let selection = KeySelection(run: run, device: device, from: from, to: to)
    let listing = Listing<StoredKey, ArrivalCursor>(
      format: .lines { key, writer in
        writer.beginObject()
        writer.members(of: RecordIdentity(device: key.device, key: key.key))
        writer.endObject()
      },
      read: { (reader, after, limit) throws(StoreError) in
        try reader.keys(selection, after: after, limit: limit)
      },
      text: \.text)
    let cursor = try parameters.cursor { (text) throws(StoreError) in try ArrivalCursor(text: text) }
    return listing.reply(after: cursor, limit: try parameters.limit(), query: exchange.query.items)
  }
}
