/// A toxic of toxiproxy, and the phase of a request in which it acts.
package struct Toxic: Equatable, Sendable {
  package var effect: ToxicEffect
  package var stream: ToxicStream
  package var toxicity: Double
  package var phase: ToxicPhase?
}

extension Toxic: FaultKind {
  static let key = "toxic"

  var span: FaultSpan { .state }
  /// `type` is required.
  var isEmpty: Bool { false }

  func problems(in scenario: Scenario) -> [ScenarioProblem] {
    guard let phase, !effect.hasPhase else { return [] }
    return [
      ScenarioProblem(
        "phase", "the phase \(phase.rawValue) is for latency, timeout and reset_peer", remedy: "write stream instead")
    ]
  }

  static func examples(_ draws: inout ExampleDraws) -> [String] {
    let milliseconds = draws.milliseconds
    return [
      ("latency", #""latency": \#(milliseconds), "jitter": \#(milliseconds / 4)"#),
      ("timeout", #""timeout": \#(milliseconds)"#), ("reset_peer", #""timeout": \#(milliseconds)"#),
      ("limit_data", #""bytes": \#(milliseconds / 10)"#), ("bandwidth", #""rate": \#(1 + milliseconds / 1_000)"#),
      ("slicer", #""average_size": 64, "size_variation": 32, "delay": 10"#),
    ].map { #"{ "type": "\#($0)", "attributes": { \#($1) } }"# }
  }
}

/// `{ type, stream, toxicity, phase, attributes }`.
struct ToxicSection<Attributes: ScenarioSection>: ScenarioSection {
  var stream = ToxicStream.downstream
  var toxicity = 1.0
  var phase: ToxicPhase?
  var attributes = Attributes()

  static var table: Table<Self> {
    Table(
      "\(Attributes.table.name)-fault", Attributes.table.text,
      [
        .key("stream", \.stream, .choice, "Direction of the bytes."),
        .key("toxicity", \.toxicity, .share, "Share of the connections that are affected."),
        .optional(
          "phase", \.phase, .choice, "Phase of the request in which it acts; from the start by default."),
        .key("attributes", \.attributes, .section(), "Parameters of the toxic."),
      ])
  }
}

extension ValueCodec where Value == Toxic {
  static var toxic: ValueCodec {
    variants(
      tag: "type",
      [
        variant("latency") { .latency($0) }, variant("bandwidth") { .bandwidth($0) },
        variant("slow_close") { .slowClose($0) }, variant("timeout") { .timeout($0) },
        variant("reset_peer") { .resetPeer($0) }, variant("slicer") { .slicer($0) },
        variant("limit_data") { .limitData($0) },
      ])
  }

  private static func variant<Attributes: ScenarioSection>(
    _ name: String, _ wrap: @escaping @Sendable (Attributes) -> ToxicEffect
  ) -> Variant<Toxic> {
    Variant(name) { (section: ToxicSection<Attributes>) in
      Toxic(
        effect: wrap(section.attributes), stream: section.stream, toxicity: section.toxicity, phase: section.phase)
    }
  }
}

/// The toxics of toxiproxy, with its names and units (https://github.com/Shopify/toxiproxy#toxics).
package enum ToxicEffect: Equatable, Sendable {
  case latency(LatencyToxic)
  case bandwidth(BandwidthToxic)
  case slowClose(SlowCloseToxic)
  case timeout(TimeoutToxic)
  case resetPeer(ResetPeerToxic)
  case slicer(SlicerToxic)
  case limitData(LimitDataToxic)

  fileprivate var hasPhase: Bool {
    switch self {
    case .latency, .timeout, .resetPeer: true
    case .bandwidth, .slowClose, .slicer, .limitData: false
    }
  }
}

/// Delays everything.
package struct LatencyToxic: Equatable, Sendable {
  /// The delay in milliseconds.
  package var latencyMilliseconds = 0.0
  /// Jitter in milliseconds, plus or minus.
  package var jitterMilliseconds = 0.0

  package init() {}
}

extension LatencyToxic: ScenarioSection {
  static let table = Table<LatencyToxic>(
    "toxic-latency", "Adds latency.",
    [
      .key("latency", \.latencyMilliseconds, .number(0...1e12), "Latency in milliseconds."),
      .key("jitter", \.jitterMilliseconds, .number(0...1e12), "Jitter in milliseconds, plus or minus."),
    ])
}

/// Limits the bandwidth.
package struct BandwidthToxic: Equatable, Sendable {
  /// The bandwidth in kilobytes per second.
  package var kilobytesPerSecond = 0.0

  package init() {}
}

extension BandwidthToxic: ScenarioSection {
  static let table = Table<BandwidthToxic>(
    "toxic-bandwidth", "Limits the bandwidth.",
    [
      .key("rate", \.kilobytesPerSecond, .number(0...1e12), "Kilobytes per second.")
    ])
}

/// Delays the close of connections.
package struct SlowCloseToxic: Equatable, Sendable {
  /// The delay in milliseconds.
  package var delayMilliseconds = 0.0

  package init() {}
}

extension SlowCloseToxic: ScenarioSection {
  static let table = Table<SlowCloseToxic>(
    "toxic-slow-close", "Connections close late.",
    [
      .key("delay", \.delayMilliseconds, .number(0...1e12), "How many milliseconds late.")
    ])
}

/// Blocks all bytes, then closes the connection.
package struct TimeoutToxic: Equatable, Sendable {
  /// The time until it closes, in milliseconds; 0: the end of the fault.
  package var timeoutMilliseconds = 0.0

  package init() {}
}

extension TimeoutToxic: ScenarioSection {
  static let table = Table<TimeoutToxic>(
    "toxic-timeout", "Blocks all data, then closes the connection.",
    [
      .key(
        "timeout", \.timeoutMilliseconds, .number(0...1e12),
        "After how many milliseconds it closes; 0: when the fault is over.")
    ])
}

/// Resets the connection.
package struct ResetPeerToxic: Equatable, Sendable {
  /// The time until the reset, in milliseconds; 0: at once.
  package var timeoutMilliseconds = 0.0

  package init() {}
}

extension ResetPeerToxic: ScenarioSection {
  static let table = Table<ResetPeerToxic>(
    "toxic-reset-peer", "The connection is reset.",
    [
      .key("timeout", \.timeoutMilliseconds, .number(0...1e12), "After how many milliseconds; 0: at once.")
    ])
}

/// Splits bytes into small pieces.
package struct SlicerToxic: Equatable, Sendable {
  /// The average size of a piece in bytes.
  package var averageBytes = 0.0
  /// Variation of the size in bytes, plus or minus.
  package var variationBytes = 0.0
  /// Microseconds between pieces.
  package var delayMicroseconds = 0.0

  package init() {}
}

extension SlicerToxic: ScenarioSection {
  static let table = Table<SlicerToxic>(
    "toxic-slicer", "Splits the data into small pieces.",
    [
      .key("average_size", \.averageBytes, .number(0...1e12), "How many bytes a piece has, on average."),
      .key("size_variation", \.variationBytes, .number(0...1e12), "Variation of the size in bytes, plus or minus."),
      .key("delay", \.delayMicroseconds, .number(0...1e12), "Microseconds between pieces."),
    ])
}

/// Closes the connection after a number of bytes.
package struct LimitDataToxic: Equatable, Sendable {
  /// The number of bytes.
  package var bytes = 0.0

  package init() {}
}

extension LimitDataToxic: ScenarioSection {
  static let table = Table<LimitDataToxic>(
    "toxic-limit-data", "The connection closes after some bytes.",
    [
      .key("bytes", \.bytes, .number(0...1e12), "After how many bytes.")
    ])
}

/// The phase of a request in which a toxic acts.
package enum ToxicPhase: String, CaseIterable, Sendable {
  case connect
  case afterRequestHead = "after-request-head"
  case afterRequestBody = "after-request-body"
  case inResponse = "in-response"
}

/// The direction in which a toxic acts.
package enum ToxicStream: String, CaseIterable, Sendable {
  /// From the device to the server.
  case upstream
  /// From the server to the device.
  case downstream
}
