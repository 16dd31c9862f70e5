import Base
import Contract
import Database
import Engine
import Host
import Oracle
import Queue
import Scenario
import Vocabulary
import World

/// The faults of a phone and its app. Faults of the network belong to the link.
extension SimulatedDevice {
  /// Begins and ends the faults that are due.
  mutating func changeFaults(at instant: MonotonicInstant, in run: RunContext) {
    guard let next = faults.next, next <= instant else { return }
    let shown = moment(at: instant, in: run)
    defer { if life.isDownUntil == nil, life.isInstalled { tellClock(shown, in: run) } }
    while let spell = faults.takeEnded(by: instant) { end(spell, at: instant, in: run) }
    while let spell = faults.takeComing(by: instant, { [key] in run.faults.successor(of: $0, key) }) {
      guard run.faults.finds(spell, at: body.position(at: instant)) else { continue }
      run.trace.note(.faultBegan, UInt64(spell.ordinal), of: number, at: instant)
      let isOver = spell.end.map { $0 <= instant } ?? false
      // Watchers must see the clock as the fault has set it. A device that comes later has not met what is over.
      if !isOver {
        faults.begin(spell)
        if run.isRuleOfTarget(spell) { run.targetFaults?.begin(spell.fault, of: number) }
      }
      run.tell(.faultBegan(occurrence(spell, in: run)), link.context(at: moment(at: instant, in: run)))
      begin(spell, at: instant, in: run)
      if isOver {
        run.tell(.faultEnded(occurrence(spell, in: run)), link.context(at: moment(at: instant, in: run)))
      }
    }
  }

  /// Reports a clock that the start or the end of a fault has set.
  private mutating func tellClock(_ before: Moment, in run: RunContext) {
    let now = moment(at: before.monotonic, in: run)
    if now != before { give(.clockSet, at: now, in: run) }
  }

  private mutating func end(_ spell: FaultTimeline.Spell, at instant: MonotonicInstant, in run: RunContext) {
    run.trace.note(.faultEnded, UInt64(spell.ordinal), of: number, at: instant)
    if spell.effects.contains(.disturbsStore) { failWrites(in: run) }
    if run.isRuleOfTarget(spell) { run.targetFaults?.end(spell.fault, of: number) }
    if case .tls = run.faults.faults[spell.fault].action { link.handshakeWithProxy(at: instant, in: run) }
    run.tell(.faultEnded(occurrence(spell, in: run)), link.context(at: moment(at: instant, in: run)))
  }

  mutating func healFaults(at instant: MonotonicInstant, in run: RunContext) {
    for spell in faults.heal() { end(spell, at: instant, in: run) }
    run.queueWatch.failures[number] = nil
  }

  private mutating func occurrence(_ spell: FaultTimeline.Spell, in run: RunContext) -> FaultOccurrence {
    run.faults.occurrence(spell, of: index, in: fleet.setup.name)
  }

  private mutating func begin(_ spell: FaultTimeline.Spell, at instant: MonotonicInstant, in run: RunContext) {
    let fault = run.faults.faults[spell.fault]
    let now = run.setup.moment(at: instant)
    if spell.effects.contains(.disturbsStore) { failWrites(in: run) }
    // Faults that are evaluated on use, as of network, clock and receiver, need no action here.
    switch fault.action {
    case .toxic: link.resetIdleConnection(spell, at: instant, in: run)
    case .tls: link.handshakeWithProxy(at: instant, in: run)
    case .authorization(let authorization):
      if run.playsFaults {
        if spell.effects.contains(.endsTokens) {
          link.withdraw(host.configuration.authorization, refreshToo: authorization.revokeAllTokens)
        }
        return
      }
      if authorization.expireAllAccessTokens { run.perform(.expireTokens(of: name), at: now) }
      if authorization.revokeAllTokens { run.perform(.revokeTokens(of: name), at: now) }
      if authorization.rotateKeys { run.rotateKeys(at: now) }
    case .remote(let remote):
      for request in Administration.queue(remote.commands, for: name) { run.perform(request, at: now) }
    case .lifecycle(let lifecycle):
      // Before the installation there is no app to close.
      guard life.isInstalled else { return }
      var stream = FaultDraw.absence.stream(fault.name, seed: run.setup.seed, device: key, n: UInt64(spell.ordinal))
      let usual = lifecycle.reboot ? fleet.setup.habits.bootSeconds : fleet.setup.habits.relaunchSeconds
      let seconds = (lifecycle.relaunchAfter ?? usual).draw(from: &stream)
      goDown(
        lifecycle.reboot ? .switchedOff : .closed,
        until: MonotonicInstant(secondsRoundedUp: instant.seconds + min(seconds, Distribution.longestSeconds)),
        at: instant, in: run)
    case .network, .http, .storage, .device: break
    }
  }

  /// Inserts the records that a buggy app makes once it runs and tracks.
  mutating func poison(at instant: MonotonicInstant, in run: RunContext) {
    guard host.engine.state.isEnabled else { return }
    for spell in faults.running {
      let fault = run.faults.faults[spell.fault]
      guard case .device(let device) = fault.action, let kind = device.poisonRecord else { continue }
      faults.remove(spell)
      var stream = FaultDraw.poison.stream(
        fault.name, seed: run.setup.seed, device: key, n: 2 * UInt64(spell.ordinal))
      let now = moment(at: instant, in: run)
      let record = PoisonRecord(kind, at: body.position(at: instant), now.wall, from: &stream)
      host.insert(record.uuid, record.timestamp, rendered: record.bytes, at: now)
      applyEffects(at: now, in: run)
      end(spell, at: instant, in: run)
    }
  }

