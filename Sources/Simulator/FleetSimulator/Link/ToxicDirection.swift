import Base
import Network
import Scenario
import Upload
import World

/// The direction of a connection in which a toxic acts.
enum ToxicDirection {
  case connect, up, down

  init(of toxic: Toxic) {
    switch toxic.phase {
    case .connect: self = .connect
    case .afterRequestHead: self = .up
    case .afterRequestBody, .inResponse: self = .down
    case nil: self = toxic.stream == .upstream ? .up : .down
    }
  }
}

/// A toxic that currently acts on a connection.
struct ActingToxic {
  let toxic: Toxic
  /// The end of its fault; nil: when all faults end.
  let end: MonotonicInstant?
  /// The random stream of one request and direction.
  var draws: RandomStream
}

extension LinkTransit {
  /// A transfer in one direction of a connection.
  struct Load {
    let bytes: Int
    /// The number of head bytes among them.
    let headBytes: Int
    /// The number of bytes that went the same way before.
    let bytesBefore: Int
    /// The bandwidth of the link alone.
    let bitsPerSecond: Double
    let start: MonotonicInstant
  }

  /// Applies a toxic as toxiproxy does (https://github.com/Shopify/toxiproxy#toxics).
  mutating func apply(_ acting: ActingToxic, _ load: Load) {
    var draws = acting.draws
    switch acting.toxic.effect {
    case .latency(let latency):
      let jitter = latency.jitterMilliseconds * (2 * draws.uniform() - 1)
      delay(max(0, latency.latencyMilliseconds + jitter) / 1_000)
    case .bandwidth(let bandwidth):
      // At 0 toxiproxy does not limit.
      guard bandwidth.kilobytesPerSecond > 0 else { return }
      let bits = Double(load.bytes) * 8
      delay(max(0, bits / (bandwidth.kilobytesPerSecond * 8_000) - bits / load.bitsPerSecond))
    case .slowClose(let close): if cut != nil { delay(close.delayMilliseconds / 1_000) }
    case .timeout(let timeout):
      cutOff(through(acting.toxic, load), .incomplete)
      if timeout.timeoutMilliseconds > 0 {
        delay(timeout.timeoutMilliseconds / 1_000)
      } else if let end = acting.end {
        span = max(span ?? .zero, end - load.start)
      } else {
        span = nil
      }
    case .resetPeer(let reset):
      cutOff(through(acting.toxic, load), .reset)
      delay(reset.timeoutMilliseconds / 1_000)
    case .slicer(let slicer): slice(slicer, load, &draws)
    case .limitData(let limit):
      let left = max(0, Int(limit.bytes) - load.bytesBefore)
      if left < load.bytes { cutOff(left, .incomplete) }
    }
  }

  private mutating func delay(_ seconds: Double) {
    span = span.map { $0 + Nanoseconds(Int64(min(seconds, 1e9) * 1e9)) }
  }

  /// Cuts the transfer; the earliest of several cuts counts.
  private mutating func cutOff(_ bytes: Int, _ failure: TransportFailure) {
    if let cut, cut.bytes <= bytes { return }
    cut = (bytes, failure)
  }

  /// Returns the number of bytes that pass before a toxic ends the connection.
  private func through(_ toxic: Toxic, _ load: Load) -> Int {
    switch toxic.phase {
    case .afterRequestHead: load.headBytes
    case .inResponse: load.bytes / 2
    case .connect, .afterRequestBody, nil: 0
    }
  }

  private mutating func slice(_ slicer: SlicerToxic, _ load: Load, _ draws: inout RandomStream) {
    var left = load.bytes
    pieces = []
    while left > 0 {
      let size = slicer.averageBytes + slicer.variationBytes * (2 * draws.uniform() - 1)
      let piece = min(left, max(1, Int(min(size, 1e9).rounded())))
      pieces.append(piece)
      left -= piece
    }
    delay(Double(max(0, pieces.count - 1)) * slicer.delayMicroseconds / 1e6)
  }
}

