import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I27: the positions of a trip are `distanceFilter` apart at least, stretched with the speed where elasticity is on
/// (GeolocationConfig `distanceFilter`, `elasticityMultiplier`, `disableElasticity`; SDK §2.1, §14.1). The distance is
/// measured from the last position of the stream, which may have been rejected and be no record: several records in a row
/// must be too near.
final class DistanceFilterRule: Rule {
  override class var invariant: Invariant { .recording }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no trip was recorded" }

  private struct Stream {
    var metres = 0.0
    var multiplier = 0.0
    /// The last position, and the distance that its speed asks for.
    var last: (place: Coordinate, metres: Double)?
    /// The number of positions in a row that were too near.
    var near = 0
    var isTold = false
  }

  private let streams: PerDevice<Stream>

  private static let nearMost = 6
  private static let nearShare = 0.5
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
      (streams[device].last, streams[device].near) = (nil, 0)
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
    let steps = (max(record.coords.speed ?? 0, 0) / DistanceFilterRule.speedStep).rounded()
    streams[device].last = (place, stream.metres * (1 + stream.multiplier * steps))
    guard let last = stream.last else { return }
    exercised += 1
    let isNear = last.place.distanceMetres(to: place) < last.metres * DistanceFilterRule.nearShare
    streams[device].near = isNear ? stream.near + 1 : 0
    guard isNear, stream.near + 1 == DistanceFilterRule.nearMost, !stream.isTold else { return }
    streams[device].isTold = true
    flag(
      context, record.uuid,
      "the last of \(DistanceFilterRule.nearMost) positions in a row that are less than half of the distance filter apart"
    )
  }
}
