import Upload

/// An upload request has ended, well or badly.
public struct HttpEvent: Sendable {
  /// Whether the server has taken the records: any status from 200 to 299.
  public let isSuccess: Bool
  /// 0 when no answer came: no network, time limit, cancelled.
  public let statusCode: Int
  /// The body of the answer, or what went wrong.
  public let responseText: String
  /// Why there was no answer; nil when there was one.
  public let error: BGGeoError?

  init(_ event: HTTPEvent) {
    isSuccess = event.isSuccess
    statusCode = event.status
    responseText = event.responseText
    error = event.status == 0 ? BGGeoError(event.responseText, code: 0) : nil
  }
}

extension HttpEvent: CustomStringConvertible {
  /// Status and text.
  public var description: String { "\(statusCode) \(responseText)" }
}
