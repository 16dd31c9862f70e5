import Base
import FleetSimulator
import HTTPService
import JSON

/// All phones of a run at one instant, in columns: a compact form, because a page may read ten thousand of them every second.
struct PhoneColumns {
  /// The conditions that a map distinguishes.
  enum Condition: Int, Sendable {
    /// The app does not run.
    case off = 0
    case resting, moving, offline
    /// The access token is no longer valid.
    case tokenless
    case left
  }

  private struct Row {
    let number: Int
    let fleet: Int
    let condition: Condition
    let queue: Int
    let place: Coordinate
    let headingDegrees: Double?
    let known: Coordinate?
  }

  private let instant: Nanoseconds
  private let isExact: Bool
  private let rows: [Row]
  /// The totals of an instant of a recording.
  private let whole: (sums: RecordedMoment.Sums, fleets: [RecordedMoment.Fleet])?

  init(_ view: RunView) {
    instant = view.instant
    isExact = true
    whole = nil
    let offline = view.networks.firstIndex(of: PhoneColumns.offlineName)
    rows = view.phones.map { phone in
      let condition = Condition(phone.state, phone.token, isMoving: phone.isMoving, isOffline: phone.network == offline)
      return Row(
        number: phone.number, fleet: phone.fleet, condition: condition, queue: phone.queue, place: phone.place,
        headingDegrees: phone.headingDegrees, known: phone.known)
    }
  }

  init(_ moment: RecordedMoment, networks: [String]) {
    instant = moment.instant
    isExact = moment.isExact
    whole = (moment.sums, moment.fleets)
    let offline = networks.firstIndex(of: PhoneColumns.offlineName)
    rows = moment.phones.map { phone in
      let condition = Condition(phone.state, phone.token, isMoving: phone.isMoving, isOffline: phone.network == offline)
      return Row(
        number: phone.number, fleet: phone.fleet, condition: condition, queue: phone.queue, place: phone.place,
        headingDegrees: phone.headingDegrees, known: phone.known)
    }
  }

  /// The name of the network of an offline phone.
  static let offlineName = "none"

  /// Returns the phones as JSON. `names` and `fleets` are the run's names, by number; nil omits the names.
  func answer(names: [String]?, fleets: [String]) -> ServiceAnswer {
    var writer = JSONWriter(capacity: 64 * rows.count + 256)
    writer.beginObject()
    writer.key("atSeconds")
    writer.value(instant.seconds)
    writer.key("isExact")
    writer.value(isExact)
    column("numbers", &writer) { $1.value($0.number) }
    if let names {
      column("names", &writer) { $1.value(names[$0.number]) }
      column("fleets", &writer) { $1.value(fleets[$0.fleet]) }
    }
    column("condition", &writer) { $1.value($0.condition.rawValue) }
    column("queue", &writer) { $1.value($0.queue) }
    column("place", &writer) { PhoneColumns.write($0.condition == .left ? nil : $0.place, &$1) }
    column("heading", &writer) { PhoneColumns.write($0.condition == .left ? nil : $0.headingDegrees, &$1) }
    column("known", &writer) { PhoneColumns.write($0.known, &$1) }
    writeWhole(fleets: fleets, &writer)
    writer.endObject()
    return ServiceAnswer(200, "application/json", writer.bytes)
  }

  private func writeWhole(fleets names: [String], _ writer: inout JSONWriter) {
    guard let whole else { return }
    writer.key("sums")
    let sums: JSONObject = [
      "records": .count(whole.sums.created), "uploads": .count(whole.sums.uploads),
      "failedUploads": .count(whole.sums.failedUploads),
    ]
    JSONValue.object(sums).write(to: &writer)
    writer.key("fleetFigures")
    let fleets = zip(names, whole.fleets).map { name, fleet in
      JSONValue.fleet(
        name, phones: fleet.present, active: fleet.active, moving: fleet.moving, queue: fleet.backlog)
    }
    JSONValue.array(fleets).write(to: &writer)
  }

