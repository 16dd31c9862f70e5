import Base
import JSON
import Store

extension ServerContext {
  /// The way of a device as one line: a collection with one feature, whose geometry is null when there are not two places to
  /// draw it between (RFC 7946 §3.1.4). It has no pages: half a line is another line. Times stay with the points.
  func track(
    of device: DeviceIdentity, from: Int64, to: Int64, _ parameters: QueryParameters
  ) throws(ResponseError) -> Reply {
    for name in ["limit", "cursor"] where parameters.text(name) != nil {
      throw QueryParameters.refuse(name, "does not go with shape=track: a track is bounded by \"from\" and \"to\"")
    }
    let read: @Sendable (StoreReader, PointCursor?, Int) throws(StoreError) -> Page<StoredPoint, PointCursor> = {
      (reader, after, limit) throws(StoreError) in
      var page = try reader.history(of: device, from: from, to: to, after: after, limit: limit)
      page.elements.removeAll { $0.latitude == nil || $0.longitude == nil }
      return page
    }
    return .ask { (reader: StoreReader) throws(StoreError) -> Response in
      guard try reader.device(device) != nil else { return .unknownDevice(device) }
      let isLine = try read(reader, nil, 2).elements.count == 2
      let listing = Listing(format: .track(of: device, isLine: isLine), read: read, text: \.text)
      return try listing.whole(reader, after: nil)
    }
  }
}

extension ListFormat<StoredPoint> {
  /// The elements are the positions of the line. Where there is no line they are left out.
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
