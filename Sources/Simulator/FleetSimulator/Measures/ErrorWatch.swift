import AnswerCheck
package import Base
import JSON
package import Oracle
import Scenario
import Upload
import Vocabulary

/// Groups failed requests by their end, their error message and their fleet.
package final class ErrorWatch: Watcher {
  private struct Name: Hashable {
    let purpose: OutgoingRequest.Purpose
    let end: RequestEnd
    let message: String
    let fleet: Int
  }

  private struct Opening {
    let end: RequestEnd
    /// The title and the request of a page that answered with a success status.
    let page: (title: String, request: String)?
    var count: Int
  }

  private let devices: [String]
  private let fleets: [String]
  /// The fleet of each device.
  private let fleetOf: [Int]
  private let open: PerDevice<[OutgoingRequest]>
  /// Whether the drives of each device are over.
  private let isSettling: PerDevice<Bool>
  private var rows: [RequestError] = []
  private var places: [Name: Int] = [:]
  /// The last message, cached because servers repeat theirs.
  private var lastMessage: (outcome: RequestOutcome, text: String)?
  /// The end of the first uploads, while all of them have failed in the same way. A page with a success status is a failure:
  /// the device deletes records that no server has accepted.
  private var opening: Opening?
  private var isOpen = true
  private var isOpeningTold = false
  /// The number of uploads that ended without a 2xx.
  package private(set) var failedUploads = 0

  /// The number of names above which the server's messages are taken to differ each time.
  private static let rowsMax = 100
  private static let bodyMax = 500
  /// The number of equal failures at the start that cannot be a coincidence.
  private static let openingCount = 10

  package init(_ setup: RunSetup) {
    devices = setup.deviceNames
    fleets = setup.fleets.map(\.name)
    fleetOf = setup.fleets.enumerated().flatMap { repeatElement($0, count: $1.simulated.count) }
    open = PerDevice(count: devices.count) { _ in [] }
    isSettling = PerDevice(count: devices.count) { _ in false }
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .sent(let request): open[context.device].append(request)
    case .killed: open[context.device] = []
    case .healed: isSettling[context.device] = true
    case .ended(let id, let outcome):
      guard let index = open[context.device].firstIndex(where: { $0.id == id }) else { return }
      end(open[context.device].remove(at: index), outcome, context)
    default: break
    }
  }

  private func end(_ request: OutgoingRequest, _ outcome: RequestOutcome, _ context: EventContext) {
    // The end of the drives has aborted it, and no server or network has failed.
    if isSettling[context.device], RequestEnd(outcome) == .leftNetwork { return }
    let isFailed = !(200..<300).contains(outcome.status)
    if request.purpose == .records {
      if isFailed { failedUploads += 1 }
      noteOpening(request, outcome, isFailed: isFailed)
    }
    guard isFailed else { return }
    let instant = context.now.monotonic - MonotonicInstant(nanoseconds: 0)
    let row = place(of: request, outcome, context.device, at: instant)
    rows[row].count += 1
    rows[row].last = instant
  }

  private func noteOpening(_ request: OutgoingRequest, _ outcome: RequestOutcome, isFailed: Bool) {
    let end = RequestEnd(outcome)
    guard isOpen, end != .leftNetwork else { return }
    let isPage = !isFailed && ObservedAnswer.beginsLikeAPage(outcome.body)
    if opening == nil {
      let page = isPage ? (message(of: outcome), request.shown) : nil
      opening = Opening(end: end, page: page, count: 0)
    }
    let isAlike = (isFailed || isPage) && opening?.end == end && (opening?.page != nil) == isPage
    opening?.count += 1
    if !isAlike { opening = nil }
    isOpen = opening.map { $0.count < ErrorWatch.openingCount } ?? false
  }

  private func place(
    of request: OutgoingRequest, _ outcome: RequestOutcome, _ device: Int, at instant: Nanoseconds
  ) -> Int {
    var name = Name(
      purpose: request.purpose, end: RequestEnd(outcome), message: message(of: outcome), fleet: fleetOf[device])
    if let place = places[name] { return place }
    if rows.count >= ErrorWatch.rowsMax / 2 {
      // This server's messages contain a different number each time.
      name = Name(
        purpose: name.purpose, end: name.end, message: ErrorMessage.withoutNumbers(name.message), fleet: name.fleet)
      if let place = places[name] { return place }
    }
    if rows.count >= ErrorWatch.rowsMax {
      name = Name(purpose: name.purpose, end: name.end, message: "(other messages)", fleet: name.fleet)
      if let place = places[name] { return place }
    }
    places[name] = rows.count
    rows.append(
      RequestError(
        purpose: request.purpose.rawValue, kind: name.end.word, message: name.message, fleet: fleets[name.fleet],
        count: 0, first: instant, last: instant, sample: sample(of: request, device, body: outcome.body)))
    return rows.count - 1
  }

  private func message(of outcome: RequestOutcome) -> String {
    if let lastMessage, lastMessage.outcome == outcome { return lastMessage.text }
    let text = ErrorMessage(of: outcome).text
    lastMessage = (outcome, text)
    return text
  }
}

extension ErrorWatch {
  /// The errors, most frequent first.
  package var errors: [RequestError] { RequestError.inOrder(rows) }

