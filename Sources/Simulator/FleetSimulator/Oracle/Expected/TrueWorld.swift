import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// The truth about all devices of a run, from their bodies, their owners and what their apps ask for: what rules compare the
/// SDK's events with.
final class TrueWorld {
  var lives: ContiguousArray<TrueLife>
  /// Faults by which a receiver sees nothing.
  private let blindings: Set<String>

  init(devices: Int, faults: [Fault]) {
    lives = ContiguousArray(repeating: TrueLife(), count: devices)
    blindings = Set(faults.compactMap { if case .device(let fault) = $0.action, fault.noFix { $0.name } else { nil } })
  }

  /// Before the rules look at it.
  func enter(_ happening: Happening, _ sighting: Sighting) {
    let (device, now) = (sighting.device, sighting.now.monotonic)
    switch happening {
    case .moves(let episode): lives[device].move(episode)
    case .asked(let command), .told(.commanded(let command)): obey(command, device, at: now)
    case .configured(let configuration): lives[device].configuration = configuration
    case .closed:
      lives[device].closedAt = now
      if lives[device].configuration?.app.stopOnTerminate ?? true { want(.off, device, at: now) }
    case .launched(let launch): begin(launch, device, at: now)
    case .queue(.refused): lives[device].disturbedAt = now
    case .faultBegan(let occurrence) where blindings.contains(occurrence.fault):
      if lives[device].blindings == 0 { lives[device].blindSince = now }
      lives[device].blindings += 1
    case .faultEnded(let occurrence) where blindings.contains(occurrence.fault):
      lives[device].blindings -= 1
      lives[device].blindUntil = now
    default: break
    }
  }

  /// After they have looked: what comes to an end is judged as it was.
  func leave(_ happening: Happening, _ sighting: Sighting) {
    let (device, now) = (sighting.device, sighting.now.monotonic)
    switch happening {
    case .killed:
      lives[device].runsSince = nil
      // Whether it was its user who ended it, and the SDK stopped with it, only its next start shows.
      if lives[device].closedAt != now, lives[device].configuration?.app.stopOnTerminate ?? true {
        lives[device].asked = nil
      }
    case .healed: lives[device].isHealed = true
    default: break
    }
  }

  private func begin(_ launch: Launch, _ device: Int, at now: MonotonicInstant) {
    lives[device].runsSince = now
    if let configuration = lives[device].configuration, launch.isRefused(by: configuration) {
      lives[device].asked = Expectation(goal: .off, since: now)
    }
  }

  private func obey(_ command: Command, _ device: Int, at now: MonotonicInstant) {
    switch command {
    case .start: want(.location, device, at: now)
    case .startGeofences: want(.geofences, device, at: now)
    case .stop: want(.off, device, at: now)
    case .startSchedule: schedule(true, device)
    case .stopSchedule: schedule(false, device)
    case .addGeofence(let fence): add(fence, device)
    case .addGeofences(let fences): for fence in fences { add(fence, device) }
    case .removeGeofence(let identifier): lives[device].fences.removeAll { $0.identifier == identifier }
    case .removeGeofences(let identifiers):
      lives[device].fences.removeAll { identifiers?.contains($0.identifier) ?? true }
    case .setConfig: lives[device].isReconfigured = true
    case .changePace, .uploadLog, .destroyLog, .setOdometer, .resetOdometer, .ban: break
    }
  }

  private func want(_ goal: TrackingGoal, _ device: Int, at now: MonotonicInstant) {
    // A device that is started already goes on.
    if lives[device].asked?.goal != goal { lives[device].asked = Expectation(goal: goal, since: now) }
  }

  /// Tracking is what it was when the schedule ends, which is not asked for.
  private func schedule(_ isOn: Bool, _ device: Int) {
    if lives[device].isScheduled && !isOn { lives[device].asked = nil }
    lives[device].isScheduled = isOn
    lives[device].scheduled = nil
  }

  private func add(_ fence: Geofence, _ device: Int) {
    lives[device].fences.removeAll { $0.identifier == fence.identifier }
    lives[device].fences.append(fence)
  }
}

extension Launch {
  /// A start by the system needs the configuration's word (SDK §19.2, §19.4).
  func isRefused(by configuration: Configuration) -> Bool {
    let app = configuration.app
    return isInBackground
      && (app.stopOnTerminate || configuration.platform == .android && didReboot && !app.startOnBoot)
  }
}
