package import Base
import Contract
import Engine
import Host
package import Oracle
import Queue
import Scenario
import Synchronization
import Upload
import Vocabulary
import World

/// A recording from which any past instant of a run can be shown: states of all phones at intervals, and the changes in
/// between, which are replayed on top of them. Like any watcher it changes nothing.
///
/// A change takes 16 bytes, with a place 32, and a state some 130 per phone. Beyond `bytesMax` the oldest half loses the
/// changes between its states, and then every second state; an instant there is shown as the nearest earlier state that is
/// kept, and the answer contains that state's instant.
package final class RunRecording: Watcher, Sendable {
  /// A change of one phone.
  fileprivate struct Change: Sendable {
    enum Kind: UInt8 { case inserted, deleted, known, network, state, token, moving, episode, sent, ended }

    let instant: Int64
    let phone: UInt32
    let kind: Kind
    /// A status, an index, a number of records, or the lowest bits of a request id.
    var value: UInt16
    var detail: UInt8

    /// The index of a new known place; it needs more bits.
    var placeIndex: Int {
      get { Int(value) | Int(detail) << 16 }
      set { (value, detail) = (UInt16(truncatingIfNeeded: newValue), UInt8(truncatingIfNeeded: newValue >> 16)) }
    }

    static let placesMax = 1 << 24

    func isLike(_ other: Change) -> Bool {
      kind == other.kind && phone == other.phone && instant == other.instant
    }
  }

  /// The part from one state to the next.
  fileprivate struct Segment: Sendable {
    let start: MonotonicInstant
    let state: RecordedState
    var changes: [Change] = []
    var episodes: [Episode] = []
    var episodeBytes = 0
    var places: [Coordinate] = []
    var isThin = false

    var bytes: Int {
      state.bytes + changes.count * MemoryLayout<Change>.stride + episodeBytes
        + places.count * MemoryLayout<Coordinate>.stride
    }
  }

  private struct Tape: Sendable {
    var closed: [Segment] = []
    var open: Segment
    /// The state after the last change of the open segment.
    var state: RecordedState
    var closedBytes = 0
    var now = MonotonicInstant(nanoseconds: 0)
  }

  package let bytesMax: Int
  private let changesMax: Int
  private let tokens: Mutex<[TokenWatch]>
  private let known: Mutex<[KnownPlace]>
  private let tape: Mutex<Tape>

  package convenience init(_ setup: RunSetup) {
    // A state should cost no more than the changes up to the next.
    self.init(setup, bytesMax: 256 << 20, changesMax: max(16_384, 8 * setup.deviceNames.count))
  }

  /// `changesMax` is the number of changes between two states.
  init(_ setup: RunSetup, bytesMax: Int, changesMax: Int) {
    let fleets = setup.fleets.enumerated().flatMap { repeatElement(UInt16($0), count: $1.simulated.count) }
    self.bytesMax = bytesMax
    self.changesMax = changesMax
    tokens = Mutex(Array(repeating: TokenWatch(), count: fleets.count))
    known = Mutex(Array(repeating: KnownPlace(), count: fleets.count))
    let state = RecordedState(fleets: fleets, fleetCount: setup.fleets.count)
    tape = Mutex(Tape(open: Segment(start: MonotonicInstant(nanoseconds: 0), state: state), state: state))
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    let instant = context.now.monotonic
    func change(_ kind: Change.Kind, _ value: UInt16 = 0, _ detail: UInt8 = 0, episode: Episode? = nil) {
      let change = Change(
        instant: instant.nanoseconds, phone: UInt32(context.device), kind: kind, value: value, detail: detail)
      tape.withLock { append(change, episode, nil, to: &$0) }
    }
    defer {
      if let place = known.withLock({ $0[context.device].see(event) }) {
        let change = Change(
          instant: instant.nanoseconds, phone: UInt32(context.device), kind: .known, value: 0, detail: 0)
        tape.withLock { append(change, nil, place, to: &$0) }
      }
    }
    switch event {
    case .launched:
      change(.state, UInt16(PhoneState.running.rawValue))
      change(.network, UInt16(context.network.number))
    case .killed(let isReboot):
      change(.state, UInt16((isReboot ? PhoneState.switchedOff : .closed).rawValue))
    case .asked(.stop): change(.state, UInt16(PhoneState.left.rawValue))
    case .asked(.start), .asked(.startGeofences), .asked(.startSchedule):
      change(.state, UInt16(PhoneState.running.rawValue))
    case .network(let network): change(.network, UInt16(network.number))
    case .queue(.inserted): change(.inserted, 1)
    case .queue(.deleted): change(.deleted, 1)
    case .queue(.refused): break
    case .moves(let episode): change(.episode, 0, episode: episode)
    case .sent(let request): change(.sent, UInt16(truncatingIfNeeded: request.id), request.purpose == .records ? 1 : 0)
    case .ended(let request, let outcome):
      change(.ended, UInt16(clamping: outcome.status), UInt8(truncatingIfNeeded: request))
      if outcome.status == 401, let state = token(of: context, { _ in }) { change(.token, UInt16(state.rawValue)) }
    case .told(.engine(.motionChange(let record))): change(.moving, record.isMoving ? 1 : 0)
    case .configured(let configuration):
      if let state = token(of: context, { $0.learn(configuration.authorization, at: context.now.wall) }) {
        change(.token, UInt16(state.rawValue))
      }
    case .faultBegan(let fault) where fault.effects.contains(.endsTokens):
      if let state = token(of: context, { $0.takeBack() }) { change(.token, UInt16(state.rawValue)) }
    default: break
    }
  }

  private func token(of context: EventContext, _ change: (inout TokenWatch) -> Void) -> TokenState? {
    tokens.withLock { tokens in
      change(&tokens[context.device])
      return tokens[context.device].state(at: context.now.wall)
    }
  }

  private func append(_ change: Change, _ episode: Episode?, _ place: Coordinate?, to tape: inout Tape) {
    tape.now = max(tape.now, MonotonicInstant(nanoseconds: change.instant))
    var change = change
    if let episode {
      change.value = UInt16(tape.open.episodes.count)
      tape.open.episodes.append(episode)
      tape.open.episodeBytes += episode.recordedBytes
    }
    if let place {
      change.placeIndex = tape.open.places.count
      tape.open.places.append(place)
    }
    tape.state.apply(change, of: tape.open)
    tape.open.append(change)
    guard tape.open.isFull(changesMax) else { return }
    tape.closedBytes += tape.open.bytes
    tape.closed.append(tape.open)
    tape.open = Segment(start: tape.now, state: tape.state)
    tape.open.changes.reserveCapacity(changesMax)
    while tape.closedBytes > bytesMax, thin(&tape) {}
  }

  /// Removes the least valuable data. Returns false when nothing is left to remove.
  private func thin(_ tape: inout Tape) -> Bool {
    let half = tape.closed.count / 2
    if let index = tape.closed[..<half].firstIndex(where: { !$0.isThin }) {
      let before = tape.closed[index].bytes
      tape.closed[index].makeThin()
      tape.closedBytes -= before - tape.closed[index].bytes
      return true
    }
    guard half > 1 else { return false }
    let kept = tape.closed.enumerated().filter { $0.offset >= half || $0.offset % 2 == 0 }.map(\.element)
    tape.closed = kept
    tape.closedBytes = kept.reduce(0) { $0 + $1.bytes }
    return true
  }

  /// The time of the last recorded change.
  package var end: Nanoseconds { tape.withLock { $0.now } - MonotonicInstant(nanoseconds: 0) }

  /// The size of the recording.
  package var bytes: Int { tape.withLock { $0.closedBytes + $0.open.bytes + $0.state.bytes } }

  /// Returns the state of the whole run after all events at an instant; for future instants the latest state.
  package func moment(at instant: Nanoseconds) -> RecordedMoment {
    let wanted = MonotonicInstant(nanoseconds: 0) + instant
    let (segment, now) = tape.withLock { tape in
      // The first segment that begins later; the one before it contains the instant.
      let next = tape.closed.indexBehind { $0.start <= wanted }
      let isOpen = next == tape.closed.count && tape.open.start <= wanted
      return (isOpen || tape.closed.isEmpty ? tape.open : tape.closed[max(0, next - 1)], tape.now)
    }
    var state = segment.state
    let end = min(wanted, now)
    for change in segment.changes {
      if change.instant > end.nanoseconds { break }
      state.apply(change, of: segment)
    }
    return state.moment(at: segment.isThin ? segment.start : end, isExact: !segment.isThin)
  }
}

