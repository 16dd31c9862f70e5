/// What a condition looks at.
package enum ConditionSubject: String, CaseIterable, Sendable {
  case requestBytes = "request.bytes"
  case requestRecords = "request.records"
  case responseStatus = "response.status"
  case responseBytes = "response.bytes"
  /// In milliseconds.
  case responseDuration = "response.duration"

  /// Nothing is known of the answer while a request is on its way.
  static let request: [ConditionSubject] = [.requestBytes, .requestRecords]
}
