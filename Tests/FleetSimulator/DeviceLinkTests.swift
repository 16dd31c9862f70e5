import Base
import Queue
import Scenario
import Store
import Testing
import Upload
import Vocabulary
import World

@testable import FleetSimulator

/// The link alone, without a device: bytes go to a server and come back, or do not.
@Suite struct DeviceLinkTests {
  /// A link and what is around it.
  private struct Rig {
    let site: RunContext
    var link: DeviceLink
    var now = MonotonicInstant(nanoseconds: 0)
    var ended: [(id: UInt64, outcome: RequestOutcome, at: MonotonicInstant)] = []
    private var requests: UInt64 = 0
    private let faults = FaultTimeline([])

    init(seed: UInt64 = 1, network: String = "wifi") throws {
      let setup = Runs.setup(seed: seed, Runs.parked(1, name: "parked"))
      let database = try QueueDatabase(path: ":memory:", commits: .grouped)
      site = RunContext(
        setup, to: .inside(try Runs.store()), database: database, names: setup.deviceNames, watchers: [])
      link = DeviceLink(of: 0, key: 7, seed: seed)
      link.change(to: try #require(setup.radio.network(named: network)))
    }

    mutating func send(timeout: Nanoseconds = .seconds(60)) -> UInt64 {
      requests += 1
      let request = OutgoingRequest(
        id: requests, purpose: .log, method: "POST", url: "http://server.example/locations",
        headers: [], body: Array("{\"location\":[]}".utf8), timeout: timeout)
      link.send(request, at: site.setup.moment(at: now), under: faults, in: site)
      return requests
    }

    /// Until nothing is under way.
    mutating func run() {
      while let due = link.next { pass(until: due) }
    }

    mutating func pass(until instant: MonotonicInstant) {
      while let due = link.next, due < instant { turn(at: max(now, due)) }
      turn(at: instant)
    }

    private mutating func turn(at instant: MonotonicInstant) {
      now = instant
      while let event = link.advance(to: site.setup.moment(at: now), under: faults, in: site) {
        if case .ended(let exchange, let outcome) = event { ended.append((exchange.request, outcome, now)) }
      }
    }

    mutating func drop() { link.drop(at: now, in: site) }
    mutating func reset() { link.reset(at: now, in: site) }
  }

  @Test func anAnswerTakesItsTimeAndTheNextRequestUsesTheConnection() throws {
    var rig = try Rig()
    let first = rig.send()
    #expect(rig.ended.isEmpty)
    rig.run()
    let took = rig.now
    #expect(rig.ended.map(\.id) == [first] && rig.ended[0].outcome.status == 200 && took.nanoseconds > 0)
    rig.run()
    let second = rig.send()
    rig.run()
    // Without the way there and back of a handshake.
    #expect(rig.ended.map(\.id) == [first, second] && rig.now - took < took - MonotonicInstant(nanoseconds: 0))
  }

  @Test func withoutANetworkARequestFailsAtOnce() throws {
    var rig = try Rig(network: "none")
    _ = rig.send()
    rig.run()
    #expect(rig.ended.count == 1 && rig.ended[0].outcome.status == 0 && rig.now.nanoseconds == 0)
  }

  @Test func whatOutlivesItsTimeoutFailsThen() throws {
    var rig = try Rig()
    _ = rig.send(timeout: .milliseconds(1))
    rig.run()
    guard case .failed(.timeout, _) = rig.ended.first?.outcome else { return #expect(Bool(false), "\(rig.ended)") }
    #expect(rig.now == MonotonicInstant(nanoseconds: 1_000_000))
  }

  /// Whatever comes between: a request ends once, before its deadline, or the app that sent it is gone.
  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func everyRequestEndsOnceOrIsDropped(seed: UInt64) throws {
    var rig = try Rig(seed: seed, network: "lte")
    var chance = RandomStream(seed: seed, device: 0, concern: 1 << 50)
    var open: [UInt64: MonotonicInstant] = [:]
    var seen = 0
    for _ in 0..<60 {
      switch chance.index(below: 8) {
      case 0...3:
        let timeout = Nanoseconds.milliseconds(Int64(chance.index(below: 400)) + 1)
        open[rig.send(timeout: timeout)] = rig.now + timeout
      case 4: rig.reset()
      case 5:
        rig.drop()
        open = [:]
        #expect(rig.link.next == nil)
      default: rig.pass(until: rig.now + .milliseconds(Int64(chance.index(below: 120))))
      }
      for end in rig.ended[seen...] {
        let deadline = open.removeValue(forKey: end.id)
        #expect(deadline.map { end.at <= $0 } ?? false, "request \(end.id): \(end.outcome) at \(end.at)")
      }
      seen = rig.ended.count
    }
    rig.run()
    for end in rig.ended[seen...] {
      let deadline = open.removeValue(forKey: end.id)
      #expect(deadline.map { end.at <= $0 } ?? false, "request \(end.id): \(end.outcome) at \(end.at)")
    }
    #expect(open.isEmpty, "never ended: \(open.keys.sorted())")
  }
}
