import Contract
import DeviceLog
import Vocabulary

/// What a stretch of a log betrays of settings that it does not show.
struct LoggedSettings: Equatable {
  private(set) var distanceFilterMetres: Double?
  private(set) var stopTimeoutMinutes: Double?

  /// The distance is the one that most changes of the distance filter follow from, given the speed at each (behaviour
  /// §14.1); the first of those that are equally common.
  init(_ facts: ArraySlice<LogFact>, multiplier: Double) {
    var speed: Double?
    var votes: [(metres: Double, count: Int)] = []
    for fact in facts {
      switch fact.content {
      case .fix(let fix, number: 0, _): speed = fix.coords.speed
      case .distanceFilter(let new, _):
        let steps = ((speed ?? 0) / 5).rounded()
        let metres = new / (1 + multiplier * steps)
        guard metres.isFinite, metres > 0 else { continue }
        if let index = votes.firstIndex(where: { abs($0.metres - metres) < 0.5 }) {
          votes[index].count += 1
        } else {
          votes.append((metres, 1))
        }
      case .stopTimeoutEngaged(let seconds): if stopTimeoutMinutes == nil { stopTimeoutMinutes = seconds / 60 }
      default: break
      }
    }
    var most = 0
    for vote in votes where vote.count > most { (distanceFilterMetres, most) = (vote.metres, vote.count) }
  }

  func apply(to configuration: inout Configuration) {
    _ = configuration.edit {
      if let distanceFilterMetres { $0.geolocation.distanceFilterMetres = distanceFilterMetres }
      if let stopTimeoutMinutes { $0.geolocation.stopTimeoutMinutes = stopTimeoutMinutes }
    }
  }
}
