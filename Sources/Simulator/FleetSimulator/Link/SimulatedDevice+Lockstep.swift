import Base
import CurlTransport
import Scenario
import Upload
import Vocabulary

/// Virtual time in front of a real server: it stands still from the moment a request is there until its answer has come.
struct Lockstep {
  let carrier: Carrier
  let latency: LatencySource
}

extension SimulatedDevice {
  /// The request is at the server. What the answer takes to come back is modelled, or what it took in truth.
  mutating func arriveOutside(_ index: Int, _ lockstep: Lockstep, at now: Moment, in site: Site) {
    guard let request = exchanges[index].outside.take() else { preconditionFailure("it is sent once") }
    exchanges[index].pieces = []
    site.targetFaults?.place()
    let landed = lockstep.carrier.ask(request, of: number)
    if request.purpose == .records && crashes(.betweenSendAndAnswer, in: site) {
      return crash(at: now.monotonic, in: site)
    }
    if lockstep.latency == .measured {
      site.tell(.carried(request: request.id, landed.timings, head: landed.head), sighting(at: now))
    }
    switch landed.outcome {
    case .failed(let failure, _):
      let elapsed = lockstep.latency == .measured ? landed.timings.total : .zero
      // What was waited for in vain the device waits for in its own time, too.
      exchanges[index].advance(
        to: .failing(failure), after: failure == .timeout ? nil : elapsed, from: now.monotonic)
    case .answered(_, _, let body):
      exchanges[index].outcome = landed.outcome
      if let line = exchanges[index].line {
        returns(index, line, bytes: body.count + SimulatedDevice.answerHeadBytes, at: now, in: site)
      } else {
        exchanges[index].advance(to: .returning, after: landed.timings.total, from: now.monotonic)
      }
    }
  }

  /// Heads differ from second to second by their date, and from server to server: in modelled time they all count as much.
  private static let answerHeadBytes = 160
}
