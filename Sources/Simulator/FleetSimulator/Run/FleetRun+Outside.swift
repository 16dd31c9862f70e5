import BackendStore
import Base
import Contract
package import CurlTransport
import Database
package import Oracle
import Queue
package import Scenario
package import Store
import Upload

/// Runs in real time, against a server that answers in its own time.
extension FleetRun {
  /// The number of turns before the network is polled.
  private static let turnsInARow = 256
  private static let turnsPerCommit = 4_096
  /// The minimum time between two wake-ups (docs/decisions/0020).
  private static let wakingInterval = Nanoseconds.milliseconds(4)

  func run(over transport: FleetTransport, _ progress: () -> Void) throws(DatabaseError) {
    defer {
      for device in devices.indices { devices[device].link.tellCarried(at: setup.moment(at: now), in: shared) }
    }
    steering?.onSubmit(transport.alarm)
    try work(over: transport, by: RunClock(factor: shared.clockFactor, from: now), before: drivesEnd, progress)
    if isAborted { return settled() }
    try heal()
    // No device moves any more and the network keeps its own time: a faster clock would gain nothing.
    try work(over: transport, by: RunClock(factor: 1, from: now), before: settlingEnd, untilIdle: true, progress)
    settled()
  }

  /// Works until `end` or, with `untilIdle`, until nothing is pending any more.
  private func work(
    over transport: FleetTransport, by start: RunClock, before limit: MonotonicInstant,
    untilIdle: Bool = false, _ progress: () -> Void
  ) throws(DatabaseError) {
    interruption.onRequest(transport.alarm)
    var clock = start
    var turns = 0
    var nextProgress = now
    advance(to: clock, before: phaseEnd(limit))
    while untilIdle || !isEndedEarly {
      if let steering {
        steer(steering, &clock)
        if isAborted { break }
      }
      doDueActs(before: limit, upTo: now)
      if isAborted { break }
      let end = phaseEnd(limit)
      let served = try serve(by: clock, before: end)
      turns += served
      if turns >= FleetRun.turnsPerCommit {
        turns = 0
        try shared.database.commit()
        shared.proveIfNeeded()
      }
      if now >= nextProgress || isPaused {
        progress()
        nextProgress = now + .milliseconds(Int64(500 * clock.factor))
      }
      let isIdle = queue.first == nil && transport.inFlight == 0
      if served < FleetRun.turnsInARow && (now >= end || untilIdle && isIdle) { break }
      if isGraceOver(at: now) { break }
      // Acts that an early end of the drives leaves behind are not performed.
      let act = phase == .driving ? dueActs.first?.instant : nil
      let due = min(queue.first?.instant ?? end, end, nextProgress, act ?? end)
      shared.targetFaults?.place()
      let landed = transport.work(until: wakeUp(for: due, by: clock))
      isInterrupted = interruption.isRequested
      advance(to: clock, before: end)
      for answer in landed { receive(answer) }
    }
    advance(to: clock, before: phaseEnd(limit))
    try shared.database.commit()
  }

  /// Advances the time, to the end of the phase at most, however late the machine is: there the next phase begins for all devices.
  private func advance(to clock: RunClock, before end: MonotonicInstant) { now = max(now, min(clock.now, end)) }

  /// Performs acts, updates the view, and pauses, during which the clock stands still.
  private func steer(_ steering: RunSteering, _ clock: inout RunClock) {
    if steering.hasActs { takeActs() }
    if isPaused != clock.isPaused { clock.setPaused(isPaused, at: now) }
    publishIfDue(steering)
  }

  /// Returns the machine time of the next wake-up; a watched run wakes in between to update its view.
  private func wakeUp(for instant: MonotonicInstant, by clock: RunClock) -> MonotonicInstant {
    var wake = clock.isPaused ? .never : clock.machineInstant(of: instant).roundedUp(to: FleetRun.wakingInterval)
    if clock.isPaused || steering?.isWatched ?? false {
      wake = min(wake, max(viewDue, viewClock.monotonicNow + .milliseconds(Int64(FleetRun.pauseMilliseconds))))
    }
    return wake
  }

  private func receive(_ landed: TransportCompletion) {
    let next = devices[landed.device].receive(landed, at: now, in: shared)
    queue.update(landed.device, to: next)
  }

