package import Base

/// A link that stays as it is.
package struct Link: Equatable, Sendable {
  package var latency = Nanoseconds.milliseconds(50)
  package var jitter = Nanoseconds.zero
  /// 0: nothing comes through.
  package var downBitsPerSecond = 10e6
  package var upBitsPerSecond = 10e6
  package var loss = 0.0
  package var type = ConnectionType.cellular

  package init() {}
}

extension Link: ScenarioSection {
  static let table = Table<Link>(
    "link", "A network that stays as it is.",
    [
      .key("latency", \.latency, .duration, "From the device to the server and back."),
      .key("jitter", \.jitter, .duration, "How much the latency varies."),
      .key("down", \.downBitsPerSecond, .quantity(.rate), "From the server to the device; 0: nothing comes through."),
      .key("up", \.upBitsPerSecond, .quantity(.rate), "From the device to the server; 0: nothing comes through."),
      .key("loss", \.loss, .share, "The share of packets that have to be sent again."),
      .key("connectionType", \.type, .choice, "What the phone says its network is."),
    ])
}
