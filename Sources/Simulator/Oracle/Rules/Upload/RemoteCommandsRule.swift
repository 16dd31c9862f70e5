import Base
import Contract
import Host
import Scenario
import Upload
import Vocabulary

/// I23: the commands of an answer, to any request, are executed once each and in order, the last hundred of them
/// (SDK §10.2, §10.3).
final class RemoteCommandsRule: Rule {
  override class var invariant: Invariant { .remoteCommands }
  override class var interest: Interest { [.ended, .event, .sent, .life] }

  private struct Unexecuted {
    /// Commands to be executed before anything else happens.
    var due: [Command] = []
    /// Commands of a rejected upload, which wait for the end of the refresh that it caused (SDK §11.2).
    var held: [Command] = []
  }

  /// The unexecuted commands, by device.
  private var unexecuted: [Int: Unexecuted] = [:]

  override class var absence: String { "no server sent a command" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .ended(let request, let outcome):
      guard let sent = ledger.pages[device].request(request) else { return }
      // A registration by the app is not a request of the SDK.
      if request > AppRequest.first { return }
      // An answer after the watchdog is stale and ignored (SDK §9.2). Log uploads have no watchdog.
      if sent.purpose != .log && sent.isGivenUp(at: context.now.monotonic) { return }
      expectNothingDue(context)
      take(outcome, of: sent, device)
    case .told(.commanded(let command)): judge(command, context)
    case .sent(let request) where request.purpose == .refresh:
      if let due = unexecuted[device]?.due, !due.isEmpty { unexecuted[device] = Unexecuted(held: due) }
    case .sent(let request) where request.purpose == .records:
      expectNothingDue(context)
      if let command = unexecuted.removeValue(forKey: device)?.held.first { flag(context, nil, missing(command)) }
    // An app that dies while it handles an answer loses its commands: the server does not repeat them.
    case .killed: unexecuted[device] = nil
    default: break
    }
  }

  override func close(at instant: MonotonicInstant) {
    for device in unexecuted.keys.sorted() {
      guard let rest = unexecuted[device] else { continue }
      let isRefreshing = refresh(of: device).map { !$0.isGivenUp(at: instant) } ?? false
      if let command = rest.due.first ?? (isRefreshing ? nil : rest.held.first) {
        ledger.violations.flag(.remoteCommands, device, at: instant, missing(command))
      }
    }
  }

  private func take(_ outcome: RequestOutcome, of sent: SentRequest, _ device: Int) {
    var new: [Command] = []
    if case .answered(_, reason: _, let body) = outcome, !body.isEmpty {
      new = ReceivedCommands(inBody: body.span).commands.suffix(DocumentedLimits.commandsMax)
    }
    exercised += new.count
    if sent.purpose == .refresh, let held = unexecuted[device]?.held {
      unexecuted[device] = Unexecuted(due: held + new)
    } else if !new.isEmpty {
      unexecuted[device, default: Unexecuted()].due = new
    }
  }

  private func judge(_ command: Command, _ context: EventContext) {
    let device = context.device
    if let rest = unexecuted[device], rest.due.isEmpty,
      let refresh = refresh(of: device), refresh.isGivenUp(at: context.now.monotonic)
    {
      unexecuted[device] = Unexecuted(due: rest.held)
    }
    guard let next = unexecuted[device]?.due.first else {
      return flag(context, nil, "carries out '\(command.name)', which no answer has asked for")
    }
    if next != command { flag(context, nil, "carries out '\(command.name)' where '\(next.name)' is next") }
    unexecuted[device]?.due.removeFirst()
  }

  /// Commands precede everything else that follows an answer.
  private func expectNothingDue(_ context: EventContext) {
    guard let command = unexecuted[context.device]?.due.first else { return }
    flag(context, nil, missing(command))
    unexecuted[context.device]?.due = []
  }

  private func refresh(of device: Int) -> SentRequest? {
    ledger.pages[device].open.last { $0.purpose == .refresh }
  }

  private func missing(_ command: Command) -> String { "has not carried out '\(command.name)'" }
}
