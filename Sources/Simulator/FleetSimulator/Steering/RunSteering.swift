package import Base
package import Scenario
import Synchronization
import Threads
import World

/// The interface between the threads of a control room and the thread of a run: acts go in, their results and the view of the
/// run come out. The run's thread performs acts between two turns, at an instant that no earlier turn has reached, so that a
/// replay repeats them exactly.
package final class RunSteering: Sendable {
  /// An act and its outcome.
  package struct Entry: Equatable, Sendable {
    /// The outcome of an act.
    package enum Outcome: Equatable, Sendable {
      case waiting
      /// Applied, with its result in words.
      case applied(String)
      case refused(RunActError)
    }

    /// Counted from 1, in order of submission.
    package let number: Int
    package let act: RunAct
    /// The wall-clock time of the machine.
    package let requestedAt: WallInstant
    package fileprivate(set) var outcome = Outcome.waiting
    /// The time in the run.
    package fileprivate(set) var appliedAt: Nanoseconds?
    /// The time from submission to completion, by the machine's clock.
    package fileprivate(set) var reaction: Nanoseconds?
    fileprivate let submitted: MonotonicInstant
  }

  private struct State {
    var entries: [Entry] = []
    /// The indices of entries that the run has not taken yet.
    var waiting: [Int] = []
    var plan = SteeredPlan()
    var isPaused = false
    var isOver = false
    var viewers = 0
    var view: RunView?
    var history = RunHistory()
    var alarm: (@Sendable () -> Void)?
    /// The listeners for the outcome of an act, by its number.
    var listeners: [Int: @Sendable (Entry) -> Void] = [:]
  }

  package let mode: ClockMode
  /// The names by phone number, including phones that may still be added.
  package let phoneNames: [String]
  package let fleetNames: [String]
  /// The networks that `dropNetwork` accepts.
  package let networkNames: [String]
  /// Every past instant of the run; nil in real time.
  package let recording: RunRecording?
  private let tripFleets: Set<String>
  private let scenario: Scenario
  private let document: ScenarioDocument
  private let clock: @Sendable () -> (monotonic: MonotonicInstant, wall: WallInstant)
  private let state = Mutex(State())
  /// Whether the run's thread must take the lock; taking it every turn would be expensive.
  private let wantsAttention = Atomic(false)
  private let isWatchedFlag = Atomic(false)
  private let waker = Waker()

  /// Returns the default number of phones that can be added to a run: as many as it has, and at least a thousand.
  package static func places(besides phones: Int) -> Int { max(1_000, phones) }

  /// Steers a run of `scenario`, which was read from `document`, and reserves places in `setup` for phones that may be added:
  /// `places` per fleet.
  package convenience init(
    _ scenario: Scenario, _ setup: inout RunSetup, document: ScenarioDocument, places: Int? = nil
  ) {
    let clock = SystemClock()
    self.init(scenario, &setup, document: document, places: places) { (clock.monotonicNow, clock.wallNow) }
  }

  package init(
    _ scenario: Scenario, _ setup: inout RunSetup, document: ScenarioDocument, places: Int? = nil,
    clock: @escaping @Sendable () -> (monotonic: MonotonicInstant, wall: WallInstant)
  ) {
    setup.makeRoom(places)
    mode = scenario.clock.mode
    phoneNames = setup.deviceNames
    fleetNames = setup.fleets.map(\.name)
    networkNames = setup.radio.names
    tripFleets = Set(scenario.fleets.filter { $0.value.executor.startsTrips }.map(\.name))
    recording = [.virtual, .lockstep].contains(scenario.clock.mode) ? RunRecording(setup) : nil
    self.scenario = scenario
    self.document = document.adopting(scenario, keepsJudgement: true)
    self.clock = clock
  }

  // MARK: For the threads of a control room.

  /// Submits an act and returns its number. Throws mistakes that can be detected before it is performed; `settled` receives
  /// the outcome, on the thread of the run.
  package func submit(
    _ act: RunAct, settled: (@Sendable (Entry) -> Void)? = nil
  ) throws(RunActError) -> Int {
    try judge(act)
    let now = clock()
    let taken: (number: Int, alarm: (@Sendable () -> Void)?)? = state.withLock { state in
      guard !state.isOver else { return nil }
      let number = state.entries.count + 1
      state.entries.append(Entry(number: number, act: act, requestedAt: now.wall, submitted: now.monotonic))
      state.waiting.append(number - 1)
      state.listeners[number] = settled
      return (number, state.alarm)
    }
    guard let taken else { throw RunActError("", "the run is over", remedy: "start another one") }
    wantsAttention.store(true, ordering: .releasing)
    waker.wake()
    taken.alarm?()
    return taken.number
  }

  /// All acts, in the order of submission.
  package var entries: [Entry] { state.withLock { $0.entries } }
  package var isPaused: Bool { state.withLock { $0.isPaused } }

  /// The latest view; nil before the first one, and without viewers.
  package var view: RunView? { state.withLock { $0.view } }

  /// The samples of the last ten watched minutes, oldest first.
  package var samples: [RunSample] { state.withLock { $0.history.samples } }

  /// Starts the publication of views, which lasts until the last watch has ended.
  package func beginWatching() {
    state.withLock { $0.viewers += 1 }
    isWatchedFlag.store(true, ordering: .releasing)
    waker.wake()
  }

  package func endWatching() {
    let isWatched = state.withLock { state in
      state.viewers = max(0, state.viewers - 1)
      return state.viewers > 0
    }
    isWatchedFlag.store(isWatched, ordering: .releasing)
  }

  /// The session so far as a scenario file.
  package var scenarioText: String { session(in: document).text }

  /// Whether acts have changed the run.
  package var isSteered: Bool { state.withLock { !$0.plan.steps.isEmpty } }

  /// Returns a document of the run's scenario with the session so far.
  package func session(in document: ScenarioDocument) -> ScenarioDocument {
    state.withLock { $0.plan }.document(from: document, of: scenario)
  }

  /// Returns a setup that repeats the run of `setup` with its acts.
  package func repeating(_ setup: RunSetup, files: RouteFiles = .none) throws -> RunSetup {
    guard isSteered else { return setup }
    return try RunSetup(ScenarioReader.read(session(in: document)).scenario, files: files)
  }

  private func judge(_ act: RunAct) throws(RunActError) {
    switch act {
    case .addPhones(_, let fleet), .removePhones(_, let fleet):
      try judge(fleet: fleet, of: act)
      guard !tripFleets.contains(fleet) else {
        throw RunActError(
          "\(act.name).fleet", "the phones of '\(fleet)' come and go with their trips",
          remedy: "change its rate: {\"changeRate\": {\"fleet\": \"\(fleet)\", \"factor\": 2}}")
      }
    case .changeRate(let factor, let fleet):
      try judge(fleet: fleet, of: act)
      guard factor >= 0, factor <= RunAct.factorMax else {
        throw RunActError("changeRate.factor", "out of range", remedy: "write a number from 0 to \(RunAct.factorMax)")
      }
    case .dropNetwork(let drop):
      try judge(fleet: drop.fleet, of: act)
      guard networkNames.contains(drop.network) else {
        let near = NearestName.find(drop.network, in: networkNames).map { "did you mean '\($0)'?" }
        throw RunActError(
          "dropNetwork.network", "there is no network '\(drop.network)' that stays as it is",
          remedy: near ?? "write one of \(networkNames.joined(separator: ", "))")
      }
    case .expireTokens(let fleet): try judge(fleet: fleet, of: act)
    case .killApps(let kill): try judge(fleet: kill.fleet, of: act)
    case .pause, .resume:
      guard mode != .realtime else {
        throw RunActError(
          act.name, "real-time runs cannot be paused", remedy: "use mode virtual, lockstep or accelerated")
      }
    case .stop, .abort: break
    }
  }

  private func judge(fleet: String?, of act: RunAct) throws(RunActError) {
    guard let fleet, !fleetNames.contains(fleet) else { return }
    let near = NearestName.find(fleet, in: fleetNames).map { "did you mean '\($0)'?" }
    throw RunActError(
      "\(act.name).fleet", "there is no fleet '\(fleet)'",
      remedy: near ?? "write one of \(fleetNames.joined(separator: ", "))")
  }

  // MARK: For the thread of the run.

  /// Called when an act is submitted: ends a wait of the run.
  func onSubmit(_ alarm: @escaping @Sendable () -> Void) { state.withLock { $0.alarm = alarm } }

  var hasActs: Bool { wantsAttention.load(ordering: .acquiring) }
  var isWatched: Bool { isWatchedFlag.load(ordering: .acquiring) }

  /// Returns the next waiting act; nil without one.
  func takeAct() -> (number: Int, act: RunAct)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        wantsAttention.store(false, ordering: .releasing)
        return nil
      }
      let entry = state.entries[state.waiting.removeFirst()]
      return (entry.number, entry.act)
    }
  }

  func settle(_ number: Int, _ outcome: Entry.Outcome, at instant: MonotonicInstant) {
    let now = clock().monotonic
    let (entry, listener) = state.withLock { state in
      state.entries[number - 1].outcome = outcome
      state.entries[number - 1].appliedAt = instant - MonotonicInstant(nanoseconds: 0)
      state.entries[number - 1].reaction = now - state.entries[number - 1].submitted
      return (state.entries[number - 1], state.listeners.removeValue(forKey: number))
    }
    listener?(entry)
  }

  func note(_ step: PlannedStep) { state.withLock { $0.plan.steps.append(step) } }
  func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

  func publish(_ view: RunView) {
    let now = clock()
    state.withLock { state in
      state.view = view
      state.history.take(view, at: now)
    }
  }

  /// Waits until an act is submitted or the time is over.
  func wait(milliseconds: Int) { waker.wait(milliseconds: milliseconds) }

  /// The run has ended; waiting acts are discarded.
  func close(at instant: MonotonicInstant) {
    let waiting = state.withLock { state in
      state.isOver = true
      state.waiting = []
      return state.entries.indices.filter { state.entries[$0].outcome == .waiting }
    }
    let error = RunActError("", "the run ended before the act", remedy: "start another one")
    for index in waiting { settle(index + 1, .refused(error), at: instant) }
  }
}
