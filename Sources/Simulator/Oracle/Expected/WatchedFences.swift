import Base
import Contract
import World

/// The fences of one device, and the crossings that its movement brings.
struct WatchedFences {
  var watches: [FenceWatch] = []
  /// The future crossings of the body's episode, the next one last.
  private(set) var coming: [(instant: MonotonicInstant, index: Int, isInside: Bool)] = []
  /// Whether the device must monitor; `isPaused`: its app is down.
  var isOn = false
  var isPaused = false
  /// Nothing is due before this time.
  var next = MonotonicInstant(nanoseconds: 0)

  /// Finds the crossings of an episode from `start` on.
  mutating func follow(_ episode: Episode, from start: MonotonicInstant) {
    coming = []
    switch episode {
    case .stay(let stay):
      for (index, watch) in watches.enumerated() {
        if let side = watch.truth.isInside(stay.place), side != watch.isInside { coming.append((start, index, side)) }
      }
    case .trip(let trip):
      let bounds = TrueBounds(trip.motion.path)
      for (index, watch) in watches.enumerated() where watch.isInside || watch.truth.isNear(bounds) {
        // A trip may begin elsewhere, at the start of a recorded route.
        let side = start > trip.start ? nil : watch.truth.isInside(trip.place(at: start))
        if let side, side != watch.isInside { coming.append((start, index, side)) }
        for crossing in watch.truth.crossings(on: trip, isInside: side ?? watch.isInside)
        where crossing.instant >= start {
          coming.append((crossing.instant, index, crossing.isInside))
        }
      }
    }
    coming.sort { ($0.instant, $0.index) > ($1.instant, $1.index) }
  }

  /// Returns the next crossing, if it is due.
  mutating func takeCrossing(until now: MonotonicInstant) -> (instant: MonotonicInstant, index: Int, isInside: Bool)? {
    guard let next = coming.last, next.instant <= now else { return nil }
    return coming.removeLast()
  }

  mutating func pause(at now: MonotonicInstant) {
    isPaused = isOn
    for index in watches.indices {
      if watches[index].isUnsaved { (watches[index].told, watches[index].dwellEarliest) = (nil, nil) }
      if let until = watches[index].silentUntil, until <= now { watches[index].silentUntil = nil }
      watches[index].owed?.due = nil
      watches[index].dwellDue = nil
    }
  }

  /// Extends a deadline once: the system reported a crossing that the SDK did not confirm, which leaves it time to find out.
  mutating func putOff(_ identifier: String, until due: MonotonicInstant) {
    guard let index = watches.firstIndex(where: { $0.fence.identifier == identifier }),
      var owed = watches[index].owed, let before = owed.due, !owed.isPutOff
    else { return }
    (owed.due, owed.isPutOff) = (max(before, due), true)
    watches[index].owed = owed
  }

  /// Reports whether a fence that a body was in or near may have been passed over for others as near, of which there were more
  /// than the system monitors: only the nearest are (Geofence "Infinite geofencing"; SDK §15.2.2). They are those nearest to a
  /// place that the body had left behind by `metres`.
  func isCrowded(
    _ life: TrueLife, since start: MonotonicInstant, until end: MonotonicInstant, behind metres: Double = 0
  ) -> Bool {
    guard life.hasChosenFences else { return false }
    var instant = start
    while instant <= end {
      if let place = life.earlierPlace(at: instant) {
        let near = watches.count { $0.truth.metresOutside(place) <= WatchedFences.nearMetres + 2 * metres }
        if near > life.monitoredFencesMax { return true }
      }
      instant = instant + WatchedFences.crowdStep
    }
    return false
  }

  /// Within the error of a position a fence may seem to be the nearer one.
  private static let nearMetres = 150.0
  private static let crowdStep = Nanoseconds.seconds(10)

  /// The next instant at which a crossing comes or a deadline passes.
  var nextInstant: MonotonicInstant {
    var next = coming.last?.instant ?? .never
    guard isOn, !isPaused else { return next }
    for watch in watches {
      if let due = watch.owed?.due { next = min(next, due) }
      if let due = watch.dwellDue { next = min(next, due) }
    }
    return next
  }
}
