/// One upload request that has ended, well or badly (SDK §6, `http`).
package struct HTTPEvent: Equatable, Sendable {
  /// Whether the records are deleted.
  package let isSuccess: Bool
  /// 0 when no answer came.
  package let status: Int
  private let body: [UInt8]

  init(_ outcome: RequestOutcome) {
    status = outcome.status
    isSuccess = 200..<300 ~= status
    body = outcome.text
  }

  /// The body of the answer, or what went wrong.
  package var responseText: String { String(decoding: body, as: UTF8.self) }
}
