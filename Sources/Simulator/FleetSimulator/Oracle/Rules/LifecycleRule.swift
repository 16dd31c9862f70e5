import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I21: what was kept before the end of an app or a phone is what the next start finds; nothing is recorded in between, nor
/// after a start that the system made although `stopOnTerminate` is set (behaviour §19.1 to §19.4).
final class LifecycleRule: Rule {
  override class var invariant: Invariant { .lifecycle }
  override class var interest: Interest { [.queue, .told, .life] }

  private struct Life {
    var kept: EngineState?
    /// The system has started the app, and may not go on.
    var mustRest = false
    /// Its store has failed: what it could not write is gone (behaviour §19.1 knows no other way to lose it).
    var isDisturbed = false
  }

  private var lives: [Int: Life] = [:]

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let device = sighting.device
    switch happening {
    case .kept(let state): keep(state, sighting)
    case .queue(.refused), .faultBegan, .faultEnded: lives[device, default: Life()].isDisturbed = true
    case .launched(let launch):
      let terms = ledger.pages[device].terms
      lives[device]?.mustRest = launch.isInBackground && (terms?.stopsOnTerminate ?? true)
    // Whom a server asks to start starts, whoever has launched the app (behaviour §10.2).
    case .told(.commanded(.start)), .told(.commanded(.startGeofences)), .told(.commanded(.startSchedule)):
      lives[device]?.mustRest = false
    case .queue(.inserted(_, _, let uuid, _, _)):
      if ledger.pages[device].aliveSince == nil { blame(sighting, uuid, "recorded while the app does not run") }
      if lives[device]?.mustRest == true {
        blame(sighting, uuid, "recorded although the app may not track before it is opened")
      }
    default: break
    }
  }

  private func keep(_ state: EngineState, _ sighting: Sighting) {
    let device = sighting.device
    let isEnding = ledger.pages[device].aliveSince != nil
    if !isEnding, let life = lives[device], !life.isDisturbed, let before = life.kept, before != state {
      blame(sighting, nil, "kept \(before), and found \(state)")
    }
    lives[device, default: Life()].kept = isEnding ? state : nil
    if !isEnding { lives[device]?.isDisturbed = false }
  }
}
