import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

@testable import FleetSimulator
@testable import Oracle
@testable import Upload
@testable import World

/// An oracle that is told what one device does, without the device.
final class Stage {
  let oracle: Oracle
  private var now = MonotonicInstant(nanoseconds: 0)
  private var start = WallInstant(millisecondsSince1970: 1_772_445_600_000)
  private var rows: Int64 = 0
  private var requests: UInt64 = 0

  /// A record as it was queued.
  struct Record {
    let row: Int64
    let uuid: UUID128
    var bytes: [UInt8]
  }

  /// Without a lifetime there are no tokens.
  init(
    tokenLifetime: Nanoseconds? = nil, behaviour: SDKBehaviour = .observed, platform: DevicePlatform = .android,
    checked: [Invariant] = Invariant.allCases,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Runs.configuration(platform)
    configuration.http.url = "http://server.example/locations"
    configure(&configuration)
    var fleet = Runs.drivers(1, configuration: configuration)
    fleet.behaviour = behaviour
    var setup = Runs.setup(seed: 1, fleet)
    setup.invariants = checked
    if let tokenLifetime {
      var authorization = TargetAuthorization()
      (authorization.strategy, authorization.accessTokenLifetime) = (.jwt, tokenLifetime)
      setup.authorization = authorization
    }
    oracle = Oracle(of: setup.judged(with: .inside))
    tell(.launched(Launch()))
    tell(.configured(configuration))
  }

  var violated: [Invariant] {
    oracle.closeQueues(at: now, isCut: false)
    oracle.closeStore(by: nil, at: now)
    return Invariant.allCases.filter { oracle.violations.count(of: $0) > 0 }
  }

  /// The clock on the wall.
  func setBack(seconds: Int64) { setBack(milliseconds: seconds * 1_000) }

  func setBack(milliseconds: Int64) { start = start.advanced(byMilliseconds: -milliseconds) }

  func pass(seconds: Int64) { now = now + .seconds(seconds) }

  func tell(_ event: SimulationEvent, on network: RadioNetwork = .lte) {
    let wall = start.advanced(byMilliseconds: now.nanoseconds / 1_000_000)
    oracle.see(event, EventContext(device: 0, now: Moment(monotonic: now, wall: wall), network: network))
  }

  func begin(_ action: FaultAction) { tell(.faultBegan(occurrence(of: action))) }

  func end(_ action: FaultAction) { tell(.faultEnded(occurrence(of: action))) }

  private func occurrence(of action: FaultAction) -> FaultOccurrence {
    FaultOccurrence(fault: "fault", fleet: "cars", index: 0, ordinal: 0, start: now, end: nil, effects: action.effects)
  }

  @discardableResult
  func insert(agedSeconds: Int64 = 0) -> Record {
    rows += 1
    let uuid = UUID128(high: 1, low: UInt64(rows))
    let timestamp = start.advanced(byMilliseconds: now.nanoseconds / 1_000_000 - agedSeconds * 1_000)
    let text = "{\"uuid\":\"\(uuid.text)\",\"timestamp\":\"\(timestamp)\",\"coords\":{\"latitude\":1,\"longitude\":2}}"
    let record = Record(row: rows, uuid: uuid, bytes: Array(text.utf8))
    tell(.queue(.inserted(device: 0, row: rows, uuid: uuid, timestamp: timestamp, bytes: record.bytes)))
    return record
  }

  func delete(_ record: Record, _ cause: QueueNote.Cause = .upload) {
    tell(.queue(.deleted(device: 0, row: record.row, cause)))
  }

  @discardableResult
  func send(
    _ records: [Record], _ purpose: OutgoingRequest.Purpose = .records, headers: [NameValuePair] = [],
    on network: RadioNetwork = .lte, because trigger: FlushTrigger = .insert, secondsAgo: Int64 = 0
  ) -> UInt64 {
    requests += 1
    let body =
      Array("{\"location\":[".utf8) + records.map(\.bytes).joined(separator: [UInt8(ascii: ",")]) + Array("]}".utf8)
    let triggeredAt = now - .seconds(secondsAgo)
    let payload = OutgoingRequest.Payload(uuids: [], isBatch: true, trigger: trigger, triggeredAt: triggeredAt)
    let occasion = OutgoingRequest.Occasion(trigger: trigger, triggeredAt: triggeredAt)
    // As an uploader says them.
    tell(
      .sent(
        OutgoingRequest(
          id: requests, purpose: purpose, method: "POST", url: "http://server.example/locations",
          headers: [NameValuePair("Content-Type", "application/json")] + headers,
          body: body, timeout: .seconds(60),
          payload: purpose == .records ? payload : nil, occasion: purpose == .refresh ? occasion : nil)), on: network)
    return requests
  }

