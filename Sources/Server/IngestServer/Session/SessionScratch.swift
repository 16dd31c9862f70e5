import Base
import Contract
import HTTP1

/// Memory that the sessions of one loop share, because only one of them works at a time. What it holds is valid until
/// another session works.
package final class SessionScratch {
  var head = RequestHead()
  var envelope = Envelope()
  private var dateText: [UInt8] = []
  private var dateSecond = Int64.min

  package init() {}

  /// The value of a Date field, put into text once a second.
  func date(_ now: WallInstant) -> [UInt8] {
    let second = now.millisecondsSince1970 / 1_000
    if second != dateSecond {
      dateSecond = second
      dateText.removeAll(keepingCapacity: true)
      now.append(imfFixdateTo: &dateText)
    }
    return dateText
  }
}
