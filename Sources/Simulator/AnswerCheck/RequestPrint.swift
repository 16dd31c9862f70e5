import Base
import Upload

/// Knows the records of a request again: by the first uuid in its body, or, where a template has left them out, by the body.
struct RequestPrint: Hashable, Sendable {
  private let text: [UInt8]

  private static let marker = Array("\"uuid\":\"".utf8)
  private static let uuidLength = 36

  init(_ request: OutgoingRequest) {
    let body = request.body
    if let marker = body.firstRange(of: RequestPrint.marker), body.count - marker.upperBound >= RequestPrint.uuidLength
    {
      text = Array(body[marker.upperBound..<marker.upperBound + RequestPrint.uuidLength])
    } else {
      text = body
    }
  }
}
