import Contract
import JSON
import Store

/// Handles requests about devices.
struct DeviceHandlers: Sendable {
  let traffic: TrafficBoard
  let tags: DeviceTags

  /// `GET /admin/v1/devices?run&limit&cursor`: `{"devices":[…],"next":…}` in the order of first uploads, each with its `tags`,
  /// and as `failure` its last request if that was not answered with 2xx or met a fault.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let run = exchange.optionalRun
    let listing = Listing<StoredDevice, Int64>(
      format: .json("devices") { [traffic, tags] device, writer in
        writer.beginObject()
        writer.members(of: device)
        writer.list("tags", tags.tags(of: device.identity)) { $0.value($1) }
        writer.member("failure", traffic.failure(of: device.identity))
        writer.endObject()
      },
      read: { (reader, after, limit) throws(StoreError) in try reader.devices(run: run, after: after, limit: limit) },
      text: { "\($0)" })
    return listing.reply(
      after: try parameters.rowCursor(), limit: try parameters.limit(), query: exchange.query.items)
  }

  /// `GET /admin/v1/devices/{device}?run`: a device as in the list, with a `note` when it has records but no latest position.
  func get(_ exchange: Exchange) -> Reply {
    let identity = exchange.namedDevice
    return .ask { [traffic] (reader: any StoreReader) throws(StoreError) -> Response in
      guard let device = try reader.device(identity) else { return .unknownDevice(identity) }
      let tags = try reader.tags(of: identity)
      return .object { writer in
        writer.members(of: device)
        writer.list("tags", tags) { $0.value($1) }
        writer.member("failure", traffic.failure(of: identity))
        if device.latest == nil, device.points > 0 { writer.member("note", Self.noLatest) }
      }
    }
  }

  private static let noLatest =
    "latest is null: no record has a position and a possible time, from 2000 to two days ahead of the server's clock"

  /// `DELETE /admin/v1/devices/{device}?run`: deletes the device with its records, quarantine, commands, tags and logs. A
  /// client that presents one of its tokens then gets 410 and a `stop`, until the device registers again. An upload in its name
  /// without a token makes a new device: it cannot be told from one that never existed.
  func delete(_ exchange: Exchange) -> Reply { delete(exchange.namedDevice) }

  /// `DELETE /admin/v1/devices?device&run`: the same for names that no path can contain: `.`, `..`, and those with a control
  /// character.
  func deleteNamed(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard let name = exchange.query.text("device"), !name.isEmpty else {
      throw QueryParameters.refuse("device", "must be the name of a device; POST /admin/v1/reset forgets all of a run")
    }
    return delete(DeviceIdentity(run: exchange.run, name: name))
  }

  private func delete(_ device: DeviceIdentity) -> Reply {
    .change(.delete(device)) { [traffic] count in
      traffic.forget(device)
      return .answer(count == 0 ? .unknownDevice(device) : .count("devices", count))
    }
  }
}

extension Response {
  static func unknownDevice(_ device: DeviceIdentity) -> Response {
    let place = device.run.isEmpty ? "" : " in run \(device.run)"
    return .error(404, "unknown_device", "there is no device \(device.name)\(place)")
  }

  /// The answer of the demo server, with the command that ends a client's tracking (SDK §21).
  static let deviceDeleted: Response = {
    let error = ErrorBody(code: "device_deleted", message: "this device was deleted; it has to register again")
    guard case .object(var body) = error.json else { preconditionFailure("an error is an object") }
    body[CommandKey.backgroundGeolocation] = .array([Command.stop.json])
    return .json(410) { JSONValue.object(body).write(to: &$0) }
  }()
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ failure: TrafficBoard.Failure?) {
    key(name)
    guard let failure else { return null() }
    beginObject()
    members(of: failure)
    endObject()
  }

  /// `device`, `run`, `firstSeen`, `lastSeen`, the counts `records`, `duplicates` and `quarantined`, and `latest`, which is
  /// null before the first position.
  mutating func members(of device: StoredDevice) {
    member("device", device.identity.name)
    member("run", device.identity.run)
    member("firstSeen", instant: device.firstSeen)
    member("lastSeen", instant: device.lastSeen)
    member("records", device.points)
    member("duplicates", device.duplicates)
    member("quarantined", device.quarantined)
    key("latest")
    guard let latest = device.latest else { return null() }
    beginObject()
    members(of: latest)
    endObject()
  }

  /// `uuid`, `recordedAt`, `latitude`, `longitude`, `accuracy`, `speed`, `heading`, `isMoving`, `event`; null for values that
  /// the record does not have.
  mutating func members(of position: StoredDevice.Position) {
    member("uuid", position.uuid)
    member("recordedAt", instant: position.recordedAt == 0 ? nil : position.recordedAt)
    member("latitude", position.latitude)
    member("longitude", position.longitude)
    member("accuracy", position.accuracy)
    member("speed", position.speed)
    member("heading", position.heading)
    member("isMoving", position.isMoving)
    member("event", position.event)
  }
}