  // MARK: The effects of active faults.

  /// Returns the network of the active fault that began last.
  mutating func faultyNetwork(in run: RunContext) -> RadioNetwork? {
    faults.running.last { run.faults.networks[$0.fault] != nil }.flatMap { run.faults.networks[$0.fault] }
  }

  /// Returns the time by the phone's clocks.
  mutating func moment(at instant: MonotonicInstant, in run: RunContext) -> Moment {
    let now = run.setup.moment(at: instant)
    guard !faults.running.isEmpty else { return now }
    var errorSeconds = 0.0
    for spell in faults.running {
      guard case .device(let fault) = run.faults.faults[spell.fault].action else { continue }
      errorSeconds += fault.clockOffset?.seconds ?? 0
      errorSeconds += (fault.clockDriftPartsPerMillion ?? 0) * 1e-6 * (instant - spell.start).seconds
    }
    // A fault may act several times at once, and may drift: the scenario was judged by the offset of each alone.
    let (earliest, latest) = (Clock.dates.lowerBound, Clock.dates.upperBound)
    let shown = Double(now.wall.millisecondsSince1970) + (errorSeconds * 1_000).rounded()
    let within = min(max(shown, Double(earliest.millisecondsSince1970)), Double(latest.millisecondsSince1970))
    return Moment(monotonic: instant, wall: WallInstant(millisecondsSince1970: Int64(within)))
  }

  /// Applies all active faults to the writes of its queue.
  private mutating func failWrites(in run: RunContext) {
    var failure = WriteFailure()
    var isDisturbed = false
    for spell in faults.running {
      guard case .storage(let fault) = run.faults.faults[spell.fault].action else { continue }
      isDisturbed = true
      if let error = fault.error { failure.error = DatabaseError(extendedCode: error.resultCode) }
      switch fault.crash {
      case .beforeInsertCommits: failure.death = .insertion
      case .betweenAnswerAndDelete: failure.death = .deletionOfUploaded
      case .betweenSendAndAnswer, nil: break
      }
    }
    run.queueWatch.failures[number] = isDisturbed ? failure : nil
  }

  /// Crashes an app whose process died during a write.
  mutating func dieIfDead(at instant: MonotonicInstant, in run: RunContext) {
    guard run.queueWatch.hasDied(number) else { return }
    // Reports after its death are lost.
    run.said.removeAll { if case .deliver = $0 { true } else { false } }
    settle(at: moment(at: instant, in: run), in: run)
    crash(at: instant, in: run)
  }

  /// Crashes the app as a fault requires.
  mutating func crash(at instant: MonotonicInstant, in run: RunContext) {
    let spell = faults.running.first {
      if case .storage(let fault) = run.faults.faults[$0.fault].action { fault.crash != nil } else { false }
    }
    guard let spell else { preconditionFailure("only a fault makes an app crash") }
    faults.remove(spell)
    end(spell, at: instant, in: run)
    var stream = FaultDraw.absence.stream(
      run.faults.faults[spell.fault].name, seed: run.setup.seed, device: key, n: UInt64(spell.ordinal))
    let usual = fleet.setup.habits.relaunchSeconds
    let seconds = usual.draw(from: &stream)
    goDown(
      .killed, until: MonotonicInstant(secondsRoundedUp: instant.seconds + min(seconds, Distribution.longestSeconds)),
      at: instant,
      in: run)
  }

}

extension StorageError {
  /// https://sqlite.org/rescode.html
  fileprivate var resultCode: Int32 {
    switch self {
    case .full: 13
    case .io: 10
    case .busy: 5
    case .corrupt: 11
    case .readOnly: 8
    }
  }
}

/// A record that every server should reject, as a buggy app would make it.
struct PoisonRecord {
  let uuid: UUID128
  let timestamp: WallInstant
  let bytes: [UInt8]

  /// More than the mebibyte that nginx accepts by default
  /// (https://nginx.org/en/docs/http/ngx_http_core_module.html#client_max_body_size).
  private static let dumpedLines = 1_250
  private static let lineBytes = 1_000

  init(_ kind: PoisonKind, at place: Coordinate, _ wall: WallInstant, from stream: inout RandomStream) {
    uuid = UUID128(randomHigh: stream.u64(), randomLow: stream.u64())
    timestamp = wall
    var bytes = Array(#"{"uuid":""#.utf8)
    uuid.append(lowerCaseTextTo: &bytes)
    bytes += #"","timestamp":""#.utf8
    wall.append(iso8601To: &bytes)
    bytes += #"","odometer":0,"is_moving":true"#.utf8
    switch kind {
    case .missingCoords: break
    case .textLatitude: bytes += #","coords":{"latitude":"north","longitude":\#(place.longitude),"accuracy":5}"#.utf8
    case .oversizedExtras:
      bytes += #","coords":{"latitude":\#(place.latitude),"longitude":\#(place.longitude),"accuracy":5}"#.utf8
      bytes += #","extras":{"dump":["#.utf8
      for line in 0..<PoisonRecord.dumpedLines {
        bytes += line == 0 ? "\"".utf8 : ",\"".utf8
        bytes += repeatElement(UInt8(ascii: "x"), count: PoisonRecord.lineBytes)
        bytes.append(UInt8(ascii: "\""))
      }
      bytes += "]}".utf8
    }
    bytes.append(UInt8(ascii: "}"))
    self.bytes = bytes
  }
}
