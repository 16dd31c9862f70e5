import JSON
import Support
import Synchronization
import Testing
import Threads

/// A webhook of a test: what it takes it keeps.
final class Receiver: Sendable {
  /// A message as it came.
  struct Message: Equatable, Sendable {
    let id: String
    let device: String
    let run: String
    /// The order in which the device recorded it.
    let number: Int64
  }

  private struct State {
    /// Of requests that were answered with 200, with repetitions.
    var taken: [Message] = []
    var ids: Set<String> = []
    var expected = Int.max
    var requests = 0
  }

  private let state = Mutex(State())
  private let isComplete = Semaphore()

  var taken: [Message] { state.withLock { $0.taken } }
  var requests: Int { state.withLock { $0.requests } }

  /// `answer` is told the number of the request, from 0, and what is in it; nil takes it.
  func serve(
    _ answer: @escaping @Sendable (Int, [Message]) -> BareServer.Answer? = { _, _ in nil }
  ) throws -> BareServer {
    try BareServer { [self] request in
      let messages = Receiver.messages(in: request.body)
      let number = state.withLock { state in
        state.requests += 1
        return state.requests - 1
      }
      if let refusal = answer(number, messages) { return refusal }
      let isAll = state.withLock { state in
        state.taken += messages
        state.ids.formUnion(messages.map(\.id))
        guard state.ids.count >= state.expected else { return false }
        state.expected = .max
        return true
      }
      if isAll { isComplete.signal() }
      return .ok()
    }
  }

  /// Returns when so many different messages were taken; false after a minute without them.
  func wait(for count: Int) -> Bool {
    let isThere = state.withLock { state in
      guard state.ids.count < count else { return true }
      state.expected = count
      return false
    }
    return isThere || isComplete.wait(milliseconds: 60_000)
  }

  static func messages(in body: [UInt8]) -> [Message] {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: body.span) } catch {
      Issue.record("a body that is not JSON: \(error)")
      return []
    }
    return (value["records"]?.elements ?? []).map { message in
      var number: Int64 = -1
      if case .integer(let found)? = message["record"]?["odometer"] { number = found }
      return Message(
        id: message["id"]?.string ?? "", device: message["device"]?.string ?? "", run: message["run"]?.string ?? "",
        number: number)
    }
  }

  /// What came first of each message, in order.
  var first: [Message] {
    var seen: Set<String> = []
    return taken.filter { seen.insert($0.id).inserted }
  }

  /// The numbers of a device in the order in which they came first.
  func numbers(of device: String) -> [Int64] { first.filter { $0.device == device }.map(\.number) }
}

/// Uploads over one connection.
final class Uploader {
  private let client: LoopbackClient

  init(port: UInt16) throws { client = try LoopbackClient(port: port) }

  static func uuid(_ device: Int, _ number: Int) -> String {
    let digits = String(number, radix: 16)
    let name = String(device, radix: 16)
    return "00000000-0000-4000-8" + String(repeating: "0", count: 3 - name.count) + name + "-"
      + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// Records of one device, each with its number as its odometer, an hour apart.
  func upload(_ numbers: Range<Int>, of device: Int, run: String = "") throws {
    let records = numbers.map { number in
      let day = 10 + number / 24 % 15
      let hour = number % 24
      return """
        {"uuid":"\(Self.uuid(device, number))","odometer":\(number),\
        "timestamp":"2026-07-\(day)T\(hour < 10 ? "0" : "")\(hour):00:00.000Z",\
        "coords":{"latitude":45.5,"longitude":-73.5,"accuracy":5}}
        """
    }
    let body = #"{"location":[\#(records.joined(separator: ","))],"device_id":"device-\#(device)"}"#
    try post(run.isEmpty ? "/locations" : "/r/\(run)/locations", body)
  }

  /// An upload that is taken.
  func post(_ path: String, _ body: String) throws {
    try client.send(
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    let answer = try wholeAnswer()
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
  }

  func get(_ path: String) throws -> String { try ask("GET", path) }

  func ask(_ method: String, _ path: String) throws -> String {
    try client.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return try wholeAnswer()
  }

  private func wholeAnswer() throws -> String {
    var bytes: [UInt8] = []
    while true {
      let some = try client.receiveSome(atMost: 65_536)
      bytes += some
      let text = String(decoding: bytes, as: UTF8.self)
      guard !some.isEmpty else { return text }
      if text.contains("\r\nTransfer-Encoding: chunked") {
        if text.hasSuffix("\r\n0\r\n\r\n") { return text }
        continue
      }
      guard let end = text.firstRange(of: "\r\n\r\n"), let line = text.firstRange(of: "Content-Length: ") else {
        continue
      }
      let length = Int(text[line.upperBound...].prefix { $0.isNumber }) ?? 0
      if text[end.upperBound...].utf8.count >= length { return text }
    }
  }
}
