import Base
import Contract
import Vocabulary
import World

/// The fences of one device, and the crossings that its movement brings.
struct WatchedFences {
  /// A crossing of the body's episode.
  struct Crossing {
    let instant: MonotonicInstant
    let index: Int
    let isInside: Bool
  }

  var watches: [FenceWatch] = []
  /// The names of all fences that it has had.
  private var names: Set<String> = []
  /// The future crossings, the next one last.
  private var coming: [Crossing] = []
  /// Whether the device must monitor; `isPaused`: its app is down.
  private var isOn = false
  private var isPaused = false
  /// Nothing is due before this time.
  private(set) var next = MonotonicInstant(nanoseconds: 0)

  /// Within the error of a position a fence may seem to be the nearer one.
  private static let nearMetres = 150.0
  private static let crowdStep = Nanoseconds.seconds(10)

  var fences: [Geofence] { watches.map(\.fence) }

  /// Whether reports can be due.
  var isJudged: Bool { isOn && !isPaused }

  // MARK: Monitoring.

  /// Takes over the fences of the device. Those in `added` are new, also if they were there before: one that is added again loses
  /// its state (Geofence 34; SDK §15.1).
  mutating func learn(_ life: TrueLife, added: [Geofence], _ context: EventContext) {
    let new = Set(added.map(\.identifier))
    watches = life.fences.compactMap { fence in
      let known = watches.first { $0.fence.identifier == fence.identifier }
      if !new.contains(fence.identifier), let known, known.fence == fence { return known }
      let isReplacement = names.contains(fence.identifier)
      var watch = FenceWatch(fence, isReplacement: isReplacement, life, at: context.now.monotonic)
      if isOn { watch?.begin(life, context) }
      return watch
    }
    names.formUnion(life.fences.map(\.identifier))
    if let episode = life.episode { follow(episode, from: context.now.monotonic) }
  }

  /// Begins, resumes or ends monitoring as the device must (SDK §15.4, §15.6).
  mutating func monitor(_ life: TrueLife, _ context: EventContext) {
    let now = context.now.monotonic
    guard life.runsSince != nil else { return }
    let isOn = life.mustMonitor(watches.count, at: now)
    guard isOn != self.isOn || isPaused else { return }
    let isResumed = self.isOn && isPaused
    (self.isOn, isPaused) = (isOn, false)
    guard isOn else { return forEach { $0.end() } }
    leaveOpen(life, at: now)
    forEach { if isResumed { $0.resume(life, context) } else { $0.begin(life, context) } }
  }

  /// Leaves uncertain sides open when monitoring begins.
  private mutating func leaveOpen(_ life: TrueLife, at now: MonotonicInstant) {
    guard let episode = life.episode else { return }
    forEach { $0.leaveOpen(at: episode.place(at: now)) }
    follow(episode, from: now)
  }

  /// Notes that the app is down.
  mutating func pause(at now: MonotonicInstant) {
    isPaused = isOn
    forEach { $0.suspend(at: now) }
  }

  private mutating func forEach(_ body: (inout FenceWatch) -> Void) {
    for index in watches.indices { body(&watches[index]) }
  }

  // MARK: The true movement.

  /// Finds the crossings of an episode from `start` on.
  mutating func follow(_ episode: Episode, from start: MonotonicInstant) {
    coming = []
    switch episode {
    case .stay(let stay):
      for (index, watch) in watches.enumerated() {
        guard let side = watch.truth.isInside(stay.place), side != watch.isInside else { continue }
        coming.append(Crossing(instant: start, index: index, isInside: side))
      }
    case .trip(let trip):
      let bounds = TrueBounds(trip.motion.path)
      for (index, watch) in watches.enumerated() where watch.isInside || watch.truth.isNear(bounds) {
        // A trip may begin elsewhere, at the start of a recorded route.
        let side = start > trip.start ? nil : watch.truth.isInside(trip.place(at: start))
        if let side, side != watch.isInside { coming.append(Crossing(instant: start, index: index, isInside: side)) }
        for crossing in watch.truth.crossings(on: trip, isInside: side ?? watch.isInside)
        where crossing.instant >= start {
          coming.append(Crossing(instant: crossing.instant, index: index, isInside: crossing.isInside))
        }
      }
    }
    coming.sort { ($0.instant, $0.index) > ($1.instant, $1.index) }
  }

  /// Returns the next crossing, if it is due.
  mutating func takeCrossing(until now: MonotonicInstant) -> Crossing? {
    guard let next = coming.last, next.instant <= now else { return nil }
    return coming.removeLast()
  }

  /// Notes a true crossing, of which the report is owed where the device monitors; not before a launch where its app is down.
  mutating func cross(_ crossing: Crossing, _ life: TrueLife) {
    watches[crossing.index].cross(to: crossing.isInside, at: crossing.instant)
    guard isOn else { return }
    watches[crossing.index].oweCrossing(at: crossing.instant, life)
    if isPaused { watches[crossing.index].suspendReport() }
  }

  // MARK: Deadlines.

  func index(of identifier: String) -> Int? { watches.firstIndex { $0.fence.identifier == identifier } }

  /// Extends the deadline of a fence of which the system reported what the SDK did not confirm.
  mutating func putOff(_ identifier: String, at now: MonotonicInstant) {
    if let index = index(of: identifier) { watches[index].putOff(at: now) }
  }

  /// Notes the next instant at which a crossing comes or a deadline passes.
  mutating func schedule() {
    next = coming.last?.instant ?? .never
    guard isJudged else { return }
    for watch in watches {
      if let due = watch.owed?.due { next = min(next, due) }
      if let due = watch.stay.due { next = min(next, due) }
    }
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
}
