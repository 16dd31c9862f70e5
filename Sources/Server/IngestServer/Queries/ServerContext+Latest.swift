import JSON
import Store

extension ServerContext {
  private enum LatestFormat: String, CaseIterable {
    case json, geojson
  }

  /// `GET /admin/v1/locations/latest?run&limit&cursor&format=json|geojson`: where each device is, as far as it said.
  func listLatest(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.optionalRun
    let listing = Listing<StoredDevice, Int64>(
      format: try parameters.choice("format", default: LatestFormat.json) == .json ? Self.json : Self.geoJSON,
      read: { (reader, after, limit) throws(StoreError) in
        var page = try reader.devices(run: run, after: after, limit: limit)
        page.elements.removeAll { $0.latest == nil }
        return page
      },
      text: { "\($0)" })
    return listing.reply(after: try parameters.rowCursor(), limit: try parameters.limit(), query: exchange.query.items)
  }

  /// `{"locations":[{"device","run", then the position as of a device},…],"next":…}`.
  private static let json = ListFormat<StoredDevice>.json("locations") { device, writer in
    writer.beginObject()
    writer.members(ofLatest: device)
    writer.endObject()
  }

  private static let geoJSON = ListFormat<StoredDevice>.geoJSON { device, writer in
    writer.beginFeature(at: device.latest?.longitude, device.latest?.latitude, altitude: nil)
    writer.members(ofLatest: device)
    writer.endFeature()
  }
}

extension JSONWriter {
  fileprivate mutating func members(ofLatest device: StoredDevice) {
    key("device")
    value(device.identity.name)
    key("run")
    value(device.identity.run)
    if let latest = device.latest { members(of: latest) }
  }
}
