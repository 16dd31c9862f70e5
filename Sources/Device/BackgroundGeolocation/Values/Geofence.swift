import Base
import Contract
public import FoundationEssentials
import JSON

/// A region whose crossings are reported: a circle or a polygon.
///
/// A new value only describes a geofence; `GeofenceManager.add` validates and watches it. Values returned by the
/// manager also carry its status: `entryState`, `stateUpdatedAt` and `hits`.
public struct Geofence: Sendable {
  /// Not empty; adding a geofence replaces one with the same identifier.
  public let identifier: String
  /// Metres; for a polygon, the radius of the enclosing circle. Below 200 m crossings are unreliable on real phones.
  public let radius: Double
  /// The latitude of the centre, or of the centre of a polygon's enclosing circle.
  public let latitude: Double
  /// The longitude of the centre, or of the centre of a polygon's enclosing circle.
  public let longitude: Double
  /// Whether entries are reported.
  public let notifyOnEntry: Bool
  /// Whether exits are reported.
  public let notifyOnExit: Bool
  /// Whether a stay of `loiteringDelay` is reported.
  public let notifyOnDwell: Bool
  /// Milliseconds.
  public let loiteringDelay: Double
  /// The corners of a polygon as `[latitude, longitude]`, at least three; nil for a circle.
  public let vertices: [[Double]]?
  /// The side of the boundary after the last crossing.
  public let entryState: EntryState
  /// The time of the last crossing; nil before the first one.
  public let stateUpdatedAt: Date?
  /// The number of crossings in both directions and of dwells.
  public let hits: Int
  private let extrasValue: JSONValue?
  /// The path of the first value in the extras that JSON cannot represent.
  private let unusableExtras: String?

  /// Copied into every event and record of this geofence; nil when there are none.
  public var extras: [String: Any]? {
    if case .object(let object)? = extrasValue { object.dictionary } else { nil }
  }

  /// Creates a circle without checking it: `GeofenceManager.add` throws for an empty identifier, a radius that is not
  /// positive, an invalid place, and extras that JSON cannot represent.
  public init(
    identifier: String, radius: Double, latitude: Double, longitude: Double, notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true, notifyOnDwell: Bool = false, loiteringDelay: Double = 0, extras: [String: Any]? = nil
  ) {
    self.init(
      identifier: identifier, circle: (latitude, longitude, radius), vertices: nil,
      notifications: (notifyOnEntry, notifyOnExit, notifyOnDwell), loiteringDelay: loiteringDelay, extras: extras)
  }

  /// Creates a polygon with corners `[latitude, longitude]`. `GeofenceManager.add` throws for fewer than three corners,
  /// and for invalid ones.
  public init(
    identifier: String, vertices: [[Double]], notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
    notifyOnDwell: Bool = false, loiteringDelay: Double = 0, extras: [String: Any]? = nil
  ) {
    let circle = Self.circle(around: vertices)
    self.init(
      identifier: identifier, circle: circle, vertices: vertices,
      notifications: (notifyOnEntry, notifyOnExit, notifyOnDwell), loiteringDelay: loiteringDelay, extras: extras)
  }

  private init(
    identifier: String, circle: (latitude: Double, longitude: Double, radius: Double), vertices: [[Double]]?,
    notifications: (entry: Bool, exit: Bool, dwell: Bool), loiteringDelay: Double, extras: [String: Any]?
  ) {
    self.identifier = identifier
    latitude = circle.latitude
    longitude = circle.longitude
    radius = circle.radius
    self.vertices = vertices
    notifyOnEntry = notifications.entry
    notifyOnExit = notifications.exit
    notifyOnDwell = notifications.dwell
    self.loiteringDelay = loiteringDelay
    extrasValue = extras.flatMap { JSONObject(any: $0) }.map { .object($0) }
    unusableExtras = extras.flatMap { UnusableValue.path(in: $0) }
    entryState = .outside
    stateUpdatedAt = nil
    hits = 0
  }