/// The transit of bytes in one direction of a connection.
struct LinkTransit {
  /// The duration; nil: they do not arrive.
  var span: Nanoseconds?
  /// The number of bytes that arrive before the connection ends, and how it ends; nil: all arrive, and it stays open.
  var cut: (bytes: Int, failure: TransportFailure)?
  /// The sizes of the pieces in which they arrive; empty: one piece.
  var pieces: [Int] = []
}

/// The effect of toxics on transfers.
extension DeviceLink {
  /// Computes the transit in one direction of one of the device's connections. `request` selects the random draws of one request.
  mutating func transit(
    _ way: ToxicDirection, of bytes: Int, headBytes: Int = 0, through connection: LinkConnection, for request: UInt64,
    at instant: MonotonicInstant, under faults: FaultTimeline, in run: RunContext
  ) -> LinkTransit {
    let quality = quality(in: run)
    let isUpload = way != .down
    // A handshake takes one round trip (RFC 9293 §3.5).
    var transit = LinkTransit(
      span: way == .connect
        ? Nanoseconds(Int64(quality.latency * 1e9)) : quality.transfer(bytes: bytes, isUpload: isUpload, from: &stream))
    guard !faults.running.isEmpty else { return transit }
    let load = LinkTransit.Load(
      bytes: bytes, headBytes: headBytes, bytesBefore: isUpload ? connection.sentBytes : connection.receivedBytes,
      bitsPerSecond: isUpload ? quality.upBitsPerSecond : quality.downBitsPerSecond, start: instant)
    let toxics = toxics(on: connection.number, way, request, under: faults, in: run)
    // Last, because a slow close applies only if the connection closes.
    for toxic in toxics where !toxic.toxic.isSlowClose { transit.apply(toxic, load) }
    for toxic in toxics where toxic.toxic.isSlowClose { transit.apply(toxic, load) }
    return transit
  }

  private func toxics(
    on connection: UInt64, _ way: ToxicDirection, _ request: UInt64, under faults: FaultTimeline, in run: RunContext
  ) -> [ActingToxic] {
    faults.running.compactMap { spell in
      let fault = run.faults.faults[spell.fault]
      guard case .toxic(let toxic) = fault.action, ToxicDirection(of: toxic) == way else { return nil }
      guard touches(toxic, spell, fault.name, connection, in: run) else { return nil }
      let draws = FaultDraw.delay.stream(
        fault.name, seed: run.setup.seed, device: key, n: (request << 1 | (way == .down ? 1 : 0)) << 20)
      return ActingToxic(toxic: toxic, end: spell.end, draws: draws)
    }
  }

  /// Reports whether a toxic acts on a connection, by a draw for each connection.
  private func touches(
    _ toxic: Toxic, _ spell: FaultTimeline.Spell, _ name: String, _ connection: UInt64, in run: RunContext
  ) -> Bool {
    var draw = FaultDraw.toxicity.stream(
      name, seed: run.setup.seed, device: key, n: UInt64(spell.ordinal) << 32 | connection)
    return draw.chance(toxic.toxicity)
  }

  /// Closes the idle connection if a toxic resets it, too.
  mutating func resetIdleConnection(_ spell: FaultTimeline.Spell, at instant: MonotonicInstant, in run: RunContext) {
    let fault = run.faults.faults[spell.fault]
    guard case .toxic(let toxic) = fault.action, case .resetPeer = toxic.effect, toxic.phase == nil, let idleConnection,
      touches(toxic, spell, fault.name, idleConnection.number, in: run)
    else { return }
    idleConnection.serverEnd?.close(.reset, at: run.setup.moment(at: instant))
    self.idleConnection = nil
  }

  func quality(in run: RunContext) -> LinkQuality {
    var quality = (isHealed ? RadioTable.presets : run.setup.radio)[network].quality
    if isHealed { quality.loss = 0 }
    return quality
  }
}

extension Toxic {
  fileprivate var isSlowClose: Bool { if case .slowClose = effect { true } else { false } }
}