  /// Returns the errors of a run that has ended at an instant: the requests that are under way have no answer.
  package func errors(endedAt instant: Nanoseconds) -> [RequestError] {
    var rows = rows
    for device in open.indices {
      for request in open[device] {
        let error = RequestError(
          purpose: request.purpose.rawValue, kind: RequestEnd.openWord, message: "", fleet: fleets[fleetOf[device]],
          count: 1, first: instant, last: instant, sample: sample(of: request, device))
        if let row = rows.firstIndex(where: error.hasNameOf) { rows[row].count += 1 } else { rows.append(error) }
      }
    }
    return RequestError.inOrder(rows)
  }

  private func sample(of request: OutgoingRequest, _ device: Int, body: [UInt8] = []) -> RequestError.Sample {
    RequestError.Sample(
      device: devices[device], request: request.shown, records: request.payload?.uuids.count ?? 0,
      body: String(decoding: body.prefix(ErrorWatch.bodyMax), as: UTF8.self))
  }

  /// The end of most failed uploads; nil when none failed.
  package var mostFrequent: String? {
    rows.filter { $0.purpose == OutgoingRequest.Purpose.records.rawValue }.max { $0.count < $1.count }?.kind
  }

  /// Returns the opening sentence once, for an interactive display.
  package func takeOpeningSentence() -> String? {
    guard !isOpeningTold, let sentence = openingSentence else { return nil }
    isOpeningTold = true
    return sentence
  }

  /// A question when the first uploads all failed in the same way; nil otherwise.
  var openingSentence: String? {
    guard let opening, opening.count == ErrorWatch.openingCount else { return nil }
    if let page = opening.page {
      let title = page.title.isEmpty ? "" : " (\(page.title))"
      return "the first \(opening.count) uploads were all answered with \(opening.end.word) and an HTML page\(title), "
        + "\(page.request): the device deletes the records; is this the server, or a login page before it?"
    }
    guard
      let first = rows.first(where: {
        $0.purpose == OutgoingRequest.Purpose.records.rawValue && $0.kind == opening.end.word
      })
    else { return nil }
    let said = first.message.isEmpty ? "" : " (\(first.message))"
    return "the first \(opening.count) uploads all ended with \(opening.end.word)\(said), "
      + "\(first.sample.request): \(opening.end.question)"
  }
}

extension RequestEnd {
  /// The most likely mistake when every request ends in this way.
  fileprivate var question: String {
    switch self {
    case .status(401), .status(403): "is the token right?"
    case .status(404), .status(405), .status(410): "is the path right?"
    case .status(413): "are the batches too large (maxBatchSize)?"
    case .status(400), .status(415), .status(422):
      "does the server expect another form of body (rootProperty, template)?"
    case .status(300..<400): "redirects are not followed; is this the URL that they lead to?"
    case .status(429): "does the server limit the rate of this address?"
    case .status: "what does the log of the server say?"
    case .failure(.refused), .failure(.unreachable): "is the server running, and is this its port?"
    case .failure(.unresolvable), .failure(.invalidURL): "is the name of the host right?"
    case .failure(.tls): "is the certificate known here, and does the port speak TLS?"
    case .failure(.timeout): "is the server overloaded or stopped?"
    case .failure, .leftNetwork: "what does the server, or a proxy before it, say?"
    }
  }
}

/// The error message of an answer, short enough for a name, without the parts that differ between answers.
struct ErrorMessage {
  let text: String

  private static let lengthMax = 120
  /// The members in which servers report errors; `detail` and `title` are those of RFC 9457 §3.1.
  private static let keys = ["message", "error_description", "detail", "title", "error", "code"]

  init(of outcome: RequestOutcome) {
    switch outcome {
    case .failed(let failure, let message): text = message == failure.rawValue ? "" : ErrorMessage.name(message)
    case .answered(_, let reason, let body):
      let said =
        JSONValue(answerOf: outcome).map { ErrorMessage.said(in: $0) ?? "" } ?? ErrorMessage.said(inText: body) ?? ""
      text = ErrorMessage.name(said.isEmpty ? reason : said)
    }
  }

  private static func said(in value: JSONValue) -> String? {
    for key in keys {
      switch value[key] {
      case .string(let text) where !text.isEmpty: return text
      case .object(let object): if let text = said(in: .object(object)) { return text }
      default: break
      }
    }
    return nil
  }

  /// Returns the title of a page, or the first line of a text.
  private static func said(inText body: [UInt8]) -> String? {
    let text = String(decoding: body.prefix(2_048), as: UTF8.self)
    if let start = text.firstRange(of: "<title>")?.upperBound,
      let end = text[start...].firstRange(of: "</title>")?.lowerBound
    {
      return String(text[start..<end])
    }
    guard !text.contains("<") else { return nil }
    return text.split(whereSeparator: \.isNewline).first.map { String($0) }
  }

  static func withoutNumbers(_ text: String) -> String {
    text.split(separator: " ").map { $0.contains(where: \.isNumber) ? "…" : $0 }.joined(separator: " ")
  }

  /// Returns the text on one line, with uuids and long numbers replaced, as each would make another name.
  private static func name(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).map { word in
      let digits = word.count(where: \.isNumber)
      return digits >= 4 ? "…" : String(word)
    }
    let line = words.joined(separator: " ")
    return line.count > lengthMax ? line.prefix(lengthMax) + "…" : line
  }
}
