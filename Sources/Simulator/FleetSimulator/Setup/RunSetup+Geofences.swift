import Base
import Contract
import IngestServer
import Scenario
import World

/// The place over which a grid of fences is spread.
enum FencedPlace {
  case city(City)
  /// A square around a place.
  case around(Coordinate)
  case along(RouteSet)

  /// From the southwestern corner to the northeastern one.
  var corners: (Coordinate, Coordinate)? {
    switch self {
    case .city(let city):
      let (east, north) = (0.5 * Double(city.columns) * city.blockMetres, 0.5 * Double(city.rows) * city.blockMetres)
      return FencedPlace.corners(around: city.center, east: east, north: north)
    case .around(let center): return FencedPlace.corners(around: center, east: 1_500, north: 1_500)
    case .along(let routes):
      let places = routes.routes.flatMap(\.path.vertices)
      let latitudes = places.map(\.latitude)
      let longitudes = places.map(\.longitude)
      guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
        let east = longitudes.max(), let first = Coordinate(latitude: south, longitude: west),
        let last = Coordinate(latitude: north, longitude: east)
      else { return nil }
      return (first, last)
    }
  }

  private static func corners(around center: Coordinate, east: Double, north: Double) -> (Coordinate, Coordinate) {
    let scale = LocalScale(latitude: center.latitude)
    return (
      scale.place(at: Offset(east: -east, north: -north), from: center),
      scale.place(at: Offset(east: east, north: north), from: center)
    )
  }
}

extension RunSetup {
  /// What the app of a fleet adds before it starts.
  static func geofences(named name: String, of scenario: Scenario, over place: FencedPlace) -> [Geofence] {
    guard let set = scenario.geofences.first(where: { $0.name == name })?.value else { return [] }
    switch set {
    case .list(let list): return list.fences
    case .grid(let grid):
      guard let (first, last) = place.corners else { return [] }
      // As many columns as rows, or a few more; the last row may be short.
      let columns = Int(Double(grid.count).squareRoot().rounded(.up))
      let rows = (grid.count + columns - 1) / columns
      return (0..<grid.count).map { number in
        let (x, y) = (Double(number % columns) + 0.5, Double(number / columns) + 0.5)
        let center = Geofence.Vertex(
          latitude: first.latitude + (last.latitude - first.latitude) * y / Double(rows),
          longitude: first.longitude + (last.longitude - first.longitude) * x / Double(columns))
        var fence = Geofence(
          identifier: "\(name)-\(number)", shape: .circle(center: center, radiusMetres: grid.radiusMetres))
        fence.notifyOnEntry = grid.notifyOnEntry
        fence.notifyOnExit = grid.notifyOnExit
        fence.notifyOnDwell = grid.notifyOnDwell
        fence.loiteringDelayMilliseconds = grid.loiteringDelayMilliseconds
        return fence
      }
    }
  }
}

extension RunSetup {
  /// What of a fault cannot be simulated.
  static func judge(_ fault: Fault, of scenario: Scenario, _ problems: inout [String]) {
    let place = "fault '\(fault.name)'"
    switch fault.action {
    case .network(let name):
      if case .changing? = scenario.network(named: name) {
        problems.append("\(place): the network '\(name)' changes itself; name one that stays as it is")
      }
    case .toxic(let toxic):
      if let phase = toxic.phase, !toxic.effect.hasPhase {
        problems.append(
          "\(place): the phase \(phase.rawValue) is for latency, timeout and reset_peer; for others say which stream")
      }
    case .tls(let tls):
      if tls.delay != nil, tls.problem != .slow {
        problems.append("\(place): only a slow handshake has a delay; remove it")
      }
      if tls.problem == .changedKey, scenario.target.security.pinnedKey == nil {
        problems.append(
          "\(place): only an app that pins the server's key notices another one; add target: { tls: { pinnedKey: \"sha256//…\" } }"
        )
      }
    case .http(let http):
      for header in http.abort?.headers ?? [] where !ServerFault.isField(NameValuePair(header.name, header.value)) {
        problems.append("\(place): the header '\(header.name)' is one that the server writes itself, or is none")
      }
    case .authorization:
      if scenario.target.authorization.strategy != .jwt {
        problems.append("\(place): there are no tokens; add target: { auth: { strategy: \"jwt\" } }")
      }
    case .storage, .device, .lifecycle, .remote: break
    }
  }

  /// What of the target cannot be simulated.
  static func judge(_ target: Target, _ problems: inout [String]) {
    if target.connections.policy == .pooled {
      problems.append("target.connections.policy pooled: in virtual time each device has connections of its own")
    }
    let authorization = target.authorization
    if authorization.strategy == .sas {
      problems.append("target.auth.strategy sas: our server knows jwt only")
    }
    guard authorization.strategy == .jwt else { return }
    if authorization.refreshRotation == .reusable {
      problems.append("target.auth.refreshRotation reusable: refresh tokens of our server serve once")
    }
    let known = [
      ("tokenUrl", authorization.tokenURL, ["/api/register", "/v2/register", "/api/jwt/register"]),
      ("refreshUrl", authorization.refreshURL, ["/api/refresh_token", "/v2/refresh_token"]),
    ]
    for (key, path, paths) in known where !paths.contains(path) {
      problems.append("target.auth.\(key): our server has \(paths.joined(separator: ", ")), and no '\(path)'")
    }
  }
}

extension ToxicEffect {
  fileprivate var hasPhase: Bool {
    switch self {
    case .latency, .timeout, .resetPeer: true
    case .bandwidth, .slowClose, .slicer, .limitData: false
    }
  }
}
