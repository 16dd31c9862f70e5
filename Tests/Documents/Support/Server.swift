import BackgroundGeolocation
import JSON
import Synchronization

/// The server of a test: it answers as it is told, at once or when the test says so, and keeps what it got.
final class Server: Sendable {
  static let url = "http://server.example/locations"
  static let refreshUrl = "http://server.example/refresh"
  static let logUrl = "http://server.example/log"

  struct Received: Sendable {
    let method: String
    let url: String
    let headers: [String: String]
    let text: String
    let timeout: Double

    /// Null when the body is no JSON.
    var body: JSONValue {
      do { return try JSONValue(parsing: text.utf8.span) } catch { return .null }
    }
  }

  private typealias Completion = @Sendable (HTTPTransport.Outcome) -> Void
  private struct State {
    var received: [Received] = []
    var waiting: [Completion] = []
    /// Nil: requests wait.
    var answer: (@Sendable (Received) -> HTTPTransport.Outcome)? = { _ in .answered(status: 200, body: []) }
  }
  private let state = Mutex(State())

  /// Answers before it returns, unless requests are held.
  var transport: HTTPTransport {
    HTTPTransport { [self] request, completion in
      let received = Received(
        method: request.method, url: request.url,
        headers: Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
        text: String(decoding: request.body, as: UTF8.self), timeout: request.timeout)
      let answer = state.withLock { state in
        state.received.append(received)
        if state.answer == nil { state.waiting.append(completion) }
        return state.answer
      }
      if let answer { completion(answer(received)) }
    }
  }

  var requests: [Received] { state.withLock { $0.received } }
  /// Those to the address of locations.
  var uploads: [Received] { requests.filter { $0.url == Server.url } }
  /// What came in uploads under the root `location`, one after the other.
  var records: [JSONValue] {
    uploads.flatMap { upload -> [JSONValue] in
      switch upload.body["location"] {
      case .array(let records)?: records
      case let record?: [record]
      case nil: []
      }
    }
  }
  var uuids: [String] { records.compactMap { $0["uuid"]?.text } }

  func forget() { state.withLock { $0.received = [] } }

  func answer(with answer: @escaping @Sendable (Received) -> HTTPTransport.Outcome) {
    state.withLock { $0.answer = answer }
  }

  func answer(_ status: Int, _ body: String = "") {
    answer { _ in .answered(status: status, body: Array(body.utf8)) }
  }

  /// No request is answered any more.
  func fallSilent() { answer { _ in .failed("unreachable") } }

  /// Requests wait until `answerNext`.
  func hold() { state.withLock { $0.answer = nil } }

  var isAsked: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// The oldest one that waits.
  func answerNext(_ outcome: HTTPTransport.Outcome = .answered(status: 200, body: [])) {
    let completion = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    completion?(outcome)
  }
}

extension JSONValue {
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var keys: Set<String> { if case .object(let object) = self { Set(object.members.map(\.key)) } else { [] } }
}
