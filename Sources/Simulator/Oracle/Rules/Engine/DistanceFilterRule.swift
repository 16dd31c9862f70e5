import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I27: the positions of a trip are `distanceFilter` apart and not much more, stretched with the speed where elasticity is on
/// (GeolocationConfig `distanceFilter`, `elasticityMultiplier`, `disableElasticity`; SDK §2.1, §14.1). The distance is
/// measured from the last position of the stream, which may have been rejected and be no record: several records in a row
/// must be too near, or too far.
final class DistanceFilterRule: Rule {
  override class var invariant: Invariant { .recording }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no trip was recorded" }

  private struct Stream {
    var metres = 0.0
    var multiplier = 0.0
    /// The last position, and the distance that its speed asks for, with its error; infinite for one without a speed.
    var last: (place: Coordinate, metres: Double, reach: Double)?
    /// The number of positions in a row that were too near, or too far.
    var near = 0
    var far = 0
    var isTold = false
  }

  private let streams: PerDevice<Stream>

  private static let rowMost = 6
  private static let nearShare = 0.5
  private static let farShare = 1.5
  /// The receiver has a position each second.
  private static let farSeconds = 2.0
  private static let farMetres = 20.0
  /// The speed for which elasticity adds one distance.
  private static let speedStep = 5.0

  required init(_ ledger: Ledger) {
    streams = PerDevice(Stream(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .configured(let configuration): configure(configuration, device)
    case .told(.engine(.location(let record))) where !record.isSample && streams[device].metres > 0:
      judge(record, context)
    // Positions far from the body, or poor ones, are rejected.
    case .told(.engine(.motionChange)), .told(.engine(.enabledChange)), .told(.engine(.locationFilter)),
      .told(.commanded),
      .asked, .strayed, .killed, .launched, .healed, .faultBegan, .faultEnded:
      (streams[device].last, streams[device].near, streams[device].far) = (nil, 0, 0)
    default: break
    }
  }

  private func configure(_ configuration: Configuration, _ device: Int) {
    let geolocation = configuration.geolocation
    streams[device] = Stream(
      metres: geolocation.useSignificantChangesOnly ? 0 : max(geolocation.distanceFilterMetres, 0),
      multiplier: geolocation.disableElasticity ? 0 : max(geolocation.elasticityMultiplier, 0),
      isTold: streams[device].isTold)
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let device = context.device
    guard record.event == nil, record.isMoving, let place = record.coords.place,
      !ledger.truth.lives[device].mayRecordOdometer(at: context.now.monotonic)
    else { return }
    let stream = streams[device]
    let speed = record.coords.speed.flatMap { $0 >= 0 ? $0 : nil }
    let steps = ((speed ?? 0) / DistanceFilterRule.speedStep).rounded()
    let seconds = DistanceFilterRule.farSeconds + ledger.lateness.seconds
    let reach = speed.map { max(record.coords.accuracy ?? 0, 0) + seconds * $0 } ?? .infinity
    streams[device].last = (place, stream.metres * (1 + stream.multiplier * steps), reach)
    guard let last = stream.last else { return }
    exercised += 1
    let metres = last.place.distanceMetres(to: place)
    let most = DistanceFilterRule.farShare * last.metres + last.reach + reach + DistanceFilterRule.farMetres
    streams[device].far = metres > most ? stream.far + 1 : 0
    if stream.far + 1 >= DistanceFilterRule.rowMost, metres > most, !stream.isTold, seesSkySinceLaunch(device) {
      streams[device].isTold = true
      return flag(
        context, record.uuid,
        "the last of \(DistanceFilterRule.rowMost) positions in a row that are much more than the distance filter apart"
      )
    }
    let isNear = metres < last.metres * DistanceFilterRule.nearShare
    streams[device].near = isNear ? stream.near + 1 : 0
    guard isNear, stream.near + 1 >= DistanceFilterRule.rowMost, !stream.isTold else { return }
    streams[device].isTold = true
    flag(
      context, record.uuid,
      "the last of \(DistanceFilterRule.rowMost) positions in a row that are less than half of the distance filter apart"
    )
  }

  /// Reports whether the receiver has worked since the launch of the app.
  private func seesSkySinceLaunch(_ device: Int) -> Bool {
    let life = ledger.truth.lives[device]
    return life.runsSince.map { life.seesSky(since: $0) } ?? false
  }
}
