import BackgroundGeolocation

/// The geofences, the records and the log.
enum Keeping {
  static func fences(_ bgGeo: BGGeo) async throws {
    let circle = Geofence(
      identifier: "depot", radius: 300, latitude: 45.504, longitude: -73.6, notifyOnEntry: true, notifyOnExit: true,
      notifyOnDwell: true, loiteringDelay: 60_000, extras: ["gate": 2])
    let polygon = Geofence(
      identifier: "yard", vertices: [[45.51, -73.61], [45.51, -73.6], [45.52, -73.605]], notifyOnExit: false)
    try await bgGeo.geofences.add(circle)
    try await bgGeo.geofences.addAll([polygon])
    for fence in bgGeo.geofences.getAll() {
      print(fence.identifier, fence.radius, fence.latitude, fence.longitude, fence.vertices ?? [])
      print(fence.notifyOnEntry, fence.notifyOnExit, fence.notifyOnDwell, fence.loiteringDelay, fence.extras ?? [:])
      print(fence.entryState, fence.stateUpdatedAt as Any, fence.hits)
    }
    print(await bgGeo.geofences.exists("depot"), try await bgGeo.geofences.get("depot").hits)
    try await bgGeo.geofences.remove("depot")
    try await bgGeo.geofences.removeAll(["yard"])
    try await bgGeo.geofences.removeAll()
  }

  static func records(_ bgGeo: BGGeo) async throws {
    let uuid = try await bgGeo.store.insert(["coords": ["latitude": 45.5, "longitude": -73.6], "kind": "note"])
    print(bgGeo.store.count, try await bgGeo.store.all(limit: 10, order: DataStore.ORDER_DESC).count)
    bgGeo.store.destroy(uuid)
    do {
      print(try await bgGeo.store.sync().count)
    } catch let error as HttpError { print(error) }
    try await bgGeo.store.destroyAll()
  }

  static func log(_ bgGeo: BGGeo) async throws {
    bgGeo.logger.logLevel = .verbose
    bgGeo.logger.error("e")
    bgGeo.logger.warn("w")
    bgGeo.logger.info("i")
    bgGeo.logger.debug("d")
    bgGeo.logger.notice("n")
    bgGeo.logger.log(.info, message: "i")
    bgGeo.logger.playSound(1)
    print(try await bgGeo.logger.getLog(order: Logger.ORDER_DESC, limit: 5))
    try await bgGeo.logger.uploadLog(url: "http://tracker.example/log")
    do {
      try await bgGeo.logger.emailLog(to: "me@tracker.example")
    } catch let error as BGGeoError { print(error.code, error.message) }
    print(bgGeo.logger.destroyLog())
  }
}
