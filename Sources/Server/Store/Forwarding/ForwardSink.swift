package import Base

/// A destination of forwarded records. One thread owns it.
package protocol ForwardSink: AnyObject {
  /// Sends messages in order and waits for the results. The order of a device's messages is kept whatever fails: none is sent
  /// before its predecessor was acknowledged or given back.
  func send(_ messages: ArraySlice<ForwardMessage>) -> SinkAnswer

  /// Interrupts a waiting `send`, from any thread: answers that arrive within a moment are still taken, and nothing further is
  /// sent.
  var interrupt: @Sendable () -> Void { get }
}

/// The result of sending messages together.
package struct SinkAnswer: Equatable, Sendable {
  /// How many of the first messages are acknowledged.
  package var taken: Int
  /// Why the rest is not; nil when all are.
  package var trouble: SinkRejection?

  package init(taken: Int, _ trouble: SinkRejection? = nil) { (self.taken, self.trouble) = (taken, trouble) }
}

/// Why a sink did not accept a message.
package enum SinkRejection: Equatable, Sendable {
  /// The sink accepts nothing now: it is unreachable, busy, or not set up. It may say how long to wait.
  case later(after: Nanoseconds? = nil, reason: String)
  /// The first `count` messages were refused, and would be again.
  case refused(count: Int, reason: String)
}

/// A record on its way to a sink.
package struct ForwardMessage: Sendable {
  package let arrival: ArrivedRecord
  /// The same at every attempt, so that receivers can detect repetitions.
  package let id: String
  /// JSON as `openapi/forwarded-record.schema.json` defines it.
  package let body: [UInt8]

  package init(_ arrival: ArrivedRecord, id: String, body: [UInt8]) {
    (self.arrival, self.id, self.body) = (arrival, id, body)
  }

  /// Encodes any text as a part of an id or of a NATS subject: letters, digits, `_` and `-` stand for themselves, other bytes
  /// become `%HH`. An empty text becomes `-` (https://docs.nats.io/nats-concepts/subjects).
  package static func token(_ text: String) -> String {
    if text.isEmpty { return "-" }
    if text == "-" { return "%2D" }
    var token: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        token.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        token += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: token, as: UTF8.self)
  }
}

/// A sink as it is configured.
package struct ForwardTarget: Sendable {
  /// The name under which the store keeps the sink's position.
  package let name: String
  /// The URL, in a form for people.
  package let place: String
  /// The size of a batch.
  package let portion: Portion
  package let open: @Sendable () throws(SinkError) -> any ForwardSink

  package init(
    name: String, place: String, portion: Portion,
    open: @escaping @Sendable () throws(SinkError) -> any ForwardSink
  ) {
    (self.name, self.place, self.portion, self.open) = (name, place, portion, open)
  }

  /// The size of a batch.
  package struct Portion: Sendable {
    package var records: Int
    /// The limit for the JSON of the records; a longer record is sent alone.
    package var bytes: Int
    /// How long a smaller batch waits for more records.
    package var age: Nanoseconds

    package init(records: Int, bytes: Int, age: Nanoseconds) {
      (self.records, self.bytes, self.age) = (records, bytes, age)
    }
  }
}

/// Why a sink is unusable, with the remedy.
package struct SinkError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
