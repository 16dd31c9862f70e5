import Base
import Store

/// A connection to a system that acknowledges each message by its number.
protocol StreamConnection: AnyObject {
  /// Messages are stored together, so that one may be refused because of others. Else each is refused for itself.
  static var storesTogether: Bool { get }

  func publish(_ message: ForwardMessage, number: Int64) -> StreamSending
  /// Waits for what comes next.
  func next(milliseconds: Int64) -> StreamArrival
  /// What went wrong last.
  var error: String { get }
}

/// What became of an attempt to send a message.
enum StreamSending: Equatable {
  case done
  /// It will be refused whenever it is sent.
  case tooLarge(reason: String)
  /// The connection cannot be used any more; its `error` says why.
  case failed
}

/// What comes back over a connection to a stream.
enum StreamArrival: Equatable {
  /// Of the message with this number: acknowledged, or what is the matter with it.
  case answer(number: Int64, SinkRejection?)
  case nothing
  /// The connection cannot be used any more.
  case failed(reason: String)
}

/// Why there is no connection, or why a stream cannot be read.
package struct StreamFailure: Error {
  package let message: String
}

/// Publishes records as messages of their own. Many are under way at once, of each device one, so that nothing overtakes whatever
/// fails.
final class StreamSink<Connection: StreamConnection>: ForwardSink {
  private let open: (_ attempt: Int) throws(StreamFailure) -> Connection
  private let clock = SystemClock()
  private let end = EndOfSending {}
  private var connection: Connection?
  private var attempts = 0
  /// Why there is no connection.
  private var failure = ""
  /// Numbers of acknowledgements are not used again: a late one must not be taken for that of another message.
  private var base: Int64 = 1
  /// Acknowledged by the stream and sent again by its caller, because others in front of them were not.
  private var settled: Set<String> = []

  /// How long it waits for the next acknowledgement.
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
      // Which of them it was shows when fewer are sent.
      trouble = .refused(count: messages.count - taken, reason: reason)
    }
    // It may have failed for good. All that was sent has its answer, or is given up.
    if case .later = trouble { connection = nil }
    return SinkAnswer(taken: taken, trouble)
  }

  private func connect() -> Connection? {
    if let connection { return connection }
    defer { attempts += 1 }
    do throws(StreamFailure) { connection = try open(attempts) } catch { failure = error.message }
    return connection
  }

  /// Nil when each message has its answer; else why it ended before.
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
        let place = Int(number - base)
        if messages.indices.contains(messages.startIndex + place), place >= 0 { window.settle(place, trouble) }
      }
    }
  }

  private func silence(of connection: Connection) -> String {
    let milliseconds = patience.wholeMilliseconds
    let time = milliseconds < 1_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000) s"
    let silence = "no acknowledgement within \(time)"
    return connection.error.isEmpty ? silence : "\(silence): \(connection.error)"
  }

  /// What was sent over a connection that is given up may be acknowledged on it still: it is not used any more.
  private func giveUp(_ reason: String) -> String {
    connection = nil
    failure = reason
    return reason
  }
}

extension ForwardTarget {
  /// Each record goes by itself: fewer are kept back for a moment only.
  init(
    stream name: String, _ place: String, records: Int,
    open: @escaping @Sendable () throws(SinkError) -> any ForwardSink
  ) {
    self.init(
      name: name, place: place, portion: Portion(records: records, bytes: 4 << 20, age: .milliseconds(10)), open: open)
  }
}