  /// Serves the devices that are due, the latest first; returns their number.
  private func serve(
    by clock: RunClock, before end: MonotonicInstant
  ) throws(DatabaseError) -> Int {
    var turns = 0
    while turns < FleetRun.turnsInARow, let (instant, device) = queue.first, instant <= now, instant < end {
      if trackRecorder.isDue(at: now) { trackRecorder.look(at: devices, at: now) }
      let next = try devices[device].advance(to: now, in: shared)
      queue.replaceFirst(with: next.map { max($0, now) })
      let lag = clock.machineSpan(of: max(now, clock.now) - instant)
      advance(to: clock, before: end)
      generatorLag.record(UInt64(max(0, lag.count / 1_000)))
      shared.tell(.turn(late: lag), devices[device].link.context(at: shared.setup.moment(at: now)))
      turns += 1
    }
    return turns
  }
}

extension MonotonicInstant {
  fileprivate func roundedUp(to span: Nanoseconds) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: (nanoseconds + span.count - 1) / span.count * span.count)
  }
}

extension RunDestination {
  /// Makes the run that a setup describes; `newStore` makes the store of an in-process server. An interruption ends the
  /// queries after the run. Throws when the machine lacks resources.
  package init(
    of setup: RunSetup, interruption: Interruption? = nil, newStore: () throws -> any Store
  ) throws {
    guard let outside = setup.outside else {
      self = .inside(try newStore())
      return
    }
    let transport = try FleetTransport(outside.transport)
    func proof(_ outside: OutsideSetup) throws(TransportError) -> (any StoreProof)? {
      try outside.proof(
        devices: setup.deviceNames, others: setup.namesOfOtherShards, seed: setup.seed, start: setup.start.iso8601Text,
        interruption: interruption)
    }
    var access = TargetAccess(proof: try proof(outside), faults: try TargetFaults(setup, at: outside))
    if outside.lockstep == .modelled {
      var undelayed = outside
      undelayed.verification.readDelay = .zero
      access.earlierRun = try proof(undelayed).map { EarlierRun($0) }
    }
    self =
      if let latency = outside.lockstep {
        .lockstep(transport, latency, access)
      } else {
        .outside(transport, factor: outside.factor, access)
      }
  }
}

extension OutsideSetup {
  /// Returns the proof of what was stored; nil without one. `others` are simulated in other processes; records may be listed
  /// under their names.
  package func proof(
    devices: [String], others: [String] = [], seed: UInt64, start: String, interruption: Interruption? = nil
  ) throws(TransportError) -> (any StoreProof)? {
    if let query = verification.url, verification.effectiveMethod == .query {
      func filled(_ url: String) -> String {
        let filled = url.replacing("{start}", with: start)
        return filled.hasPrefix("/") ? origin + filled : filled
      }
      var question = QuerySource.Question(url: filled(query), path: verification.uuids)
      (question.next, question.fields) = (verification.next, verification.fields)
      question.quarantinedURL = verification.quarantinedURL.map(filled)
      question.quarantinedPath = verification.quarantined
      let source = QuerySource(
        try BlockingHTTPClient(transport, keepsHeads: true, interruption: interruption), question,
        headers: headers.overlaid(verification.headers),
        seed: seed, deviceCount: devices.count)
      return ListedProof(
        source, devices: devices, others: others, delay: verification.readDelay, retries: ListRetries())
    }
    if verification.effectiveMethod == .query, let view = verification.place.view(fields: verification.fields) {
      return ListedProof(
        KeptSession(view), devices: devices, others: others, delay: verification.readDelay, retries: ListRetries())
    }
    guard isOurs, verification.effectiveMethod != .journal else { return nil }
    let client = try BlockingHTTPClient(transport, interruption: interruption)
    return AdministrationProof(TargetAdministration(client, of: self), devices: devices)
  }
}

/// The destination of the records of a run's devices.
package enum RunDestination {
  /// The in-process server, over modelled links; records go to this store.
  case inside(any Store)
  /// A real server, over sockets, in real time: `factor` seconds of the devices per second of the network.
  case outside(FleetTransport, factor: Double, TargetAccess)
  /// A real server in virtual time, which waits for each answer.
  case lockstep(FleetTransport, LatencySource, TargetAccess)
}

/// The access of a run to a real server, beside uploading records.
package struct TargetAccess {
  /// Reads what it has stored; nil without such access.
  package var proof: (any StoreProof)?
  /// Nil when the run requests none.
  package var faults: TargetFaults?
  /// Nil when an earlier run cannot have made the same records.
  var earlierRun: EarlierRun?

  package init(proof: (any StoreProof)? = nil, faults: TargetFaults? = nil) {
    (self.proof, self.faults) = (proof, faults)
  }
}
