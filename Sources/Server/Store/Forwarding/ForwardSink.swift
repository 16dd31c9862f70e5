package import Base

/// Where records go on to. One thread owns it.
package protocol ForwardSink: AnyObject {
  /// Sends messages in their order and waits for what becomes of them. Messages of a device are taken in that order, whatever
  /// fails: none is sent before the one in front of it is acknowledged or given back.
  func send(_ messages: ArraySlice<ForwardMessage>) -> SinkAnswer

  /// Ends a `send` that waits, from any thread: what has an answer within a moment is still taken. No further one is made.
  var interrupt: @Sendable () -> Void { get }
}

/// What became of messages that were sent together.
package struct SinkAnswer: Equatable, Sendable {
  /// So many of the first are acknowledged.
  package var taken: Int
  /// What is the matter with those behind; nil when there are none.
  package var trouble: SinkRejection?

  package init(taken: Int, _ trouble: SinkRejection? = nil) { (self.taken, self.trouble) = (taken, trouble) }
}

/// Why a message is not taken.
package enum SinkRejection: Equatable, Sendable {
  /// The sink takes nothing at the moment: it is not there, busy, or not set up. It may say how long that will last.
  case later(after: Nanoseconds? = nil, reason: String)
  /// So many messages together were refused, and would be again.
  case refused(count: Int, reason: String)
}

/// A record on its way to a sink.
package struct ForwardMessage: Sendable {
  package let arrival: ArrivedRecord
  /// The same whenever the record is sent: receivers know a repetition by it.
  package let id: String
  /// JSON by `openapi/forwarded-record.schema.json`.
  package let body: [UInt8]

  package init(_ arrival: ArrivedRecord, id: String, body: [UInt8]) {
    (self.arrival, self.id, self.body) = (arrival, id, body)
  }

  /// A part of an id, or of a subject of NATS, that may be any text: letters, digits, `_` and `-` stand for themselves, other bytes become `%HH`. An empty
  /// text is `-` (https://docs.nats.io/nats-concepts/subjects).
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
  /// Under which the store keeps how far it has come.
  package let name: String
  /// For people: the URL.
  package let place: String
  /// How much is sent together.
  package let portion: Portion
  package let open: @Sendable () throws(SinkError) -> any ForwardSink

  package init(
    name: String, place: String, portion: Portion,
    open: @escaping @Sendable () throws(SinkError) -> any ForwardSink
  ) {
    (self.name, self.place, self.portion, self.open) = (name, place, portion, open)
  }

  /// How much at once.
  package struct Portion: Sendable {
    package var records: Int
    /// Of the records' JSON; a longer one goes alone.
    package var bytes: Int
    /// How long fewer records are kept back, for others to come.
    package var age: Nanoseconds

    package init(records: Int, bytes: Int, age: Nanoseconds) {
      (self.records, self.bytes, self.age) = (records, bytes, age)
    }
  }
}

/// Why a sink cannot be used at all, with the remedy.
package struct SinkError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
