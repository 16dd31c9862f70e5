import Base
import Store
import Testing

@testable import IngestServer
@testable import Network

/// A proxy in virtual time: what a loop does with sockets is done here with arrays, by the same rules.
final class VirtualProxy {
  /// One connection: to the client, or to the upstream.
  final class End {
    let session: ProxyEnd
    let token: ConnectionToken
    /// What the other side has sent and the session has not taken.
    fileprivate(set) var input: [UInt8] = []
    /// What the session has sent.
    fileprivate(set) var sent: [UInt8] = []
    /// What the kernel has not taken yet.
    fileprivate(set) var unsent: [UInt8] = []
    /// How many bytes the other side takes.
    var room = Int.max
    fileprivate var isConnected: Bool
    fileprivate var sawEnd = false
    fileprivate var toldEnd = false
    fileprivate(set) var ending = SessionWishes.Ending.open
    fileprivate(set) var isGone = false

    fileprivate init(_ session: ProxyEnd, _ token: ConnectionToken, isConnected: Bool) {
      (self.session, self.token, self.isConnected) = (session, token, isConnected)
    }

    var text: String { String(decoding: sent, as: UTF8.self) }
    /// Bytes that are in memory for this connection.
    var held: Int { input.count + unsent.count }

    func takeText() -> String {
      defer { sent = [] }
      return text
    }
  }

  let server: InProcessServer
  let context: ProxyContext
  let peers = LoopPeers<ProxyEnd>()
  let pool: UpstreamPool
  private let scratch = ProxyScratch()
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  private(set) var upstreams: [End] = []
  private var ends: [ConnectionToken: End] = [:]
  private var place: UInt32 = 0
  /// The upstream takes connections at once.
  var acceptsConnections = true
  private static let unsentMax = 65_536
  private static let inputMax = 65_536

  init(upstream: String = "http://backend:3000", keepsHost: Bool = false, judge: (any AnswerJudge)? = nil) throws {
    let server = InProcessServer(store: try SQLiteStore(StoreConfiguration(folder: ":memory:")))
    server.now = WallInstant(millisecondsSince1970: 1_785_264_000_000)
    self.server = server
    context = ProxyContext(
      server.context, target: try UpstreamTarget(parsing: upstream), name: ProxyName("rollingroad"),
      keepsHost: keepsHost,
      bodyBytesMax: 10_485_760, judge: judge)
    pool = UpstreamPool(peers, to: SocketAddress(host: .v4(0x7F00_0001), port: 3_000), limits: context.limits)
  }

  func connect() -> End {
    let token = nextToken()
    let end = End(
      ProxySession(context, scratch: scratch, pool: pool, token: token), token, isConnected: true)
    ends[token] = end
    return end
  }

  private func nextToken() -> ConnectionToken {
    place += 1
    return ConnectionToken(word: UInt64(place))
  }

  /// The connection to the upstream that was opened last.
  var upstream: End {
    get throws { try #require(upstreams.last, "the proxy has opened a connection") }
  }
}

/// What the two sides do.
extension VirtualProxy {
  func send(_ text: String, to end: End) { send(Array(text.utf8), to: end) }

  func send(_ bytes: [UInt8], to end: End) {
    guard !end.isGone else { return }
    end.input += bytes
    advance(end)
    settle()
  }

  /// The other side has ended its output.
  func finish(_ end: End) {
    end.sawEnd = true
    advance(end)
    settle()
  }

  /// The other side is gone.
  func close(_ end: End, _ reason: CloseReason = .reset) {
    remove(end, reason)
    settle()
  }

  func accept(_ end: End) {
    end.isConnected = true
    call(end) { $0.connected(&$1) }
    advance(end)
    settle()
  }

  func refuse(_ end: End) {
    end.session.connectFailed(SystemError(call: "connect", code: 111))
    remove(end, .connectFailed)
    settle()
  }

  /// The other side takes so many bytes more.
  func give(_ end: End, room: Int) {
    end.room = room
    drain(end)
    advance(end)
    settle()
  }

  /// Lets alarms ring until the time has passed.
  func pass(_ time: Nanoseconds) {
    let end = now + time
    while let due = ends.values.compactMap({ $0.session.wishes.alarm }).min(), due <= end {
      now = max(now, due)
      for connection in ends.values.sorted(by: { $0.token.word < $1.token.word }) {
        guard !connection.isGone, let alarm = connection.session.wishes.alarm, alarm <= now else { continue }
        call(connection) { $0.alarmFired(&$1) }
        advance(connection)
      }
      settle()
    }
    now = end
  }
}

/// What the loop does.
extension VirtualProxy {
  private func call(_ end: End, _ body: (ProxyEnd, inout SessionOutput) -> Void) {
    var output = SessionOutput(now: now, unsentMax: Self.unsentMax)
    output.unsentBefore = end.unsent.count
    body(end.session, &output)
    end.unsent += output.bytes
    drain(end)
  }

  private func drain(_ end: End) {
    let count = min(end.room, end.unsent.count)
    guard count > 0 else { return }
    end.sent += end.unsent[..<count]
    end.unsent.removeFirst(count)
    if end.room != .max { end.room -= count }
  }

  private func takesInput(_ end: End) -> Bool {
    end.isConnected && !end.isGone && end.session.wishes.wantsInput && end.session.wishes.ending == .open
      && end.unsent.count <= Self.unsentMax
  }

  func advance(_ end: End) {
    var mayOffer = true
    while !end.isGone {
      if mayOffer, takesInput(end), !end.input.isEmpty {
        var taken = 0
        let shown = min(end.input.count, Self.inputMax)
        let input = end.input
        call(end) { taken = $0.receive(input.span.extracting(first: shown), &$1) }
        end.input.removeFirst(taken)
        mayOffer = taken > 0
      } else if takesInput(end), end.sawEnd, end.input.isEmpty, !end.toldEnd {
        end.toldEnd = true
        call(end) { $0.inputEnded(&$1) }
      } else if end.session.wishes.hasMoreOutput, end.session.wishes.ending == .open,
        end.unsent.count <= Self.unsentMax / 2
      {
        let before = end.sent.count + end.unsent.count
        call(end) { $0.produce(&$1) }
        #expect(
          end.sent.count + end.unsent.count > before || !end.session.wishes.hasMoreOutput,
          "a session with more output writes some when asked")
      } else {
        break
      }
    }
    conclude(end)
  }

  private func conclude(_ end: End) {
    guard !end.isGone else { return }
    end.ending = end.session.wishes.ending
    switch end.ending {
    case .open:
      if end.toldEnd, end.unsent.isEmpty, end.session.wishes.phase != .answering { remove(end, .clientClosed) }
    case .afterOutput: remove(end, .finished)
    case .atOnce, .reset: remove(end, .aborted)
    }
  }

  private func remove(_ end: End, _ reason: CloseReason) {
    guard !end.isGone else { return }
    end.isGone = true
    ends[end.token] = nil
    end.session.closed(reason, now: now)
  }

  private func settle() {
    while let request = peers.next() {
      switch request {
      case .nudge(let token):
        guard let end = ends[token] else { continue }
        call(end) { $0.nudged(&$1) }
        advance(end)
      case .open(_, let makeSession):
        let token = nextToken()
        let end = End(makeSession(token), token, isConnected: false)
        ends[token] = end
        upstreams.append(end)
        if acceptsConnections {
          end.isConnected = true
          call(end) { $0.connected(&$1) }
          advance(end)
        }
      }
    }
  }
}
