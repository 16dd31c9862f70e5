import Base
import Contract
import Engine
import Host
import Upload
import Vocabulary

extension Drive {
  /// What the phone has now.
  var network: Connectivity { isInTunnel || isInAirplaneMode ? .none : radio }

  /// Tells the app, and ends what was under way: connections belong to an interface.
  mutating func changeNetwork(at now: Moment) {
    let current = network
    guard current != connectivity else { return }
    connectivity = current
    for id in inFlight.keys.sorted() { giveUp(id, "the network has changed", at: now) }
    if isRunning { host.receive(.connectivity(current), at: now) }
  }

  private mutating func giveUp(_ id: UInt64, _ message: String, at now: Moment) {
    inFlight[id] = nil
    orders.append(.cancel(id))
    lines.append(.note("request \(id) has ended: \(message)"))
    if isRunning { host.answer(id, .failed(.reset, message: message), at: now) }
  }

  /// Forgets what the process had under way, which dies with it.
  mutating func dropRequests() {
    for id in inFlight.keys.sorted() { orders.append(.cancel(id)) }
    inFlight = [:]
    host.platform.outbox = []
    host.platform.cancelled = []
  }

  mutating func post(at now: Moment) {
    for id in host.platform.cancelled where inFlight.removeValue(forKey: id) != nil { orders.append(.cancel(id)) }
    host.platform.cancelled = []
    let requests = host.platform.outbox
    host.platform.outbox = []
    for request in requests {
      inFlight[request.id] = request
      lines.append(.sent(request))
      orders.append(.send(request))
    }
  }
}
