import Base
import Scenario
import Upload
import World

/// On which way through a connection a toxic acts.
enum ToxicWay {
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

/// A toxic that touches a connection now.
struct ActingToxic {
  let toxic: Toxic
  /// When its fault is over; nil: not before everything is healed.
  let end: MonotonicInstant?
  /// Its chances for one request and one way.
  var draws: RandomStream
}

extension Passage {
  /// What is to pass one way through a connection.
  struct Load {
    let bytes: Int
    /// How many of them are the head.
    let headBytes: Int
    /// How many have gone the same way before.
    let bytesBefore: Int
    /// Of the link alone.
    let bitsPerSecond: Double
    let start: MonotonicInstant
  }

  /// As toxiproxy does it (https://github.com/Shopify/toxiproxy#toxics).
  mutating func meet(_ acting: ActingToxic, _ load: Load) {
    var draws = acting.draws
    switch acting.toxic.effect {
    case .latency(let latency):
      let jitter = latency.jitterMilliseconds * (2 * draws.uniform() - 1)
      delay(max(0, latency.latencyMilliseconds + jitter) / 1_000)
    case .bandwidth(let bandwidth):
      // At 0 toxiproxy lets everything through.
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

  /// The earliest of several cuts counts.
  private mutating func cutOff(_ bytes: Int, _ failure: TransportFailure) {
    if let cut, cut.bytes <= bytes { return }
    cut = (bytes, failure)
  }

  /// How many bytes pass before a toxic that ends the connection acts.
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
