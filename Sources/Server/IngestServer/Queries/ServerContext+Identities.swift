import JSON
import Store

extension ServerContext {
  /// `GET /admin/v1/uuids?run&device&from&to`: one line `{"device","uuid","timestamp"}` for each stored record, in the order
  /// of arrival. `POST /admin/v1/verify` takes the same lines.
  func listIdentities(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = try QueryParameters(exchange, taking: ["run", "device", "from", "to"])
    let run = run(exchange, parameters)
    let device = parameters.text("device").map { DeviceIdentity(run: run, name: $0) }
    let from = try parameters.instant("from") ?? .min
    let to = try parameters.instant("to") ?? .max
    guard from <= to else { throw QueryParameters.refuse("from", "takes a time that is not after \"to\"") }
    let listing = Listing<StoredKey, ArrivalCursor>(
      format: .lines { key, writer in
        writer.beginObject()
        writer.members(of: RecordIdentity(device: key.device, key: key.key))
        writer.endObject()
      },
      // How many rows a page looks at is the store's choice.
      read: { (reader, after, _) throws(StoreError) in
        var page = try reader.keys(run: run, device: device, after: after)
        page.elements.removeAll { $0.key.recordedAt < from || $0.key.recordedAt >= to }
        return page
      },
      text: \.text)
    return listing.reply(after: nil, limit: nil, query: exchange.query)
  }
}
