import BackendStore
import Contract
import JSON
import Scenario

/// A store whose entries may have fields at the places where the dialect's app sends them.
struct TemplatedStore: StoreView {
  let store: any StoreView
  let places: SentFieldPaths

  var place: String { store.place }
  var isOfAllDevices: Bool { store.isOfAllDevices }
  var isInArrivalOrder: Bool { store.isInArrivalOrder }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    try store.read(device) { take($0.reading(places)) }
  }

  func session() throws(StoreViewError) -> any StoreSession {
    TemplatedSession(session: try store.session(), places: places)
  }

  func check() throws(StoreViewError) { try store.check() }
  func listCommand(for device: String) -> String? { store.listCommand(for: device) }
}

private struct TemplatedSession: StoreSession {
  let session: any StoreSession
  let places: SentFieldPaths

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    try session.read(device) { take($0.reading(places)) }
  }
}

/// How a dialect's app writes its records with templates (SDK §7.5).
struct AppTemplates: Sendable {
  /// The keys of an object that takes the extras (SDK §7.5.2).
  let keys: Set<String>
  /// The keys beside the records in a body.
  let params: Set<String>
  /// Whether the times of its records are numbers (SDK §2.6).
  let countsTimes: Bool
  /// Whether it writes at least all records except those of geofences.
  let writesLocations: Bool
  /// The places of its fields; nil without a template.
  let places: SentFieldPaths?

  init(_ dialect: Dialect) {
    var draft = Configuration(platform: .ios)
    if let preset = dialect.preset { draft.speak(preset) }
    _ = draft.apply(DevicePlaceholders(named: "device", seed: 0).fill(dialect.app.document))
    let persistence = draft.persistence
    let all = [
      TemplateFieldPaths(persistence.locationTemplate, kind: .location),
      TemplateFieldPaths(persistence.geofenceTemplate, kind: .geofence),
    ].compactMap(\.self)
    places = AppTemplates.places(all)
    keys = Set(all.filter { !$0.isArray }.flatMap(\.keys))
    writesLocations = !persistence.locationTemplate.isEmpty
    countsTimes = persistence.timestampFormat == .epoch
    if case .object(let members) = draft.http.params { params = Set(members.members.map(\.key)) } else { params = [] }
  }

  private static func places(_ all: [TemplateFieldPaths]) -> SentFieldPaths? {
    if all.isEmpty { return nil }
    return SentFieldPaths(
      all.flatMap(\.places).map { place in
        (
          place.field,
          place.steps.map { step in
            switch step {
            case .member(let name): JSONStep.member(name)
            case .element(let index): JSONStep.element(index)
            }
          }
        )
      })
  }
}