  private func column(_ name: StaticString, _ writer: inout JSONWriter, _ write: (Row, inout JSONWriter) -> Void) {
    writer.key(name)
    writer.beginArray()
    for row in rows { write(row, &writer) }
    writer.endArray()
  }

  /// Writes whole degrees from 0 to 359.
  private static func write(_ headingDegrees: Double?, _ writer: inout JSONWriter) {
    if let headingDegrees { writer.value(Int(headingDegrees.rounded()) % 360) } else { writer.null() }
  }

  /// Writes units of 1e-5 degrees, about a metre, as integers, which are short.
  private static func write(_ place: Coordinate?, _ writer: inout JSONWriter) {
    guard let place else {
      writer.null()
      writer.null()
      return
    }
    writer.value(Int((place.latitude * 1e5).rounded()))
    writer.value(Int((place.longitude * 1e5).rounded()))
  }
}

extension PhoneColumns.Condition {
  init(_ state: PhoneState, _ token: TokenState, isMoving: Bool, isOffline: Bool) {
    switch state {
    case .absent, .left: self = .left
    case .closed, .switchedOff: self = .off
    case .running where isOffline: self = .offline
    case .running where token == .expired: self = .tokenless
    case .running: self = isMoving ? .moving : .resting
    }
  }
}

/// The details of one phone, for people.
struct PhoneStory {
  private var object: JSONObject

  init(_ phone: RunView.Phone, in view: RunView, _ run: WatchedRun) {
    let network = view.networks[phone.network]
    object = PhoneStory.common(
      run.steering.phoneNames[phone.number], view.fleets[phone.fleet].name, at: view.instant,
      PhoneColumns.Condition(
        phone.state, phone.token, isMoving: phone.isMoving, isOffline: network == PhoneColumns.offlineName),
      phone.state, network, phone.place, phone.known, phone.queue, phone.token)
    object["requests"] = .null
  }

  init(_ phone: RecordedMoment.Phone, at moment: RecordedMoment, in run: WatchedRun) {
    let network = run.steering.networkNames[phone.network]
    object = PhoneStory.common(
      run.steering.phoneNames[phone.number], run.steering.fleetNames[phone.fleet], at: moment.instant,
      PhoneColumns.Condition(
        phone.state, phone.token, isMoving: phone.isMoving, isOffline: network == PhoneColumns.offlineName),
      phone.state, network, phone.place, phone.known, phone.queue, phone.token)
    object["requests"] = .array(phone.requests.reversed().map(\.json))
  }

  private static func common(
    _ name: String, _ fleet: String, at instant: Nanoseconds, _ condition: PhoneColumns.Condition, _ state: PhoneState,
    _ network: String, _ place: Coordinate, _ known: Coordinate?, _ queue: Int, _ token: TokenState
  ) -> JSONObject {
    func pair(_ place: Coordinate) -> JSONValue { .array([.double(place.latitude), .double(place.longitude)]) }
    return [
      "name": .string(name), "fleet": .string(fleet), "atSeconds": .double(instant.seconds),
      "condition": .count(condition.rawValue), "state": .string(state.word), "network": .string(network),
      "place": pair(place), "known": known.map(pair) ?? .null,
      "apartMetres": .known(known.map { $0.distanceMetres(to: place) }), "queue": .count(queue),
      "token": .string(token.word),
    ]
  }

  var json: JSONValue { .object(object) }
}

extension RecordedMoment.Request {
  fileprivate var json: JSONValue {
    .object([
      "kind": .string(isUpload ? "records" : "tokens or log"), "sentAtSeconds": .double(sent.seconds),
      "milliseconds": .known(ended.map { ($0 - sent).seconds * 1_000 }),
      "status": ended == nil ? .null : .integer(Int64(status)),
    ])
  }
}
