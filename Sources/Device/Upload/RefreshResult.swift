import Contract
import JSON

/// What came of a refresh request (SDK §11.2, §11.6).
enum RefreshResult {
  case success(answer: JSONValue, FoundTokens)
  case failure(message: String)

  init(_ outcome: RequestOutcome) {
    guard case .answered(let status, _, let body) = outcome, status == 200 || status == 201 else {
      let text = String(decoding: outcome.text, as: UTF8.self)
      self = .failure(message: text.isEmpty ? "HTTP \(outcome.status)" : text)
      return
    }
    do throws(JSONError) {
      let answer = try JSONValue(parsing: body.span, duplicateKeys: .lastWins)
      let found = FoundTokens(searching: answer)
      self = found.accessToken == nil ? .unreadable : .success(answer: answer, found)
    } catch {
      self = .unreadable
    }
  }

  private static let unreadable = RefreshResult.failure(message: "Failed to parse refresh-token response")
}
