import Base
import Contract
import JSON
import Store

/// Handles requests for the records and positions of devices.
struct LocationHandlers: Sendable {
  private enum LocationFormat: String, CaseIterable {
    case json, ndjson, geojson, gpx, csv
  }

  private enum LocationShape: String, CaseIterable {
    case points, track
  }

  /// `GET /admin/v1/devices/{device}/locations?run&from&to&limit&cursor&format&shape`: the records with `from` ≤ recorded time
  /// < `to`, in recorded order. `shape=track` combines them into one line, in GeoJSON.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let device = exchange.namedDevice
    let (from, to) = try parameters.window()
    let format = try parameters.choice("format", default: LocationFormat.json)
    if try parameters.choice("shape", default: LocationShape.points) == .track {
      guard format == .geojson else { throw QueryParameters.refuse("shape", "can be track only with format=geojson") }
      return try track(of: device, from: from, to: to, parameters)
    }
    let cursor = try parameters.cursor { (text) throws(StoreError) in try PointCursor(text: text) }
    let limit = try parameters.limit()
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      guard let found = try reader.device(device) else { return .unknownDevice(device) }
      let listing = Listing<StoredPoint, PointCursor>(
        format: Self.format(format, of: device),
        read: { (reader, after, limit) throws(StoreError) in
          let page = try reader.history(of: device, from: from, to: to, after: after, limit: limit)
          try reader.requireStill(found)
          return page
        },
        text: \.text)
      return try listing.answer(reader, after: cursor, limit: limit, query: parameters.items)
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

extension StoreReader {
  /// Throws when the device has been deleted since it was found, even if another one has its name now. Called after a page was
  /// read: without the records that followed, the list would look whole.
  func requireStill(_ found: StoredDevice) throws(StoreError) {
    guard try device(found.identity)?.id == found.id else {
      throw StoreError(
        code: .deviceDeleted, message: "the device \(found.identity.name) was deleted while its records were read")
    }
  }
}

extension StoredPoint {
  /// Metres above sea level. Not stored in a column, because only exports need it.
  var altitude: Double? {
    do throws(RecordProblem) { return try RecordDecoder().decode(record.span).altitude } catch { return nil }
  }
}

extension JSONWriter {
  /// `{"uuid","recordedAt","receivedAt","record","params"}`: `record` and `params` as the device sent them; `params` is omitted
  /// if there are none.
  fileprivate mutating func location(_ point: StoredPoint) {
    beginObject()
    member("uuid", point.uuid)
    member("recordedAt", instant: point.recordedAt == 0 ? nil : point.recordedAt)
    member("receivedAt", instant: point.receivedAt)
    key("record")
    raw(point.record)
    if !point.parameters.isEmpty {
      key("params")
      raw(point.parameters)
    }
    endObject()
  }

  /// Writes a point with the properties of a device's position, and `receivedAt`.
  fileprivate mutating func feature(_ point: StoredPoint) {
    beginFeature(at: point.longitude, point.latitude, altitude: point.altitude)
    member("uuid", point.uuid)
    member("recordedAt", instant: point.recordedAt == 0 ? nil : point.recordedAt)
    member("receivedAt", instant: point.receivedAt)
    member("accuracy", point.accuracy)
    member("speed", point.speed)
    member("heading", point.heading)
    member("isMoving", point.isMoving)
    member("event", point.event)
    endFeature()
  }
}

extension LocationHandlers {
  /// Returns the track of a device as one line: a collection with one feature, whose geometry is null when there are fewer than
  /// two positions (RFC 7946 §3.1.4). It has no pages: half a line is a different line. Times are only in the points.
  private func track(
    of device: DeviceIdentity, from: Int64, to: Int64, _ parameters: QueryParameters
  ) throws(ResponseError) -> Reply {
    for name in ["limit", "cursor"] where parameters.text(name) != nil {
      throw QueryParameters.refuse(name, "cannot be combined with shape=track; limit a track with \"from\" and \"to\"")
    }
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      guard let found = try reader.device(device) else { return .unknownDevice(device) }
      let read: @Sendable (any StoreReader, PointCursor?, Int) throws(StoreError) -> Page<StoredPoint, PointCursor> = {
        (reader, after, limit) throws(StoreError) in
        var page = try reader.history(of: device, from: from, to: to, after: after, limit: limit)
        try reader.requireStill(found)
        page.elements.removeAll { $0.latitude == nil || $0.longitude == nil }
        return page
      }
      let isLine = try read(reader, nil, 2).elements.count == 2
      let listing = Listing(format: .track(of: device, isLine: isLine), read: read, text: \.text)
      return try listing.whole(reader, after: nil)
    }
  }
}

extension ListFormat<StoredPoint> {
  /// The elements are the positions of the line, omitted when there is no line.
  static func track(of device: DeviceIdentity, isLine: Bool) -> ListFormat {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.member("device", device.name)
    writer.member("run", device.run)
    writer.endObject()
    let opening =
      Array(#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":"#.utf8) + writer.bytes
      + Array((isLine ? #","geometry":{"type":"LineString","coordinates":["# : #","geometry":null"#).utf8)
    return ListFormat(
      contentType: "application/geo+json", opening: opening, separator: isLine ? [UInt8(ascii: ",")] : [],
      append: { point, bytes in if isLine { bytes.append(position: point) } },
      closing: { _ in Array((isLine ? "]}}]}" : "}]}").utf8) })
  }
}

extension [UInt8] {
  fileprivate mutating func append(position point: StoredPoint) {
    guard let longitude = point.longitude, let latitude = point.latitude else { return }
    var writer = JSONWriter(capacity: 64)
    writer.appendPosition(longitude, latitude, point.altitude)
    self += writer.bytes
  }
}

extension LocationHandlers {
  private enum LatestFormat: String, CaseIterable {
    case json, geojson
  }

  /// `GET /admin/v1/locations/latest?run&limit&cursor&format=json|geojson`: the latest known position of each device.
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

  /// `{"locations":[{"device","run", then the members of a device's position},…],"next":…}`.
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
    member("device", device.identity.name)
    member("run", device.identity.run)
    if let latest = device.latest { members(of: latest) }
  }
}
