/// The names that sections give to their parts, so that other sections can use them; in the order of the text.
struct DeclaredNames: Sendable {
  /// A section whose members have names.
  enum Space: String, Sendable {
    case routes, motion, geofences, networks, fleets, checks

    /// One of them, in messages.
    var singular: String {
      switch self {
      case .routes: "route"
      case .motion: "motion"
      case .geofences: "set of geofences"
      case .networks: "network"
      case .fleets: "fleet"
      case .checks: "check"
      }
    }
  }

  private let document: JSON5Value?

  init(in document: JSON5Value?) { self.document = document }

  func names(in space: Space) -> [String] {
    let declared = document?[space.rawValue]?.memberNames ?? []
    let presets: [String] =
      switch space {
      case .networks: Network.presetNames
      case .motion: MotionPreset.names
      case .routes, .geofences, .fleets, .checks: []
      }
    return declared + presets.filter { !declared.contains($0) }
  }

  /// Of the faults that have one.
  var faultNames: [String] {
    guard case .array(let faults)? = document?["faults"]?.content else { return [] }
    return faults.compactMap { fault in
      if case .string(let name)? = fault["name"]?.content { name } else { nil }
    }
  }

  /// Keys of the tags that fleets have.
  var fleetTags: [String] {
    guard case .object(let fleets)? = document?["fleets"]?.content else { return [] }
    return fleets.flatMap { $0.value["tags"]?.memberNames ?? [] }
  }
}

extension JSON5Value {
  var memberNames: [String] {
    if case .object(let members) = content { members.map(\.key) } else { [] }
  }
}