/// The state of all phones.
private struct RecordedState: Sendable {
  struct Phone: Sendable {
    var episode: Episode?
    var queue: Int32 = 0
    var fleet: UInt16
    var network: UInt8 = 0
    var state = PhoneState.absent
    var token = TokenState.none
    var isMoving = false
    /// The last place that the server knows.
    var known: Coordinate?
    /// The requests, newest last.
    var requests: [RecordedMoment.Request] = []
  }

  var phones: [Phone]
  var sums: RecordedMoment.Sums
  let fleetCount: Int

  static let requestsKept = 4

  init(fleets: [UInt16], fleetCount: Int) {
    phones = fleets.map { Phone(fleet: $0) }
    sums = RecordedMoment.Sums()
    self.fleetCount = fleetCount
  }

  var bytes: Int { phones.count * (MemoryLayout<Phone>.stride + 32 + 2 * MemoryLayout<RecordedMoment.Request>.stride) }

  mutating func apply(_ change: RunRecording.Change, of segment: RunRecording.Segment) {
    let phone = Int(change.phone)
    switch change.kind {
    case .inserted:
      phones[phone].queue += Int32(change.value)
      sums.created += Int(change.value)
    case .deleted: phones[phone].queue -= Int32(change.value)
    case .known: phones[phone].known = segment.places[change.placeIndex]
    case .network: phones[phone].network = UInt8(truncatingIfNeeded: change.value)
    case .state:
      guard let state = PhoneState(rawValue: UInt8(change.value)) else { return }
      phones[phone].state = state
      if state == .closed || state == .switchedOff { phones[phone].requests.removeAll { $0.ended == nil } }
    case .token: phones[phone].token = TokenState(rawValue: UInt8(change.value)) ?? .none
    case .moving: phones[phone].isMoving = change.value == 1
    case .episode: phones[phone].episode = segment.episodes[Int(change.value)]
    case .sent:
      if phones[phone].requests.count >= RecordedState.requestsKept { phones[phone].requests.removeFirst() }
      phones[phone].requests.append(
        RecordedMoment.Request(
          bits: UInt8(truncatingIfNeeded: change.value), isUpload: change.detail == 1,
          sent: Nanoseconds(change.instant)))
    case .ended: end(change, phone)
    }
  }

