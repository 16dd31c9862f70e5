import Base
import Store

/// A connection to a system that acknowledges each message by its number.
protocol StreamConnection: AnyObject {
  /// Whether messages are stored together, so that one may be refused because of others. Otherwise each is refused
  /// individually.
  static var storesTogether: Bool { get }

  func publish(_ message: ForwardMessage, number: Int64) -> StreamSending
  /// Waits for the next arrival.
  func next(milliseconds: Int64) -> StreamArrival
  /// The last error.
  var error: String { get }
}

/// The result of sending a message.
enum StreamSending: Equatable {
  case done
  /// It would be refused at every attempt.
  case tooLarge(reason: String)
  /// The connection is unusable; its `error` tells why.
  case failed
}

/// An arrival on a connection to a stream.
enum StreamArrival: Equatable {
  /// The answer to the message with this number: nil if acknowledged, otherwise the trouble.
  case answer(number: Int64, SinkRejection?)
  case nothing
  /// The connection is unusable.
  case failed(reason: String)
}

/// Why there is no connection, or why a stream cannot be read.
package struct StreamFailure: Error {
  package let message: String
}

/// Publishes records as single messages. Many are in flight at once, but one per device, so that nothing overtakes whatever
/// fails.
final class StreamSink<Connection: StreamConnection>: ForwardSink {
  private let open: (_ attempt: Int) throws(StreamFailure) -> Connection
  private let clock = SystemClock()
  private let end = EndOfSending {}
  private var connection: Connection?
  private var attempts = 0
  /// Why there is no connection.
  private var failure = ""
  /// Numbers of acknowledgements are not reused: a late one must not be taken for that of another message.
  private var base: Int64 = 1
  /// The ids of messages that the stream has acknowledged and that the caller sends again, because earlier ones were not
  /// acknowledged.
  private var settled: Set<String> = []

  /// How long to wait for the next acknowledgement.
  private let patience: Nanoseconds
  private var pollMilliseconds: Int64 { 100 }

  init(
    patience: Nanoseconds = .seconds(10), open: @escaping (_ attempt: Int) throws(StreamFailure) -> Connection
  ) {
    (self.patience, self.open) = (patience, open)
  }

  var interrupt: @Sendable () -> Void {
    { [end] in end.begin() }
  }

  func send(_ messages: ArraySlice<ForwardMessage>) -> SinkAnswer {
    var window = PublishWindow(messages, without: settled)
    let reason = connect().flatMap { publish(messages, through: $0, &window) } ?? failure
    base += Int64(messages.count)
    let taken = window.taken
    settled =
      taken == messages.count
      ? [] : Set(window.acknowledged(behind: taken).map { messages[messages.startIndex + $0].id })
    guard taken < messages.count else { return SinkAnswer(taken: taken) }
    var trouble = window.trouble(at: taken) ?? .later(reason: reason)
    if Connection.storesTogether, case .refused(_, let reason) = trouble {
      // Sending fewer messages shows which of them it was.
      trouble = .refused(count: messages.count - taken, reason: reason)
    }
    // It may be broken. Everything that was sent has its answer, or is given up.
    if case .later = trouble { connection = nil }
    return SinkAnswer(taken: taken, trouble)
  }

  private func connect() -> Connection? {
    if let connection { return connection }
    defer { attempts += 1 }
    do throws(StreamFailure) { connection = try open(attempts) } catch { failure = error.message }
    return connection
  }

  /// Returns nil when each message has its answer; otherwise why it ended early.
  private func publish(
    _ messages: ArraySlice<ForwardMessage>, through connection: Connection, _ window: inout PublishWindow
  ) -> String? {
    var heard = clock.monotonicNow
    while true {
      while let place = window.next() {
        switch connection.publish(messages[messages.startIndex + place], number: base + Int64(place)) {
        case .done: break
        case .tooLarge(let reason): window.settle(place, .refused(count: 1, reason: reason))
        case .failed: return giveUp(connection.error)
        }
      }
      guard window.isWaiting else { return nil }
      switch connection.next(milliseconds: pollMilliseconds) {
      case .failed(let reason): return giveUp(reason)
      case .nothing:
        let now = clock.monotonicNow
        let isOver = end.instant.map { now >= $0 } ?? false
        if isOver || now - heard >= patience { return giveUp(silence(of: connection)) }
      case .answer(let number, let trouble):
        heard = clock.monotonicNow
        if number >= base, number - base < messages.count { window.settle(Int(number - base), trouble) }
      }
    }
  }

  private func silence(of connection: Connection) -> String {
    let milliseconds = patience.wholeMilliseconds
    let time = milliseconds < 1_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000) s"
    let silence = "no acknowledgement within \(time)"
    return connection.error.isEmpty ? silence : "\(silence): \(connection.error)"
  }

  /// Closes the connection: messages sent over it may still be acknowledged on it.
  private func giveUp(_ reason: String) -> String {
    connection = nil
    failure = reason
    return reason
  }
}

extension ForwardTarget {
  /// Each record is sent individually, so a smaller batch waits only briefly.
  init(
    stream name: String, _ place: String, records: Int,
    open: @escaping @Sendable () throws(SinkError) -> any ForwardSink
  ) {
    self.init(
      name: name, place: place, portion: Portion(records: records, bytes: 4 << 20, age: .milliseconds(10)), open: open)
  }
}
