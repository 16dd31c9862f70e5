import Base
import Contract
import HTTP1
import JSON
import Store

/// Handles requests for quarantined records, which are invalid.
struct QuarantineHandlers: Sendable {
  /// The records that one job deletes, so that the writer can process uploads in between.
  private static let deletedAtOnce = 1_000

  /// `GET /admin/v1/quarantine?run&device&reason&limit&cursor`: of all runs when none is named, the latest first:
  /// `{"records":[{"id","run","device","receivedAt","reason","key","bytes","record"},…],"next":…}`. `key` names the invalid
  /// member of the record, null when it is the record itself; `record` is a text, because it need not be JSON.
  func list(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let selection = try selection(exchange, parameters)
    let listing = Listing<QuarantinedRecord, Int64>(
      format: .json("records") { $1.quarantined($0) },
      read: { (reader, before, limit) throws(StoreError) in
        try reader.quarantine(selection, before: before, limit: limit)
      },
      text: { "\($0)" })
    return listing.reply(after: try parameters.rowCursor(), limit: try parameters.limit(), query: exchange.query.items)
  }

  /// `GET /admin/v1/quarantine/reasons?run&device&reason`: `{"records":n,"reasons":[{"reason","records"},…]}`.
  func count(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    let selection = try selection(exchange, parameters)
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      let reasons = try reader.quarantineReasons(selection)
      return .object { writer in
        writer.member("records", reasons.reduce(0) { $0 + $1.count })
        writer.key("reasons")
        writer.beginArray()
        for (reason, count) in reasons {
          writer.beginObject()
          writer.member("reason", reason)
          writer.member("records", count)
          writer.endObject()
        }
        writer.endArray()
      }
    }
  }

  /// `GET /admin/v1/quarantine/{record}`: the bytes of the record as received.
  func get(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let selection = try namedRecord(exchange)
    return .ask { (reader: any StoreReader) throws(StoreError) -> Response in
      guard let found = try reader.quarantine(selection, limit: 1).elements.first else { return .unknownRecord }
      return Response(200, "application/octet-stream", found.record)
    }
  }

  /// `DELETE /admin/v1/quarantine?run&device&reason`, of all runs when none is named: `{"deleted":n}`. A record that is sent
  /// again afterwards is quarantined again.
  func clear(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let parameters = exchange.query
    return clear(try selection(exchange, parameters), after: 0)
  }

  /// `DELETE /admin/v1/quarantine/{record}`: `{"deleted":1}`, or 404.
  func delete(_ exchange: Exchange) throws(ResponseError) -> Reply {
    return clear(try namedRecord(exchange), after: 0)
  }

  private func clear(_ selection: QuarantineSelection, after deleted: Int) -> Reply {
    .change(.clearQuarantine(selection, limit: Self.deletedAtOnce)) { count in
      if count == Self.deletedAtOnce { return clear(selection, after: deleted + count) }
      if selection.id != nil, count == 0 { return .answer(.unknownRecord) }
      return .answer(.count("deleted", deleted + count))
    }
  }

  private func selection(
    _ exchange: Exchange, _ parameters: QueryParameters
  ) throws(ResponseError) -> QuarantineSelection {
    let reason = try parameters.name("reason", among: RecordProblem.Code.allCases.map(\.rawValue))
    return QuarantineSelection(
      run: exchange.optionalRun, device: parameters.text("device"), reason: reason)
  }

  /// Returns the selection of a record, in the run that the path or the header names, or in any run.
  private func namedRecord(_ exchange: Exchange) throws(ResponseError) -> QuarantineSelection {
    guard let id = exchange.parameters.first.flatMap({ Int64($0) }), id >= 0 else {
      throw ResponseError(.unknownRecord)
    }
    return QuarantineSelection(run: exchange.run.isEmpty ? nil : exchange.run, id: id)
  }
}

extension Response {
  fileprivate static let unknownRecord = Response.error(
    404, "unknown_record", "no record with this id is in quarantine; see /admin/v1/quarantine")
}

extension JSONWriter {
  fileprivate mutating func quarantined(_ record: QuarantinedRecord) {
    beginObject()
    member("id", record.id)
    member("run", record.device.run)
    member("device", record.device.name)
    member("receivedAt", instant: record.receivedAt)
    member("reason", record.reason)
    member("key", record.detail.isEmpty ? nil : record.detail)
    member("bytes", record.record.count)
    member("record", String(decoding: record.record, as: UTF8.self))
    endObject()
  }
}
