import Base
import Contract

/// What of a record matters once its server is asked for it; kept where a server outside the run is.
final class RecordTraits {
  let content: SentContent?
  /// `geofence`, `motionchange`; nil for a plain location.
  let event: String?
  /// Another record of the device has the same timestamp.
  var sharesInstant = false

  private static let decoder = RecordDecoder()

  init(_ record: [UInt8]) {
    do throws(RecordProblem) {
      let decoded = try RecordTraits.decoder.decode(record.span)
      (content, event) = (SentContent(decoded), decoded.event?.name)
    } catch { (content, event) = (nil, nil) }
  }
}
