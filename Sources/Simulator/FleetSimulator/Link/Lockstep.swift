import Base
import Contract
import CurlTransport
import Oracle
import Scenario
import Upload
import Vocabulary

/// Virtual time in front of a real server: it stands still from the arrival of a request until its answer.
struct Lockstep {
  let transport: FleetTransport
  let latency: LatencySource
}

extension DeviceLink {
  /// Handles the arrival of a request at the server. Returns true when the app crashes then. The duration of the answer's
  /// return is modelled, or the measured one.
  mutating func arriveOutside(
    _ index: Int, _ lockstep: Lockstep, at now: Moment, under faults: FaultTimeline, in run: RunContext
  ) -> Bool {
    guard let request = exchanges[index].outside.take() else { preconditionFailure("it is sent once") }
    exchanges[index].pieces = []
    run.targetFaults?.place()
    run.earlierRun?.look(before: request, of: device, named: run.names[device], run.oracle)
    let landed = lockstep.transport.ask(request, of: device)
    if request.purpose == .records && run.faults.crash(.betweenSendAndAnswer, among: faults) { return true }
    if lockstep.latency == .measured {
      run.tell(.carried(request: request.id, landed.timings, head: landed.head), context(at: now))
    }
    switch landed.outcome {
    case .failed(let failure, _):
      let elapsed = lockstep.latency == .measured ? landed.timings.total : .zero
      // After a timeout the device waits until its own deadline, too.
      exchanges[index].advance(
        to: .failing(failure), after: failure == .timeout ? nil : elapsed, from: now.monotonic)
    case .answered(_, _, let body):
      exchanges[index].outcome = landed.outcome
      if let connection = exchanges[index].connection {
        returns(index, connection, bytes: body.count + DeviceLink.answerHeadBytes, at: now, under: faults, in: run)
      } else {
        exchanges[index].advance(to: .returning, after: landed.timings.total, from: now.monotonic)
      }
    }
    return false
  }

  /// Heads differ by date and by server; in modelled time they all count the same.
  private static let answerHeadBytes = 160
}
