import Base
import Contract
import JSON
import Store

/// Serves the proxy's ledger of records and its judgement of the upstream's answers.
struct LedgerHandlers: Sendable {
  let proxy: ProxyRole?
  let hasJournal: Bool

  /// `GET /admin/v1/ledger?run&uuid&device&state&limit&cursor`: records by uuid, of all runs when none is named, with the
  /// number of times that each was sent, the backend's answer, and whether the client got it.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    guard hasJournal else { return .answer(.error(404, "journal_off", "the journal is off; see --journal")) }
    let parameters = exchange.query
    var filter = LedgerFilter()
    filter.run = exchange.optionalRun
    filter.device = parameters.text("device")
    if let text = parameters.text("uuid") {
      guard let uuid = UUID128(text: text.utf8.span) else {
        throw QueryParameters.refuse("uuid", "must be a UUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301")
      }
      filter.uuid = uuid
    }
    filter.state = try parameters.name("state", among: LedgerAccount.State.allCases.map(\.rawValue))
      .flatMap(LedgerAccount.State.init(rawValue:))
    let cursor = try parameters.text("cursor").map { text throws(ResponseError) in try Self.cursor(text) }
    let limit = try parameters.limit() ?? 100
    return .askJournal { [filter] (journal) throws(StoreError) in
      let page = try journal.sentRecords(matching: filter, after: cursor, limit: limit)
      return .object { writer in
        writer.list("records", page.elements) { writer, account in writer.append(account) }
        writer.member("next", page.next.map(Self.text))
      }
    }
  }

  /// The uuid, the length of the run's name, that name, and the device's.
  private static func text(_ cursor: LedgerRecordCursor) -> String {
    var text: [UInt8] = []
    cursor.uuid.append(lowerCaseTextTo: &text)
    let run = cursor.device.run
    return "\(String(decoding: text, as: UTF8.self)).\(run.utf8.count).\(run)\(cursor.device.name)"
  }

  private static func cursor(_ text: String) throws(ResponseError) -> LedgerRecordCursor {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let uuid = String(parts[0]).flatMap({ UUID128(text: $0.utf8.span) }),
      let length = String(parts[1]).flatMap({ Int($0) }), 0...parts[2].count ~= length,
      let run = String(parts[2].prefix(length)), let name = String(parts[2].dropFirst(length))
    else { throw ResponseError(.error(400, "bad_cursor", "the cursor was not issued by this server")) }
    return LedgerRecordCursor(uuid: uuid, device: DeviceIdentity(run: run, name: name))
  }

  /// `GET /admin/v1/clauses`: the clauses that the upstream's answers have tested.
  func clauses(_ exchange: Exchange) -> Reply {
    let report = proxy?.judge?.report ?? ClauseReport(answers: 0, lines: [])
    return .answer(
      .object { writer in
        writer.member("answers", report.answers)
        writer.member("kept", report.lines.count { $0.broken == 0 })
        writer.list("clauses", report.lines) { writer, line in
          writer.beginObject()
          writer.member("number", line.number)
          writer.member("rule", line.rule)
          writer.member("judged", line.judged)
          writer.member("broken", line.broken)
          if line.broken > 0 {
            writer.member("example", line.example)
            writer.member("remedy", line.remedy)
          }
          writer.endObject()
        }
      })
  }
}

extension JSONWriter {
  fileprivate mutating func append(_ account: LedgerAccount) {
    beginObject()
    key("uuid")
    value(account.uuid)
    member("run", account.device.run)
    member("device", account.device.name)
    member("state", account.state.rawValue)
    member("attempts", account.attempts)
    member("acknowledgements", account.acknowledgements)
    member("deliveries", account.deliveries)
    key("firstAt")
    value(instant: account.firstAt)
    key("lastAt")
    value(instant: account.lastAt)
    key("acknowledgedAt")
    value(instant: account.acknowledgedAt)
    member("status", account.status == 0 ? nil : account.status)
    member("fault", account.fault)
    endObject()
  }
}
