import Contract
import JSON
import Store

extension ServerContext {
  private enum LocationFormat: String, CaseIterable {
    case json, ndjson, geojson, gpx, csv
  }

  private enum LocationShape: String, CaseIterable {
    case points, track
  }

  /// `GET /admin/v1/devices/{id}/locations?run&from&to&limit&cursor&format&shape`: the records with `from` ≤ recorded time
  /// < `to`, in recorded order. `shape=track` makes one line of them, in GeoJSON.
  func listLocations(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let device = exchange.namedDevice
    let (from, to) = try parameters.window()
    let format = try parameters.choice("format", default: LocationFormat.json)
    if try parameters.choice("shape", default: LocationShape.points) == .track {
      guard format == .geojson else { throw QueryParameters.refuse("shape", "takes track with format=geojson only") }
      return try track(of: device, from: from, to: to, parameters)
    }
    let listing = Listing<StoredPoint, PointCursor>(
      format: Self.format(format, of: device),
      read: { (reader, after, limit) throws(StoreError) in
        try reader.history(of: device, from: from, to: to, after: after, limit: limit)
      },
      text: \.text)
    let cursor = try parameters.cursor { (text) throws(StoreError) in try PointCursor(text: text) }
    let limit = try parameters.limit()
    return .ask { (reader: StoreReader) throws(StoreError) -> Response in
      guard try reader.device(device) != nil else { return .unknownDevice(device) }
      return try listing.answer(reader, after: cursor, limit: limit, query: exchange.query.items)
    }
  }

  private static func format(_ format: LocationFormat, of device: DeviceIdentity) -> ListFormat<StoredPoint> {
    switch format {
    case .json: .json("locations") { $1.location($0) }
    case .ndjson: .lines { $1.location($0) }
    case .geojson: .geoJSON { $1.feature($0) }
    case .gpx: .gpx(trackName: device.name)
    case .csv: .csv
    }
  }
}

extension StoredPoint {
  /// Metres above the sea. Not kept beside the record, because only exports ask for it.
  var altitude: Double? {
    do throws(RecordProblem) { return try RecordDecoder().decode(record.span).altitude } catch { return nil }
  }
}

extension JSONWriter {
  /// `{"uuid","recordedAt","receivedAt","record","params"}`: `record` and `params` are what the device sent; without
  /// params there is no such key.
  fileprivate mutating func location(_ point: StoredPoint) {
    beginObject()
    key("uuid")
    value(point.uuid)
    key("recordedAt")
    value(instant: point.recordedAt == 0 ? nil : point.recordedAt)
    key("receivedAt")
    value(instant: point.receivedAt)
    key("record")
    raw(point.record)
    if !point.parameters.isEmpty {
      key("params")
      raw(point.parameters)
    }
    endObject()
  }

  /// A point; its properties are those of a position of a device, and `receivedAt`.
  fileprivate mutating func feature(_ point: StoredPoint) {
    beginFeature(at: point.longitude, point.latitude, altitude: point.altitude)
    key("uuid")
    value(point.uuid)
    key("recordedAt")
    value(instant: point.recordedAt == 0 ? nil : point.recordedAt)
    key("receivedAt")
    value(instant: point.receivedAt)
    key("accuracy")
    value(point.accuracy)
    key("speed")
    value(point.speed)
    key("heading")
    value(point.heading)
    key("isMoving")
    value(point.isMoving)
    key("event")
    value(point.event)
    endFeature()
  }
}
