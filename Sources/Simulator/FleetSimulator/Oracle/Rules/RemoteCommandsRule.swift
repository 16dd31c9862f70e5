import Base
import Contract
import Host
import Scenario
import Upload
import Vocabulary

/// I23: the commands of an answer are carried out once each and in order, the last hundred of them (behaviour §10.2).
final class RemoteCommandsRule: Rule {
  override class var invariant: Invariant { .remoteCommands }
  override class var interest: Interest { [.ended, .told, .sent, .life] }

  private struct Order {
    var commands: [Command]
    /// The upload in whose answer they were.
    let upload: SentRequest
    let isRefused: Bool

    /// Those of a refused upload wait for the refresh (behaviour §11.2), and go with a flush that the watchdog gives up meanwhile.
    func isGone(at instant: MonotonicInstant) -> Bool { isRefused && upload.isGivenUp(at: instant) }
  }

  /// Of each device that was sent commands: those that it has not carried out yet.
  private var due: [Int: Order] = [:]
  private var seen = 0

  override var reasonNotJudged: String? { seen == 0 ? "no server has sent a command" : nil }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let device = sighting.device
    switch happening {
    case .ended(let request, .answered(let status, reason: _, let body)):
      // The answer to what a watchdog gave up is stale, and is ignored (behaviour §9.2).
      guard !body.isEmpty,
        let sent = ledger.pages[device].open.first(where: { $0.id == request && $0.purpose == .records }),
        !sent.isGivenUp(at: sighting.now.monotonic)
      else { return }
      let commands = ReceivedCommands(inBody: body.span).commands
      guard !commands.isEmpty else { return }
      expectNothingDue(sighting)
      due[device] = Order(
        commands: commands.suffix(HostRules.commandsMax), upload: sent, isRefused: status == 401)
      seen += commands.count
    case .told(.commanded(let command)):
      guard let next = due[device]?.commands.first else {
        return blame(sighting, nil, "carries out '\(command.name)', which no answer has asked for")
      }
      if next != command { blame(sighting, nil, "carries out '\(command.name)' where '\(next.name)' is next") }
      due[device]?.commands.removeFirst()
    case .sent(let request) where request.purpose == .records: expectNothingDue(sighting)
    // An app that dies over an answer forgets what was asked of it: the server does not ask again.
    case .killed: due[device] = nil
    default: break
    }
  }

  override func close(at instant: MonotonicInstant) {
    for device in due.keys.sorted() {
      if let order = due[device], let command = order.commands.first, !order.isGone(at: instant) {
        ledger.violations.blame(.remoteCommands, device, at: instant, "has not carried out '\(command.name)'")
      }
    }
  }

  /// Commands come before everything else that follows an answer.
  private func expectNothingDue(_ sighting: Sighting) {
    guard let order = due[sighting.device], let command = order.commands.first else { return }
    if !order.isGone(at: sighting.now.monotonic) { blame(sighting, nil, "has not carried out '\(command.name)'") }
    due[sighting.device] = nil
  }
}
