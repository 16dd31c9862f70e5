import Base
package import JSON
import Scenario

/// An act is an object with one key: `{"addPhones": {"fleet": "cars", "count": 50}}`.
extension RunAct {
  /// Throws the path and a remedy.
  package init(json: JSONValue) throws(RunActError) {
    guard case .object(let object) = json else {
      throw RunActError("", "an act is an object", remedy: #"write {"addPhones": {"fleet": "cars", "count": 50}}"#)
    }
    guard let member = object.members.first else {
      throw RunActError("", "the act has no name", remedy: "write one of \(RunAct.names.joined(separator: ", "))")
    }
    guard object.members.count == 1 else {
      throw RunActError(object.members[1].key, "a second act in one object", remedy: "send one act at a time")
    }
    self = try RunAct(named: member.key, ActReader(member.key, member.value))
  }

  private init(named name: String, _ reader: ActReader) throws(RunActError) {
    switch name {
    case "addPhones":
      try reader.allow(["fleet", "count"])
      self = .addPhones(try reader.count("count"), fleet: try reader.fleet())
    case "removePhones":
      try reader.allow(["fleet", "count"])
      self = .removePhones(try reader.count("count"), fleet: try reader.fleet())
    case "changeRate":
      try reader.allow(["fleet", "factor"])
      self = .changeRate(try reader.number("factor", in: 0...RunAct.factorMax), fleet: try reader.fleet())
    case "dropNetwork":
      try reader.allow(["network", "for", "place", "fleet"])
      var drop = NetworkDrop(
        for: try reader.duration("for"), in: try reader.polygon("place"), fleet: try reader.text("fleet"))
      if let network = try reader.text("network") { drop.network = network }
      self = .dropNetwork(drop)
    case "expireTokens":
      try reader.allow(["fleet"])
      self = .expireTokens(fleet: try reader.text("fleet"))
    case "killApps":
      try reader.allow(["share", "count", "fleet"])
      self = .killApps(AppKill(try reader.amount(), fleet: try reader.text("fleet")))
    case "pause", "resume", "stop", "abort":
      try reader.allow([])
      self = name == "pause" ? .pause : name == "resume" ? .resume : name == "stop" ? .stop : .abort
    default:
      let near = NearestName.find(name, in: RunAct.names).map { "did you mean '\($0)'?" }
      throw RunActError(
        name, "there is no such act", remedy: near ?? "write one of \(RunAct.names.joined(separator: ", "))")
    }
  }

  /// The maximum factor of one rate change.
  package static let factorMax = 1_000.0
  /// The maximum number of phones in one act.
  package static let countMax = 1_000_000

  /// The JSON that `init(json:)` reads.
  package var json: JSONValue {
    var content = JSONObject()
    func put(_ fleet: String?) { if let fleet { content["fleet"] = .string(fleet) } }
    switch self {
    case .addPhones(let count, let fleet), .removePhones(let count, let fleet):
      put(fleet)
      content["count"] = .integer(Int64(count))
    case .changeRate(let factor, let fleet):
      put(fleet)
      content["factor"] = .double(factor)
    case .dropNetwork(let drop):
      content["network"] = .string(drop.network)
      content["for"] = .string(ScenarioDocument.text(ofSeconds: drop.duration.seconds))
      if let place = drop.place {
        content["place"] = .array(place.vertices.map { .array([.double($0.latitude), .double($0.longitude)]) })
      }
      put(drop.fleet)
    case .expireTokens(let fleet): put(fleet)
    case .killApps(let kill):
      switch kill.amount {
      case .share(let share): content["share"] = .double(share)
      case .count(let count): content["count"] = .integer(Int64(count))
      }
      put(kill.fleet)
    case .pause, .resume, .stop, .abort: break
    }
    return .object([name: .object(content)])
  }
}

/// Reads the members of one act.
private struct ActReader {
  private let name: String
  private let content: JSONValue

  init(_ name: String, _ content: JSONValue) { (self.name, self.content) = (name, content) }

