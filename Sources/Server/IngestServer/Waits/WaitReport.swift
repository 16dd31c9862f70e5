import Base
import JSON
import Store

/// The outcome of a plan, as an answer.
struct WaitReport: Sendable {
  private static let matchesListed = 100

  /// A step that was met.
  struct Step: Sendable {
    let kind: ContentExpectation.Kind
    let found: Int
    /// Milliseconds since 1970.
    let at: Int64
  }

  let plan: WaitPlan
  let met: [Step]
  /// The tally of the last examined step.
  let tally: Tally
  var elapsed: Int64 = 0
  /// Whether the count was right, but not for long enough.
  var isHeld = false
  /// Whether the count is right in the data that could be examined, but more may have arrived.
  var isUnknown = false
  /// Whether not everything stored could be examined in time.
  var isPartial = false

  init(plan: WaitPlan, met: [Step], tally: Tally) {
    self.plan = plan
    self.met = met
    self.tally = tally
  }

  private var expectation: ContentExpectation { tally.expectation }

  /// `{"holds":true,"found":n,"matches":[…]}`, and with several steps the matches of each.
  var success: Response {
    .object { writer in
      writer.member("holds", true)
      writeFound(to: &writer)
      if plan.steps.count > 1 {
        writer.objects("steps", met) { writer, step in
          writer.member("of", step.kind.rawValue)
          writer.member("found", step.found)
          writer.member("at", instant: step.at)
        }
      }
    }
  }

  func failure(_ reasons: [ShortfallReason]) -> Response {
    let (status, code): (Int, String) =
      if isUnknown {
        (409, expectation.kind.isOfJournal ? "journal_incomplete" : "record_too_deep")
      } else if plan.timeout == nil {
        (409, "not_verified")
      } else {
        tally.isExceeded ? (409, "await_exceeded") : (408, "await_timeout")
      }
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writeFound(to: &writer)
    writer.member("atLeast", expectation.count.atLeast)
    if let most = expectation.count.atMost { writer.member("atMost", most) }
    if plan.steps.count > 1 {
      writer.member("step", met.count + 1)
      writer.member("steps", plan.steps.count)
    }
    if !reasons.isEmpty { writer.list("reasons", reasons) { $1.json.write(to: &$0) } }
    writer.endObject()
    let words = message + reasons.words
    return .object(status) { answer in
      answer.key("error")
      answer.beginObject()
      answer.member("code", code)
      answer.member("message", words)
      answer.key("detail")
      answer.raw(writer.bytes)
      answer.endObject()
    }
  }

  private var message: String {
    let step = plan.steps.count > 1 ? "step \(met.count + 1) of \(plan.steps.count): " : ""
    let count = tally.found
    let fit = expectation.isUnconditional && expectation.kind != .refreshes ? "" : count == 1 ? " fits" : " fit"
    let more = tally.isExceeded && count > 1 ? " or more" : ""
    var text = "\(step)\(expectation.kind.words(count))\(more)\(fit), expected \(expectation.count.text)"
    if isUnknown { return text + "; whether there were more is not known" }
    guard plan.timeout != nil, !tally.isExceeded else { return text }
    if isHeld, let holds = expectation.holds { text += " for \(Double(holds) / 1_000) s" }
    if isPartial { text += " among those checked" }
    return text + ", after \(Double(elapsed) / 1_000) s"
  }

  private func writeFound(to writer: inout JSONWriter) {
    writer.member("found", tally.found)
    writer.objects("matches", tally.matches.prefix(Self.matchesListed)) { writer, match in
      switch match.place {
      case .record(let device, let key):
        writer.member("device", device)
        writer.member("uuid", key.uuid)
        writer.member("timestamp", instant: key.recordedAt == 0 ? nil : key.recordedAt)
        writer.member("receivedAt", instant: match.at)
      case .request(let sequence):
        writer.member("sequence", sequence)
        writer.member("receivedAt", instant: match.at)
      case .command(let id, let device):
        writer.member("id", id)
        writer.member("device", device)
        writer.member("at", instant: match.at)
      }
    }
  }
}
