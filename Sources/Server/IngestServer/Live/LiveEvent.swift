/// Something that happened, as the live stream tells it.
package struct LiveEvent: Sendable {
  /// The `event` of the stream.
  enum Kind: String, Sendable {
    case records, commands, token, fault
  }

  let kind: Kind
  let run: String
  /// Empty where it concerns no one device.
  let device: String
  /// One JSON object.
  let data: [UInt8]
  /// Counts the events of a server; set by the hub.
  var number: UInt64 = 0

  var byteCount: Int { data.count + 64 }
}

/// Which events somebody wants. What is nil does not matter.
struct EventFilter: Sendable {
  var run: String?
  var device: String?

  func takes(_ event: LiveEvent) -> Bool {
    (run == nil || run == event.run) && (device == nil || device == event.device)
  }
}
