import Contract
import JSON
import Upload

/// The server of the day: it takes what comes, with some trouble at chosen requests, and counts what the wire shows.
struct DayServer {
  /// Requests that brought a single record; the first of a row only, where `countsRepeats` is off.
  private(set) var singlePosts = 0
  /// Records of requests that were answered with 2xx: what the device may delete.
  private(set) var takenCount = 0
  /// Commands for the next answer.
  var commands: String?
  /// The token in use is not good any more.
  var refusesToken = false
  /// How the next requests end.
  var troubles: [RequestOutcome] = []

  private let countsRepeats: Bool
  private var isRepeat = false

  /// The analyzer counts the lines `HTTP POST:` of Android, one for each request, and on iOS the locks, one for each row:
  /// there a row that goes out again after a refresh counts once.
  init(_ platform: DevicePlatform) { countsRepeats = platform == .android }

  mutating func answer(_ request: OutgoingRequest) throws -> RequestOutcome {
    switch request.purpose {
    case .refresh:
      refusesToken = false
      isRepeat = true
      return .answered(
        status: 200, reason: "OK", body: Array(#"{"access_token":"second","refresh_token":"third","expires":-1}"#.utf8))
    case .log: return .answered(status: 200, reason: "OK", body: [])
    case .records: return try answer(records: request)
    }
  }

  private mutating func answer(records request: OutgoingRequest) throws -> RequestOutcome {
    let body = request.body
    guard let records = try JSONValue(parsing: body.span)["location"] else { throw NoRecords() }
    let count: Int
    if case .array(let batch) = records {
      count = batch.count
    } else {
      count = 1
      if countsRepeats || !isRepeat { singlePosts += 1 }
    }
    isRepeat = false
    if refusesToken { return .answered(status: 401, reason: "Unauthorized", body: []) }
    if !troubles.isEmpty { return troubles.removeFirst() }
    takenCount += count
    let text = commands.map { "{\"background_geolocation\":\($0)}" } ?? ""
    commands = nil
    return .answered(status: 200, reason: "OK", body: Array(text.utf8))
  }

  /// A request for records that has none.
  struct NoRecords: Error {}
}