  private mutating func end(_ change: RunRecording.Change, _ phone: Int) {
    let open = phones[phone].requests.lastIndex { $0.ended == nil && $0.bits == change.detail }
    guard let open else { return }
    phones[phone].requests[open].ended = Nanoseconds(change.instant)
    phones[phone].requests[open].status = change.value
    guard phones[phone].requests[open].isUpload else { return }
    sums.uploads += 1
    if !(200..<300).contains(change.value) { sums.failedUploads += 1 }
  }

  func moment(at instant: MonotonicInstant, isExact: Bool) -> RecordedMoment {
    var fleets = (0..<fleetCount).map { _ in FleetFigures() }
    var (shown, requests): ([ShownPhone], [[RecordedMoment.Request]]) = ([], [])
    shown.reserveCapacity(phones.count)
    requests.reserveCapacity(phones.count)
    for (number, phone) in phones.enumerated() {
      guard phone.state != .absent, let episode = phone.episode else { continue }
      let current = ShownPhone(
        number: number, fleet: Int(phone.fleet), place: episode.place(at: instant),
        headingDegrees: episode.headingDegrees(at: instant), known: phone.known, queue: Int(phone.queue),
        network: Int(phone.network), state: phone.state, token: phone.token, isMoving: phone.isMoving)
      fleets[current.fleet].add(current)
      shown.append(current)
      requests.append(phone.requests)
    }
    return RecordedMoment(
      instant: instant - MonotonicInstant(nanoseconds: 0), isExact: isExact, phones: shown, requests: requests,
      fleets: fleets, sums: sums)
  }
}

extension RunRecording.Segment {
  /// Appends a change. Insertions and deletions at one instant are combined, and of several known places at one instant
  /// the last one counts.
  fileprivate mutating func append(_ change: RunRecording.Change) {
    let isSummable = change.kind == .inserted || change.kind == .deleted
    if isSummable || change.kind == .known,
      let index = changes.indices.suffix(2).last(where: { changes[$0].isLike(change) })
    {
      if !isSummable {
        changes[index].placeIndex = change.placeIndex
        return
      }
      if changes[index].value < .max {
        changes[index].value += 1
        return
      }
    }
    changes.append(change)
  }

  fileprivate func isFull(_ changesMax: Int) -> Bool {
    changes.count >= changesMax || episodes.count >= Int(UInt16.max) || places.count >= RunRecording.Change.placesMax
  }

  /// Removes the changes and keeps the state at the beginning.
  fileprivate mutating func makeThin() {
    (changes, episodes, episodeBytes, places) = ([], [], 0, [])
    isThin = true
  }
}

extension Episode {
  /// The approximate size in memory.
  fileprivate var recordedBytes: Int {
    switch self {
    case .stay: 128
    case .trip(let trip): 512 + 64 * trip.motion.path.vertices.count
    }
  }
}
