import JSON
import Store

extension ServerContext {
  /// `GET /admin/v1/devices?run&limit&cursor`: `{"devices":[…],"next":…}` in the order of their first uploads.
  func listDevices(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.optionalRun
    let listing = Listing<StoredDevice, Int64>(
      format: .json("devices") { device, writer in
        writer.beginObject()
        writer.members(of: device)
        writer.endObject()
      },
      read: { (reader, after, limit) throws(StoreError) in try reader.devices(run: run, after: after, limit: limit) },
      text: { "\($0)" })
    return listing.reply(
      after: try parameters.rowCursor(), limit: try parameters.limit(), query: exchange.query.items)
  }

  /// `GET /admin/v1/devices/{id}?run`: a device as in the list, and its `tags`.
  func device(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let identity = exchange.namedDevice
    return .ask { (reader: StoreReader) throws(StoreError) -> Response in
      guard let device = try reader.device(identity) else { return .unknownDevice(identity) }
      let tags = try reader.tags(of: identity)
      return .json { writer in
        writer.beginObject()
        writer.members(of: device)
        writer.key("tags")
        writer.beginArray()
        for tag in tags { writer.value(tag) }
        writer.endArray()
        writer.endObject()
      }
    }
  }
}

extension Response {
  static func unknownDevice(_ device: DeviceIdentity) -> Response {
    let place = device.run.isEmpty ? "" : " in run \(device.run)"
    return .error(404, "unknown_device", "there is no device \(device.name)\(place)")
  }
}

extension JSONWriter {
  /// `device`, `run`, `firstSeen`, `lastSeen`, the counts `records`, `duplicates` and `quarantined`, and `latest`, which is
  /// null before the first position.
  mutating func members(of device: StoredDevice) {
    key("device")
    value(device.identity.name)
    key("run")
    value(device.identity.run)
    key("firstSeen")
    value(instant: device.firstSeen)
    key("lastSeen")
    value(instant: device.lastSeen)
    key("records")
    value(device.points)
    key("duplicates")
    value(device.duplicates)
    key("quarantined")
    value(device.quarantined)
    key("latest")
    guard let latest = device.latest else { return null() }
    beginObject()
    members(of: latest)
    endObject()
  }

  /// `uuid`, `recordedAt`, `latitude`, `longitude`, `accuracy`, `speed`, `heading`, `isMoving`, `event`; null for what the
  /// record did not say.
  mutating func members(of position: StoredDevice.Position) {
    key("uuid")
    value(position.uuid)
    key("recordedAt")
    value(instant: position.recordedAt == 0 ? nil : position.recordedAt)
    key("latitude")
    value(position.latitude)
    key("longitude")
    value(position.longitude)
    key("accuracy")
    value(position.accuracy)
    key("speed")
    value(position.speed)
    key("heading")
    value(position.heading)
    key("isMoving")
    value(position.isMoving)
    key("event")
    value(position.event)
  }
}
