import Base
package import IngestServer
import JSON
import Store

/// Publishes records to a stream of NATS JetStream, each with its id as `Nats-Msg-Id`, by which the stream knows repetitions
/// (https://docs.nats.io/nats-concepts/jetstream/headers). Many are under way at once, of each device one.
package final class JetStreamSink: ForwardSink {
  /// Where the stream is.
  package struct Settings: Sendable {
    /// `host:port`, tried in turn.
    package let hosts: [String]
    /// The first tokens of all subjects.
    package let prefix: String
    package var isSecure = false
    package var token: String?
    /// A file in PEM form, nil for those of the system.
    package var authorities: String?

    package init(hosts: [String], prefix: String) { (self.hosts, self.prefix) = (hosts, prefix) }
  }

  private let settings: Settings
  private let clock = SystemClock()
  private let end = EndOfSending {}
  private var connection: NATSConnection?
  private var attempts = 0
  /// Why there is no connection.
  private var failure = ""
  /// Numbers of acknowledgements are not used again: a late one must not be taken for that of another message.
  private var base: Int64 = 0
  /// Acknowledged by the stream and sent again by its caller, because others in front of them were not.
  private var settled: Set<String> = []

  private static let patience = Nanoseconds.seconds(10)
  private static let pollMilliseconds: Int64 = 100

  package init(_ settings: Settings) throws(SinkFailure) {
    guard NATSConnection.isLibraryThere else {
      throw SinkFailure(
        "NATS takes its client library, libnats: install the package libnats3.4 (or newer: libnats3.7t64)")
    }
    self.settings = settings
  }

  /// The sink as a server is told of it.
  package static func target(_ name: String, _ place: String, _ settings: Settings, records: Int) -> ForwardTarget {
    ForwardTarget(
      name: name, place: place,
      portion: ForwardTarget.Portion(records: records, bytes: 4 << 20, age: .milliseconds(10))
    ) { () throws(SinkFailure) in try JetStreamSink(settings) }
  }

  package var interrupt: @Sendable () -> Void {
    { [end] in end.begin() }
  }

  package func send(_ messages: ArraySlice<ForwardMessage>) -> SinkAnswer {
    var window = PublishWindow(messages, without: settled)
    let reason = connect().flatMap { publish(messages, through: $0, &window) } ?? failure
    base += Int64(messages.count)
    let taken = window.taken
    settled =
      taken == messages.count
      ? [] : Set(window.acknowledged(behind: taken).map { messages[messages.startIndex + $0].id })
    guard taken < messages.count else { return SinkAnswer(taken: taken) }
    return SinkAnswer(taken: taken, window.trouble(at: taken) ?? .later(reason: reason))
  }

  private func connect() -> NATSConnection? {
    if let connection { return connection }
    let host = settings.hosts[attempts % settings.hosts.count]
    attempts += 1
    do throws(NATSConnection.Failure) {
      let made = try NATSConnection(
        to: (settings.isSecure ? "tls://" : "nats://") + host, token: settings.token,
        certifiedAs: settings.isSecure ? String(host.prefix { $0 != ":" }) : nil, authorities: settings.authorities)
      connection = made
      return made
    } catch {
      failure = "\(host): \(error.message)"
      return nil
    }
  }

  /// Nil when each message has its answer; else why it ended before.
  private func publish(
    _ messages: ArraySlice<ForwardMessage>, through connection: NATSConnection, _ window: inout PublishWindow
  ) -> String? {
    var heard = clock.monotonicNow
    while true {
      while let place = window.next() {
        let message = messages[messages.startIndex + place]
        switch connection.publish(message, to: subject(of: message.arrival.device), number: base + Int64(place)) {
        case .done: break
        case .tooLarge: window.fail(place, .refused(count: 1, reason: "larger than the server's max_payload"))
        case .failed: return giveUp(connection.error)
        }
      }
      guard window.isWaiting else { return nil }
      switch connection.next(milliseconds: JetStreamSink.pollMilliseconds) {
      case .failed: return giveUp(connection.error)
      case .nothing:
        let now = clock.monotonicNow
        let isOver = end.instant.map { now >= $0 } ?? false
        if isOver || now - heard >= JetStreamSink.patience {
          return giveUp("no acknowledgement within \(JetStreamSink.patience.wholeMilliseconds / 1_000) s")
        }
      case .unheard: return giveUp("no stream has the subjects \(settings.prefix).>")
      case .answer(let number, let bytes):
        heard = clock.monotonicNow
        let place = Int(number - base)
        if messages.indices.contains(messages.startIndex + place), place >= 0 {
          window.settle(place, JetStreamSink.trouble(in: bytes))
        }
      }
    }
  }

  /// What was sent over a connection that is given up may be acknowledged on it still: it is not used any more.
  private func giveUp(_ reason: String) -> String {
    connection = nil
    failure = reason
    return reason
  }

  /// The error code of a message that is larger than its stream allows (nats-server, `errors.json`).
  private static let tooLarge: Int64 = 10_054

  /// Nil for an acknowledgement (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
  static func trouble(in answer: [UInt8]) -> SinkTrouble? {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: answer.span) } catch {
      return .later(reason: "an answer that is none of a stream")
    }
    guard let error = value["error"] else {
      return value["seq"] == nil ? .later(reason: "an answer that is none of a stream") : nil
    }
    var reason = "refused by the stream"
    if case .string(let text)? = error["description"] { reason = text }
    if case .integer(tooLarge)? = error["err_code"] { return .refused(count: 1, reason: reason) }
    return .later(reason: reason)
  }

  private func subject(of device: DeviceIdentity) -> String {
    settings.prefix + "." + JetStreamSink.token(device.run) + "." + JetStreamSink.token(device.name)
  }

  /// A part of a subject that may be any text: letters, digits, `_` and `-` stand for themselves, other bytes become `%HH`. An empty
  /// text is `-` (https://docs.nats.io/nats-concepts/subjects).
  static func token(_ text: String) -> String {
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