  private func error(_ key: String, _ reason: String, _ remedy: String) -> RunActError {
    RunActError("\(name).\(key)", reason, remedy: remedy)
  }

  /// Rejects all other keys.
  func allow(_ keys: [String]) throws(RunActError) {
    guard case .object(let object) = content else {
      throw RunActError(name, "not an object", remedy: "write {\(keys.map { "\"\($0)\": …" }.joined(separator: ", "))}")
    }
    for (index, member) in object.members.enumerated() {
      guard keys.contains(member.key) else {
        let near = NearestName.find(member.key, in: keys).map { "did you mean '\($0)'?" }
        let all = keys.isEmpty ? "remove it: \(name) has no keys" : "keys are \(keys.joined(separator: ", "))"
        throw error(member.key, "unknown key", near ?? all)
      }
      if object.members[..<index].contains(where: { $0.key == member.key }) {
        throw error(member.key, "a second value", "keep one of them")
      }
    }
  }

  func fleet() throws(RunActError) -> String {
    guard let fleet = try text("fleet") else { throw error("fleet", "missing", "name the fleet") }
    return fleet
  }

  func text(_ key: String) throws(RunActError) -> String? {
    switch content[key] {
    case nil, .null: return nil
    case .string(let text): return text
    default: throw error(key, "not a text", "write a name in quotes")
    }
  }

  func count(_ key: String) throws(RunActError) -> Int {
    let words = "write a whole number from 1 to \(RunAct.countMax)"
    guard let value = content[key] else { throw error(key, "missing", words) }
    guard case .integer(let count) = value, (1...Int64(RunAct.countMax)).contains(count) else {
      throw error(key, "not a count", words)
    }
    return Int(count)
  }

  func number(_ key: String, in range: ClosedRange<Double>) throws(RunActError) -> Double {
    let words = "write a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
    let number: Double
    switch content[key] {
    case nil: throw error(key, "missing", words)
    case .integer(let whole): number = Double(whole)
    case .double(let real): number = real
    default: throw error(key, "not a number", words)
    }
    guard range.contains(number) else { throw error(key, "out of range", words) }
    return number
  }

  func duration(_ key: String) throws(RunActError) -> Nanoseconds {
    let words = #"write for how long: "90s", "5m""#
    guard let value = content[key] else { throw error(key, "missing", words) }
    guard case .string(let text) = value, let seconds = ScenarioDocument.seconds(text), seconds > 0 else {
      throw error(key, "not a duration above 0", words)
    }
    return Nanoseconds(Int64((seconds * 1e9).rounded()))
  }

  func polygon(_ key: String) throws(RunActError) -> Polygon? {
    let words = "write three or more pairs of [latitude, longitude] in degrees"
    guard let value = content[key], value != .null else { return nil }
    guard case .array(let elements) = value, (3...10_000).contains(elements.count) else {
      throw error(key, "not a polygon", words)
    }
    var vertices: [Coordinate] = []
    for (index, element) in elements.enumerated() {
      guard case .array(let pair) = element, pair.count == 2, let latitude = pair[0].degrees,
        let longitude = pair[1].degrees, let vertex = Coordinate(latitude: latitude, longitude: longitude)
      else { throw error("\(key)[\(index)]", "not a place", words) }
      vertices.append(vertex)
    }
    guard let polygon = Polygon(vertices) else { throw error(key, "not a polygon", words) }
    return polygon
  }

  func amount() throws(RunActError) -> RunAct.AppKill.Amount {
    switch (content["share"], content["count"]) {
    case (nil, nil): throw RunActError(name, "no number of apps", remedy: "add share (0 to 1) or count")
    case (_?, _?): throw RunActError(name, "both share and count", remedy: "remove one")
    case (_?, nil): return .share(try number("share", in: 0...1))
    case (nil, _?): return .count(try count("count"))
    }
  }
}

extension JSONValue {
  fileprivate var degrees: Double? {
    switch self {
    case .integer(let whole): Double(whole)
    case .double(let real): real
    default: nil
    }
  }
}