  func serve(_ request: UInt64) { tell(.served(request: request, isCommitted: true, answerBytes: 100)) }

  func end(_ request: UInt64, status: Int, body: String = "{}") {
    tell(.ended(request: request, .answered(status: status, reason: "", body: Array(body.utf8))))
  }

  /// A whole upload as it should be.
  func upload(_ records: [Record]) {
    let request = send(records)
    pass(seconds: 1)
    serve(request)
    end(request, status: 200)
    for record in records { delete(record) }
  }

  // MARK: The body, a line north of the place where all records are.

  static func place(_ metresNorth: Double) -> Coordinate {
    guard let place = Coordinate(latitude: 1 + metresNorth / 110_574, longitude: 2) else {
      preconditionFailure("a place near the equator")
    }
    return place
  }

  /// It stays where it is.
  func stay(_ metresNorth: Double, cover: Cover.Kind? = nil) {
    let stay = Stay(place: Stage.place(metresNorth), cover: cover, start: now, end: nil)
    tell(.moves(.stay(stay)))
  }

  /// It goes in a straight line and stays at its end; on the way it hears of a background fetch now and then, which says nothing.
  func go(
    from start: Double, to end: Double, seconds: Double, each interval: Int64 = 10, _ onTheWay: () -> Void = {}
  ) {
    let motion = Motion(places: [Stage.place(start), Stage.place(end)], seconds: [0, seconds])
    tell(.moves(.trip(Trip(start: now, motion: motion, transport: .car))))
    for _ in 0..<Int64(seconds) / interval {
      pass(seconds: interval)
      tell(SimulationEvent.fetched)
      onTheWay()
    }
    stay(end)
  }

  /// The records of a motion change and of a crossing name their event.
  func event(_ event: EngineEvent) {
    switch event {
    case .motionChange(var record):
      record.event = .motionchange
      tell(.told(.engine(.motionChange(record))))
    case .geofence(var record, var fence):
      record.event = .geofence
      // As an engine tells it, unless a test says something else.
      if fence.status.hits == 0 { (fence.status.hits, fence.status.isInside) = (1, record.geofence?.action != .exit) }
      tell(.told(.engine(.geofence(record, fence))))
    default: tell(.told(.engine(event)))
    }
  }

  /// Without `metresNorth` it is where the body is.
  func location(
    isMoving: Bool = true, odometer: Double = 0, metresNorth: Double? = nil, uuid: UUID128? = nil
  ) -> LocationRecord {
    let body = oracle.ledger.truth.lives[0].place(at: now) ?? Stage.place(0)
    let place = metresNorth.map { Stage.place($0) } ?? body
    var coords = Coordinates(latitude: place.latitude, longitude: place.longitude)
    // That of a position from networks, which has no other quantity.
    coords.accuracy = 20
    return LocationRecord(
      uuid: uuid ?? UUID128(high: 2, low: UInt64(now.nanoseconds)),
      timestamp: start.advanced(byMilliseconds: now.nanoseconds / 1_000_000), isMoving: isMoving, odometer: odometer,
      coords: coords,
      activity: Activity(.unknown, confidence: 0),
      battery: Battery(level: nil, isCharging: false))
  }
}

extension Stage {
  /// A device that rests at the beginning of its way, whose app has started the SDK.
  static func started(_ configure: (inout Configuration) -> Void = { _ in }) -> Stage {
    let stage = Stage(configure)
    stage.stay(0)
    stage.tell(.asked(.start))
    return stage
  }

  /// Lets time pass, and the rules look at what is over.
  func wait(_ seconds: Int64) {
    pass(seconds: seconds)
    tell(SimulationEvent.fetched)
  }
}
