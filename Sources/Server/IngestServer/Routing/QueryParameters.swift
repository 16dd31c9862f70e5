import Base
import HTTP1
import JSON
import Store

/// The query of a request.
struct QueryParameters {
  let items: [FormItem]

  init(_ items: [FormItem]) { self.items = items }

  /// Throws unless every name is one of `names` and occurs once.
  func check(against names: [String]) throws(ResponseError) {
    for (index, item) in items.enumerated() {
      guard names.contains(item.name) else { throw QueryParameters.unknown(item.name, among: names) }
      if items[..<index].contains(where: { $0.name == item.name }) {
        throw QueryParameters.refuse(item.name, "is given more than once")
      }
    }
  }

  func text(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// Returns the maximum number of elements in an answer; nil for all.
  func limit() throws(ResponseError) -> Int? { try number("limit", in: 1...1_000) }

  func number(_ name: String, in range: ClosedRange<Int>) throws(ResponseError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw QueryParameters.refuse(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns a time in milliseconds since 1970.
  func instant(_ name: String) throws(ResponseError) -> Int64? {
    guard let text = text(name) else { return nil }
    let instant = WallInstant(iso8601: text.utf8.span) ?? Int64(text).flatMap { WallInstant(exactly: $0) }
    guard let instant else {
      throw QueryParameters.refuse(
        name, "must be a time such as 2026-07-28T18:34:22.563Z, or milliseconds since 1970; encode + as %2B")
    }
    return instant.millisecondsSince1970
  }

  /// Returns `from` ≤ time < `to`, both in milliseconds since 1970 and both optional.
  func window() throws(ResponseError) -> (from: Int64, to: Int64) {
    let from = try instant("from") ?? .min
    let to = try instant("to") ?? .max
    guard from <= to else { throw QueryParameters.refuse("from", "must not be after \"to\"") }
    return (from, to)
  }

  func flag(_ name: String) throws(ResponseError) -> Bool {
    switch text(name) {
    case nil, "false": false
    case "true": true
    default: throw QueryParameters.refuse(name, "must be true or false")
    }
  }

  /// Returns one of the words; the default when the parameter is absent.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Choice.Type = Choice.self, default absent: Choice
  ) throws(ResponseError) -> Choice {
    guard let text = text(name) else { return absent }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw QueryParameters.refuse(name, "must be one of \(words)")
    }
    return choice
  }

  /// Returns the position at which an earlier page ended.
  func cursor<Cursor>(_ read: (String) throws(StoreError) -> Cursor) throws(ResponseError) -> Cursor? {
    guard let text = text("cursor") else { return nil }
    do throws(StoreError) { return try read(text) } catch { throw QueryParameters.badCursor }
  }

  /// Returns a cursor that is a row number.
  func rowCursor() throws(ResponseError) -> Int64? {
    guard let text = text("cursor") else { return nil }
    guard let row = Int64(text), row >= 0 else { throw QueryParameters.badCursor }
    return row
  }

  private static let badCursor = refuse("cursor", "must be the \"next\" or \"cursor\" of an earlier page")

  static func refuse(_ name: String, _ what: String) -> ResponseError {
    ResponseError(.error(400, "bad_parameter", "\(name) \(what)", detail: .object(["parameter": .string(name)])))
  }

  /// Refuses a body where none is read; an empty object is allowed.
  static func refuse(body: [UInt8], among names: [String]) throws(ResponseError) {
    let text = body.filter { $0 > UInt8(ascii: " ") }
    if text.isEmpty || text == Array("{}".utf8) { return }
    let remedy =
      names.isEmpty ? "send none" : "write \(names.joined(separator: ", ")) into the query, or the run into the path"
    throw ResponseError(.error(400, "bad_request", "this path reads no body: \(remedy)"))
  }

  private static func unknown(_ name: String, among names: [String]) -> ResponseError {
    let known = names.isEmpty ? "this path takes no parameters" : "this path takes \(names.joined(separator: ", "))"
    let hint = NearestName.find(name, in: names).map { "; did you mean \($0)?" } ?? ""
    return ResponseError(
      .error(
        400, "unknown_parameter", "\(known)\(hint)", detail: .object(["parameter": .string(name)])))
  }
}
