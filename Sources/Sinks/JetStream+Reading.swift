import Base
import JSON

/// Reads a stream by its sequence numbers, which leaves no state in it, unlike a consumer
/// (https://docs.nats.io/reference/reference-protocols/nats_api_reference).
extension JetStream {
  /// The maximum number of requests in flight.
  private static let window: Int64 = 128
  /// The error code for a missing message: messages can also be deleted from the middle of a stream.
  private static let noMessage: Int64 = 10_037
  private static let patience: Int64 = 10_000

  func read(_ take: (_ message: [UInt8]) -> Void) throws(StreamFailure) {
    let connection = try connected()
    let names = try streams(over: connection)
    guard !names.isEmpty else { throw StreamFailure(message: "no stream has the subjects \(prefix).>") }
    // Streams share no subjects, and the messages of a device have one.
    for case .string(let name) in names { try read(name, over: connection, take) }
  }

  /// Asks page by page for the names of the streams: an answer has 1,024 of them at most.
  private func streams(over connection: NATSConnection) throws(StreamFailure) -> [JSONValue] {
    var names: [JSONValue] = []
    while true {
      let question = #"{"subject":"\#(prefix).>","offset":\#(names.count)}"#
      let answer = try ask(connection, "$JS.API.STREAM.NAMES", question)
      guard case .array(let page)? = answer["streams"], !page.isEmpty else { return names }
      names += page
      guard case .integer(let total)? = answer["total"], Int64(names.count) < total else { return names }
    }
  }

  private func connected() throws(StreamFailure) -> NATSConnection {
    guard NATSConnection.isLibraryThere else { throw StreamFailure(message: JetStream.missingLibrary) }
    var failure = StreamFailure(message: "no host")
    for host in hosts {
      do throws(StreamFailure) { return try NATSConnection(to: self, at: host) } catch { failure = error }
    }
    throw failure
  }

  private func read(
    _ name: String, over connection: NATSConnection, _ take: (_ message: [UInt8]) -> Void
  ) throws(StreamFailure) {
    let state = try ask(connection, "$JS.API.STREAM.INFO.\(name)", "")["state"]
    guard case .integer(let first)? = state?["first_seq"], case .integer(let last)? = state?["last_seq"] else {
      throw StreamFailure(message: "the server does not report the last message of the stream \(name)")
    }
    // A stream that never had a message begins with 0, which is no message's number.
    var (asked, next) = (max(1, first), max(1, first))
    var early: [Int64: JSONValue] = [:]
    while next <= last {
      while asked <= last, asked < next + JetStream.window {
        try connection.ask("$JS.API.STREAM.MSG.GET.\(name)", #"{"seq":\#(asked)}"#, number: asked)
        asked += 1
      }
      let (number, answer) = try answer(over: connection)
      early[number] = answer
      while let answer = early.removeValue(forKey: next) {
        next += 1
        if let message = try content(of: answer) { take(message) }
      }
    }
  }

  /// Returns nil for a deleted message, and for one with other subjects.
  private func content(of answer: JSONValue) throws(StreamFailure) -> [UInt8]? {
    if let error = answer["error"] {
      if case .integer(JetStream.noMessage)? = error["err_code"] { return nil }
      throw JetStream.failure(error)
    }
    guard let message = answer["message"], case .string(let subject)? = message["subject"] else {
      throw StreamFailure(message: JetStream.unknownAnswer)
    }
    guard subject.hasPrefix(prefix + ".") else { return nil }
    // An empty message has no data.
    guard case .string(let data)? = message["data"] else { return [] }
    guard let bytes = Base64.bytes(data) else { throw StreamFailure(message: JetStream.unknownAnswer) }
    return bytes
  }

  private func ask(
    _ connection: NATSConnection, _ subject: String, _ question: String
  ) throws(StreamFailure) -> JSONValue {
    try connection.ask(subject, question, number: 0)
    let (_, answer) = try answer(over: connection)
    if let error = answer["error"] { throw JetStream.failure(error) }
    return answer
  }

  private func answer(over connection: NATSConnection) throws(StreamFailure) -> (number: Int64, JSONValue) {
    guard let (number, bytes) = try connection.answer(milliseconds: JetStream.patience) else {
      throw StreamFailure(message: "no answer within \(JetStream.patience / 1_000) s")
    }
    do throws(JSONError) { return (number, try JSONValue(parsing: bytes.span)) } catch {
      throw StreamFailure(message: JetStream.unknownAnswer)
    }
  }

  private static func failure(_ error: JSONValue) -> StreamFailure {
    guard case .string(let text)? = error["description"] else { return StreamFailure(message: "refused by the stream") }
    return StreamFailure(message: text)
  }
}
