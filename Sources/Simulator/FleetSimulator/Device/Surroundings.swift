import Base
import Contract
import Engine
import Host
import World

/// What a phone watches for its app beside positions and motion: fences, the region around them, large moves, and when it
/// lets the app run for a moment. Only phones whose app wants some of it have one.
final class Surroundings {
  /// A crossing that the phone has noticed and will tell its app of.
  struct Report {
    let identifier: String?
    let isEntry: Bool
    let due: MonotonicInstant
  }

  var watches: [CircleWatch] = []
  var reports: [Report] = []
  /// Where the phone was when it last told of a large move.
  var significantPlace: Coordinate?
  var significantEarliest = MonotonicInstant(nanoseconds: 0)
  var significantDue: MonotonicInstant?
  var fetches = BackgroundFetches()
  /// The episode of the body for which the crossings are solved.
  private var episodeStart: MonotonicInstant?

  /// SDK §12: significant changes come about every 500 m, and not more often than every five minutes.
  static let significantMetres = 500.0
  static let significantInterval = Nanoseconds.seconds(300)

  var isIdle: Bool {
    watches.isEmpty && reports.isEmpty && significantPlace == nil && fetches.due == nil
  }

  /// When the phone has to look at its surroundings again.
  var next: MonotonicInstant? {
    var next = fetches.due
    func add(_ instant: MonotonicInstant?) { if let instant { next = min(next ?? instant, instant) } }
    add(significantDue)
    for watch in watches { add(watch.next) }
    for report in reports { add(report.due) }
    return next
  }

  /// Solves when something next happens, once for each episode of the body.
  func look(at body: Body, after instant: MonotonicInstant) {
    guard body.episode.start != episodeStart else { return }
    episodeStart = body.episode.start
    for index in watches.indices { watches[index].solve(body, after: instant) }
    solveSignificant(body, after: instant)
  }

  /// After a time in which the phone was off.
  func resume(at body: Body, _ instant: MonotonicInstant) {
    for index in watches.indices { watches[index].resume(body, at: instant) }
    fetches.demand(fetches.due != nil, at: instant)
    solveSignificant(body, after: instant)
    episodeStart = body.episode.start
  }

  func solveSignificant(_ body: Body, after instant: MonotonicInstant) {
    significantDue = nil
    guard let place = significantPlace else { return }
    let isBeyond = place.distanceMetres(to: body.position(at: instant)) >= Surroundings.significantMetres
    let crossing =
      isBeyond
      ? instant + .milliseconds(1)
      : body.nextCrossing(distanceMetres: Surroundings.significantMetres, from: place, after: instant)
    significantDue = crossing.map { max($0, significantEarliest) }
  }

  /// The next large move begins there, and is told of only after a while.
  func toldSignificantPlace(of body: Body, at instant: MonotonicInstant) {
    significantEarliest = instant + Surroundings.significantInterval
    significantPlace = body.position(at: instant)
    solveSignificant(body, after: instant)
  }
}
