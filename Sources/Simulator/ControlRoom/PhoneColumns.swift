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
    let phone: ShownPhone
    let condition: Condition
  }

  private let instant: Nanoseconds
  private let isExact: Bool
  private let rows: [Row]
  /// The totals of an instant of a recording.
  private let whole: (sums: RecordedMoment.Sums, fleets: [FleetFigures])?

  /// `networks` are the names of the run's networks, by number.
  init(_ view: RunView, networks: [String]) {
    (instant, isExact, whole) = (view.instant, true, nil)
    rows = PhoneColumns.rows(of: view.phones, networks)
  }

  init(_ moment: RecordedMoment, networks: [String]) {
    (instant, isExact, whole) = (moment.instant, moment.isExact, (moment.sums, moment.fleets))
    rows = PhoneColumns.rows(of: moment.phones, networks)
  }

  private static func rows(of phones: [ShownPhone], _ networks: [String]) -> [Row] {
    let offline = networks.firstIndex(of: offlineName)
    return phones.map { Row(phone: $0, condition: Condition(of: $0, isOffline: $0.network == offline)) }
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
    column("numbers", &writer) { $1.value($0.phone.number) }
    if let names {
      column("names", &writer) { $1.value(names[$0.phone.number]) }
      column("fleets", &writer) { $1.value(fleets[$0.phone.fleet]) }
    }
    column("condition", &writer) { $1.value($0.condition.rawValue) }
    column("queue", &writer) { $1.value($0.phone.queue) }
    column("place", &writer) { PhoneColumns.write($0.condition == .left ? nil : $0.phone.place, &$1) }
    column("heading", &writer) { PhoneColumns.write($0.condition == .left ? nil : $0.phone.headingDegrees, &$1) }
    column("known", &writer) { PhoneColumns.write($0.phone.known, &$1) }
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
    JSONValue.array(zip(names, whole.fleets).map { $1.json(name: $0) }).write(to: &writer)
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
  init(of phone: ShownPhone, isOffline: Bool) {
    switch phone.state {
    case .absent, .left: self = .left
    case .closed, .switchedOff: self = .off
    case .running where isOffline: self = .offline
    case .running where phone.token == .expired: self = .tokenless
    case .running: self = phone.isMoving ? .moving : .resting
    }
  }
}

/// The details of one phone, for people.
struct PhoneStory {
  private var object: JSONObject

  /// `requests` are the last ones, the newest last; nil where they are not known.
  init(
    _ phone: ShownPhone, at instant: Nanoseconds, in run: WatchedRun, requests: [RecordedMoment.Request]? = nil
  ) {
    let network = run.steering.networkNames[phone.network]
    let condition = PhoneColumns.Condition(of: phone, isOffline: network == PhoneColumns.offlineName)
    func pair(_ place: Coordinate) -> JSONValue { .array([.double(place.latitude), .double(place.longitude)]) }
    object = [
      "name": .string(run.steering.phoneNames[phone.number]), "fleet": .string(run.steering.fleetNames[phone.fleet]),
      "atSeconds": .double(instant.seconds), "condition": .count(condition.rawValue),
      "state": .string(phone.state.word), "network": .string(network), "place": pair(phone.place),
      "known": phone.known.map(pair) ?? .null,
      "apartMetres": .known(phone.known.map { $0.distanceMetres(to: phone.place) }), "queue": .count(phone.queue),
      "token": .string(phone.token.word),
    ]
    object["requests"] = requests.map { .array($0.reversed().map(\.json)) } ?? .null
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
