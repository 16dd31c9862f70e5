package import Base
package import JSON

/// A region whose crossings are reported (SDK §15.1).
package struct Geofence: Equatable, Sendable {
  /// A corner of a polygon, in degrees.
  package struct Vertex: Equatable, Sendable {
    package var latitude: Double
    package var longitude: Double

    package init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// The area of the region.
  package enum Shape: Equatable, Sendable {
    case circle(center: Vertex, radiusMetres: Double)
    /// At least three corners in the given order; the first need not be repeated at the end.
    case polygon([Vertex])
  }

  /// The engine's state of a fence. Apps and servers can read but not set it: adding a fence again resets it.
  package struct Status: Equatable, Sendable {
    package var isInside = false
    /// Seconds since 1970 of the last transition; 0 for none yet.
    package var updatedAtSeconds = 0.0
    /// The transitions reported so far: including exits and dwells, without unwanted ones (SDK §15.1).
    package var hits = 0
    /// When the dwell is complete, unless the device leaves earlier; nil when this visit has no pending dwell.
    package var dwellDeadline: WallInstant?

    package init() {}
  }

  /// Not empty.
  package var identifier: String
  package var shape: Shape
  package var notifyOnEntry = true
  package var notifyOnExit = true
  package var notifyOnDwell = false
  package var loiteringDelayMilliseconds = 0.0
  /// An object or nil.
  package var extras: JSONValue?
  package var status = Status()

  package init(identifier: String, shape: Shape) {
    self.identifier = identifier
    self.shape = shape
  }
}

/// Keys of a geofence (SDK §15.1).
package enum GeofenceKey {
  package static let identifier = "identifier"
  package static let latitude = "latitude"
  package static let longitude = "longitude"
  package static let radius = "radius"
  package static let notifyOnEntry = "notifyOnEntry"
  package static let notifyOnExit = "notifyOnExit"
  package static let notifyOnDwell = "notifyOnDwell"
  package static let loiteringDelay = "loiteringDelay"
  package static let vertices = "vertices"
  package static let extras = "extras"
  package static let entryState = "entryState"
  package static let stateUpdatedAt = "stateUpdatedAt"
  package static let hits = "hits"

  /// All of them.
  package static let all = [
    identifier, latitude, longitude, radius, notifyOnEntry, notifyOnExit, notifyOnDwell, loiteringDelay, vertices,
    extras,
    entryState, stateUpdatedAt, hits,
  ]
}

extension Geofence {
  /// The radius below which both platforms detect crossings unreliably (Geofence 316; SDK §15.1). Smaller ones are accepted
  /// with a warning.
  private static let leastReliableRadiusMetres = 200.0

  /// Whether a warning is due. The circle of a polygon is derived from its corners.
  package var isUnreliablySmall: Bool {
    switch shape {
    case .circle(_, let radius): radius < Self.leastReliableRadiusMetres
    case .polygon: false
    }
  }
}

extension Geofence {
  /// Reads a fence as apps and servers write it; fields that only an engine sets are ignored. Polygons take precedence over
  /// circles, and an empty `vertices` means that there is no polygon.
  package init(definition value: JSONValue) throws(FieldError) {
    let fields = try FieldReader(value)
    self.init(identifier: try fields.text(GeofenceKey.identifier), shape: try Self.shape(fields))
    notifyOnEntry = try fields.flag(GeofenceKey.notifyOnEntry, default: notifyOnEntry)
    notifyOnExit = try fields.flag(GeofenceKey.notifyOnExit, default: notifyOnExit)
    notifyOnDwell = try fields.flag(GeofenceKey.notifyOnDwell, default: notifyOnDwell)
    if let delay = try fields.optionalNumber(GeofenceKey.loiteringDelay) {
      guard delay >= 0 else { throw FieldError(GeofenceKey.loiteringDelay, .outOfRange(expected: "0 or more")) }
      loiteringDelayMilliseconds = delay
    }
    if let extras = fields.value(GeofenceKey.extras) {
      guard case .object = extras else { throw fields.wrongType(GeofenceKey.extras, "an object", extras) }
      self.extras = extras
    }
  }

  /// An array of fences. The path of an error begins with the index, `[2].radius`.
  package static func definitions(_ value: JSONValue) throws(FieldError) -> [Geofence] {
    guard case .array(let elements) = value else {
      throw FieldError("", .wrongType(expected: "an array", found: value.kindName))
    }
    var fences: [Geofence] = []
    for (index, element) in elements.enumerated() {
      do throws(FieldError) {
        fences.append(try Geofence(definition: element))
      } catch {
        throw FieldError(error.path.isEmpty ? "[\(index)]" : "[\(index)].\(error.path)", error.problem)
      }
    }
    return fences
  }

  /// The JSON with which a server adds the fence.
  package var definitionJSON: JSONValue { .object(definition) }

  /// The definition, and the status of the fence.
  package var json: JSONValue {
    var object = definition
    object[GeofenceKey.entryState] = .integer(status.isInside ? 1 : 0)
    object[GeofenceKey.stateUpdatedAt] = .number(status.updatedAtSeconds)
    object[GeofenceKey.hits] = .integer(Int64(status.hits))
    return .object(object)
  }

  private var definition: JSONObject {
    var object: JSONObject = [GeofenceKey.identifier: .string(identifier)]
    switch shape {
    case .circle(let center, let radius):
      object[GeofenceKey.latitude] = .number(center.latitude)
      object[GeofenceKey.longitude] = .number(center.longitude)
      object[GeofenceKey.radius] = .number(radius)
    case .polygon(let corners):
      object[GeofenceKey.vertices] = .array(corners.map { .array([.number($0.latitude), .number($0.longitude)]) })
    }
    object[GeofenceKey.notifyOnEntry] = .bool(notifyOnEntry)
    object[GeofenceKey.notifyOnExit] = .bool(notifyOnExit)
    object[GeofenceKey.notifyOnDwell] = .bool(notifyOnDwell)
    object[GeofenceKey.loiteringDelay] = .number(loiteringDelayMilliseconds)
    object[GeofenceKey.extras] = extras
    return object
  }

  private static func shape(_ fields: FieldReader) throws(FieldError) -> Shape {
    switch fields.value(GeofenceKey.vertices) {
    case nil, .array([]): return try circle(fields)
    case .array(let corners):
      guard corners.count >= 3 else {
        throw FieldError(GeofenceKey.vertices, .outOfRange(expected: "at least 3 vertices"))
      }
      var polygon: [Vertex] = []
      for (index, corner) in corners.enumerated() {
        polygon.append(try vertex(corner, path: "\(GeofenceKey.vertices)[\(index)]", fields))
      }
      return .polygon(polygon)
    case let other?: throw fields.wrongType(GeofenceKey.vertices, "an array of [latitude, longitude]", other)
    }
  }

  private static func circle(_ fields: FieldReader) throws(FieldError) -> Shape {
    let latitude = try fields.number(GeofenceKey.latitude)
    let longitude = try fields.number(GeofenceKey.longitude)
    let center = try Vertex(
      latitude, longitude, latitudePath: GeofenceKey.latitude, longitudePath: GeofenceKey.longitude)
    let radius = try fields.number(GeofenceKey.radius)
    guard radius > 0 else { throw FieldError(GeofenceKey.radius, .outOfRange(expected: "more than 0")) }
    return .circle(center: center, radiusMetres: radius)
  }

  private static func vertex(_ value: JSONValue, path: String, _ fields: FieldReader) throws(FieldError) -> Vertex {
    guard case .array(let pair) = value, pair.count == 2,
      let latitude = pair[0].coercedNumber, let longitude = pair[1].coercedNumber
    else { throw fields.wrongType(path, "[latitude, longitude]", value) }
    return try Vertex(latitude, longitude, latitudePath: path + "[0]", longitudePath: path + "[1]")
  }
}

extension Geofence.Vertex {
  fileprivate init(
    _ latitude: Double, _ longitude: Double, latitudePath: String, longitudePath: String
  ) throws(FieldError) {
    guard abs(latitude) <= 90 else { throw FieldError(latitudePath, .outOfRange(expected: "-90 to 90")) }
    guard abs(longitude) <= 180 else { throw FieldError(longitudePath, .outOfRange(expected: "-180 to 180")) }
    self.init(latitude: latitude, longitude: longitude)
  }
}
