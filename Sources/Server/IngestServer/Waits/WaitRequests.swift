import Base
import Contract
import JSON

extension WaitPlan {
  /// Returns whether a body asks for more than a number of records and certain uuids.
  static func isMeant(by body: JSONValue) -> Bool {
    if (ownKeys + ["event"]).contains(where: { body[$0] != nil }) { return true }
    switch body["since"] {
    case nil, .null, .string("start"), .string("now"): return false
    default: return true
    }
  }

  /// Reads the plan of `POST verify`; nil for a body without conditions.
  init?(checking exchange: Exchange) throws(ResponseError) {
    let body: JSONValue
    // Bodies with lines of records, and unreadable ones, are handled elsewhere.
    do throws(JSONError) { body = try JSONValue(parsing: exchange.body.span) } catch { return nil }
    guard WaitPlan.ownKeys.contains(where: { body[$0] != nil }) else { return nil }
    do throws(FieldError) { try self.init(body, of: exchange, isCheck: true) } catch {
      throw ResponseError(.error(400, "bad_verify", "\(error)"))
    }
  }

  func reply(hasJournal: Bool) -> Reply {
    if !hasJournal, steps.contains(where: { $0.kind.isOfJournal }) {
      return .answer(.error(404, "journal_off", "the journal is off; see --journal"))
    }
    return .respond { PlanWait.begin(self, $1, in: $0, &$2) }
  }
}