  init(_ fence: Contract.Geofence) {
    identifier = fence.identifier
    switch fence.shape {
    case .circle(let center, let radiusMetres):
      latitude = center.latitude
      longitude = center.longitude
      radius = radiusMetres
      vertices = nil
    case .polygon(let corners):
      let pairs = corners.map { [$0.latitude, $0.longitude] }
      (latitude, longitude, radius) = Self.circle(around: pairs)
      vertices = pairs
    }
    notifyOnEntry = fence.notifyOnEntry
    notifyOnExit = fence.notifyOnExit
    notifyOnDwell = fence.notifyOnDwell
    loiteringDelay = fence.loiteringDelayMilliseconds
    extrasValue = fence.extras
    unusableExtras = nil
    entryState = fence.status.isInside ? .inside : .outside
    stateUpdatedAt =
      fence.status.updatedAtSeconds > 0 ? Date(timeIntervalSince1970: fence.status.updatedAtSeconds) : nil
    hits = fence.status.hits
  }

  /// Returns the validated geofence in its wire form.
  func definition() throws(BGGeoError) -> Contract.Geofence {
    if let unusableExtras { throw BGGeoError("extras.\(unusableExtras) must be a value of JSON") }
    var document: JSONObject = ["identifier": .string(identifier)]
    if let vertices {
      document["vertices"] = .array(vertices.map { .array($0.map { .double($0) }) })
    } else {
      document["latitude"] = .double(latitude)
      document["longitude"] = .double(longitude)
      document["radius"] = .double(radius)
    }
    document["notifyOnEntry"] = .bool(notifyOnEntry)
    document["notifyOnExit"] = .bool(notifyOnExit)
    document["notifyOnDwell"] = .bool(notifyOnDwell)
    document["loiteringDelay"] = .double(loiteringDelay)
    document["extras"] = extrasValue
    do throws(FieldError) {
      let fence = try Contract.Geofence(definition: .object(document))
      guard vertices == nil || fence.isPolygon else {
        throw FieldError("vertices", .outOfRange(expected: "at least 3 vertices"))
      }
      return fence
    } catch { throw BGGeoError("\(error)") }
  }
}

extension Contract.Geofence {
  var isPolygon: Bool {
    if case .polygon = shape { true } else { false }
  }
}

extension Geofence {
  /// Returns the smallest circle around the corners; all zeros when a corner is invalid.
  static func circle(around vertices: [[Double]]) -> (latitude: Double, longitude: Double, radius: Double) {
    let corners = vertices.compactMap { pair in
      pair.count == 2 ? Coordinate(latitude: pair[0], longitude: pair[1]) : nil
    }
    guard !corners.isEmpty, corners.count == vertices.count else { return (0, 0, 0) }
    let circle = Circle(enclosing: corners)
    return (circle.center.latitude, circle.center.longitude, circle.radiusMetres)
  }
}

/// The crossing that produced a location with the event `geofence`.
public struct GeofenceTrigger: Sendable {
  /// The identifier of the geofence.
  public let identifier: String
  /// `ENTER`, `EXIT` or `DWELL`.
  public let action: String
  /// The time of the crossing; the location may be slightly later.
  public let timestamp: Date
  private let trigger: Contract.GeofenceTrigger

  /// The extras of the geofence; nil when it has none.
  public var extras: [String: Any]? { trigger.extras.dictionary }

  init(_ trigger: Contract.GeofenceTrigger) {
    identifier = trigger.identifier
    action = trigger.action.rawValue
    timestamp = Date(trigger.timestamp)
    self.trigger = trigger
  }
}

extension RenderedObject {
  /// Selects the initializer that cannot fail: an object always has a JSON text.
  static func text(of object: JSONObject) -> RenderedObject {
    let text: RenderedObject? = RenderedObject(JSONValue.object(object))
    return text ?? .empty
  }

  /// The members; nil when there are none.
  var dictionary: [String: Any]? {
    guard !isEmpty else { return nil }
    var bytes: [UInt8] = []
    append(to: &bytes)
    return JSONObject(parsing: bytes)?.dictionary
  }
}

extension JSONObject {
  /// Nil unless the bytes are one object.
  init?(parsing bytes: [UInt8]) {
    let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)
    do throws(JSONError) {
      guard case .object(let object) = try JSONValue(parsing: bytes.span, limits: limits, reading: .lenient)
      else { return nil }
      self = object
    } catch { return nil }
  }
}
