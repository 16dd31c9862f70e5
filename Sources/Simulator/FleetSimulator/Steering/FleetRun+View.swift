import Base
import Contract
import Engine
import Host
import Oracle
import Queue
import Scenario
import Vocabulary
import World

/// The views of a run.
extension FleetRun {
  /// By the machine's clock.
  private static let viewInterval = Nanoseconds.milliseconds(250)

  /// Called between two turns: performs submitted acts, publishes a view while the run is watched, and waits while it is
  /// paused. For runs in virtual time.
  func attend(_ steering: RunSteering, _ progress: () -> Void) {
    repeat {
      takeActs()
      publishIfDue(steering)
      if isPaused { progress() }
      guard isPaused, !isAborted else { return }
      steering.wait(milliseconds: FleetRun.pauseMilliseconds)
      isInterrupted = interruption.isRequested
    } while !isInterrupted
  }

  /// Publishes a view at once, so that a request after an act sees its result.
  func publishNow() {
    guard let steering, steering.isWatched else { return }
    steering.publish(view(steering.mode))
  }

  func publishIfDue(_ steering: RunSteering) {
    guard steering.isWatched else { return }
    let machine = viewClock.monotonicNow
    guard machine >= viewDue else { return }
    steering.publish(view(steering.mode))
    // Limits the share of time that views take.
    let cost = viewClock.monotonicNow - machine
    viewDue = machine + max(FleetRun.viewInterval, cost * 10)
  }

  func view(_ mode: ClockMode) -> RunView {
    var fleets = setup.fleets.map { _ in FleetFigures() }
    var phones: [ShownPhone] = []
    for (place, numbers) in self.fleets.enumerated() {
      for number in numbers {
        guard let phone = devices[number].shown(number, place, at: now, room) else { continue }
        fleets[place].add(phone)
        phones.append(phone)
      }
    }
    var figures = measures?.progress ?? RunProgress(share: 0, devices: 0, uploadsPerSecond: 0, backlog: 0, errors: 0)
    figures.errors = errors?.failedUploads ?? figures.errors
    let spread = measures?.recentUploads
    func lag(_ quantile: Double) -> Double? {
      room?.lag.milliseconds(atQuantile: quantile, at: viewClock.monotonicNow)
    }
    return RunView(
      mode: mode, instant: spanOfRun(now), duration: spanOfRun(drivesEnd), progress: figures,
      phase: phase == .driving ? .driving : phase == .settling ? .settling : .over, isPaused: isPaused,
      recordsPerSecond: measures?.recordsPerSecond ?? 0, p50Milliseconds: spread?.percentile(50),
      p99Milliseconds: spread?.percentile(99), errors: errors?.errors ?? [], fleets: fleets,
      lagP50Milliseconds: lag(0.5), lagP99Milliseconds: lag(0.99), phones: phones)
  }
}

extension SimulatedDevice {
  /// Returns the phone as a view shows it; nil before its first presence.
  fileprivate mutating func shown(
    _ number: Int, _ fleet: Int, at instant: MonotonicInstant, _ room: RoomWatch?
  ) -> ShownPhone? {
    guard life.isInstalled else { return nil }
    let state: PhoneState =
      !life.isPresent ? .left : life.isDownUntil == nil ? .running : life.isPhoneOff ? .switchedOff : .closed
    return ShownPhone(
      number: number, fleet: fleet, place: body.position(at: instant),
      headingDegrees: body.headingDegrees(at: instant), known: room?.known(number),
      queue: host.queue.count, network: Int(link.network.number), state: state,
      token: room?.token(number) ?? .none, isMoving: host.engine.state.isMoving)
  }
}

/// The server's knowledge of the phones of a run and the state of their tokens, for watched runs.
final class RoomWatch: Watcher {
  private struct Phone {
    var known = KnownPlace()
    var token = TokenWatch()
  }

  private let phones: PerDevice<Phone>
  var lag = LagWindow()
  private var wall = WallInstant(millisecondsSince1970: 0)

  init(phones count: Int) { phones = PerDevice(count: count) { _ in Phone() } }

  func known(_ phone: Int) -> Coordinate? { phones[phone].known.place }
  func token(_ phone: Int) -> TokenState { phones[phone].token.state(at: wall) }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let phone = context.device
    wall = context.now.wall
    _ = phones[phone].known.see(event)
    switch event {
    case .turn(let late): lag.record(late)
    case .configured(let configuration): phones[phone].token.learn(configuration.authorization, at: wall)
    case .faultBegan(let fault) where fault.effects.contains(.endsTokens): phones[phone].token.takeBack()
    default: break
    }
  }
}

/// The lag of turns in the last five to ten seconds of the machine's clock, so that one slow moment is not reported for the
/// rest of a run. The report has the lag of the whole run.
struct LagWindow {
  private static let span = Nanoseconds.seconds(5)
  /// In microseconds.
  private var (current, before) = (LagWindow.empty, LagWindow.empty)
  private var turnAt = MonotonicInstant(nanoseconds: 0)

  private static let empty = Histogram(highestTrackableValue: 3_600_000_000)

  mutating func record(_ late: Nanoseconds) { current.record(UInt64(max(0, late.count / 1_000))) }

  /// Returns a quantile of the lag; nil when no device had a turn, and in virtual time.
  mutating func milliseconds(atQuantile quantile: Double, at now: MonotonicInstant) -> Double? {
    if now >= turnAt {
      (before, current, turnAt) = (current, LagWindow.empty, now + LagWindow.span)
    }
    guard current.count + before.count > 0 else { return nil }
    var both = current
    do throws(HistogramError) { try both.merge(before) } catch {
      preconditionFailure("both have one range, and the turns of some seconds: \(error)")
    }
    return both.value(atQuantile: quantile).map { Double($0) / 1_000 }
  }
}
