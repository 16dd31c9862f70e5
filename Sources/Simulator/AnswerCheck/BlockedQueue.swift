/// Remedies for a status that recurs for the same records.
enum BlockedQueue: CaseIterable {
  case token, url, size, gateway, limit, record

  init(_ status: Int) {
    self =
      switch status {
      case 401, 403: .token
      case 404, 405: .url
      case 413: .size
      case 502, 503, 504: .gateway
      case 408, 429: .limit
      default: .record
      }
  }

  private static let head = "the head of the queue blocks all records after it"

  /// The remedies for all of them.
  static var remedy: String { "\(head): " + allCases.map { "to \($0.statuses), \($0.advice)" }.joined(separator: "; ") }

  var remedy: String { "\(BlockedQueue.head): \(advice)" }

  private var statuses: String {
    switch self {
    case .token: "401 and 403"
    case .url: "404 and 405"
    case .size: "413"
    case .gateway: "502, 503 and 504"
    case .limit: "408 and 429"
    case .record: "any other status"
    }
  }

  private var advice: String {
    switch self {
    case .token: "accept the token or give the device one that is accepted"
    case .url: "see whether the URL is right"
    case .size: "take larger bodies"
    case .gateway:
      "check the server behind the gateway, which is down, too slow or overloaded; the records wait on the device"
    case .limit: "raise the limit: each device sends again with its next record"
    case .record: "quarantine the records and answer 200"
    }
  }
}
