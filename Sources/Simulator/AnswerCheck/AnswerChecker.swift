import Contract
import JSON
import Upload

/// Looks at each answer that a device gets, in order, and says what is wrong with it for the SDK (SDK §8 to §11).
///
/// It remembers of one device what it takes to know a repetition: little, however long it runs. Log uploads are passed over.
package struct AnswerChecker: Sendable {
  package private(set) var scorecard = Scorecard()
  /// What was sent and had no answer: it may be there already.
  var unanswered: Set<RequestPrint> = []
  /// The last refusal and how often it came in a row.
  var refusal: (print: RequestPrint, status: Int, count: Int)?
  /// The text of the last commands, and how often they came in a row.
  var repeated: (commands: JSONValue, count: Int)?
  /// The last answer was a refresh that brought tokens.
  var hasFreshToken = false

  /// What a device sends beyond this without an answer is no longer known as a repetition.
  static let unansweredMax = 1_024

  package init() {}

  package mutating func check(_ answer: ObservedAnswer) -> Judgement {
    var judgement = Judgement()
    // Who gives up a request has nobody to blame.
    if case .failed(.cancelled, message: _) = answer.outcome { return judgement }
    judgeDelivery(answer, into: &judgement)
    switch answer.request.purpose {
    case .records:
      judgeStatus(answer, into: &judgement)
      judgeBody(answer, into: &judgement)
      hasFreshToken = false
    case .refresh:
      judgeRefresh(answer, into: &judgement)
    case .log: break
    }
    scorecard.count(judgement)
    return judgement
  }
}

extension ObservedAnswer {
  var body: [UInt8] {
    if case .answered(_, reason: _, let body) = outcome { body } else { [] }
  }

  /// Nil when it is none. A device takes the last of several equal keys.
  var document: JSONValue? {
    do throws(JSONError) {
      return try JSONValue(parsing: body.span, limits: ObservedAnswer.limits, duplicateKeys: .lastWins)
    } catch { return nil }
  }

  private static let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)

  /// Begins like a page for people.
  var isPage: Bool {
    if let type = head?.mediaType, type == "text/html" || type == "application/xhtml+xml" { return !body.isEmpty }
    let start = body.drop { $0 <= 0x20 }.prefix(14)
    let text = String(decoding: start, as: UTF8.self).lowercased()
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head")
  }
}
