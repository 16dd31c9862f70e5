package import Base
internal import JSON

/// How the oracle learns what the server stored.
package struct TargetVerification: Equatable, Sendable {
  /// Nil: query a Rolling Road server, rely on the journal elsewhere.
  package var method: VerificationMethod?
  /// Contains `{device}` and `{start}` as placeholders.
  package var url: String?
  /// The headers of these requests, which override those of the target.
  package var headers: [Named<String>] = []
  /// The path to the entries of a page, or to the uuids in them.
  package var uuids = "$[*]"
  /// The path to the uuids of quarantined records; nil: none.
  package var quarantined: String?
  /// The URL of quarantined records; nil: in the same answer.
  package var quarantinedURL: String?
  /// The path to the cursor or the URL of the next page.
  package var next: String?
  package var place = StorePlace()
  /// The paths of fields in an entry, by the record's own names, as `coords.latitude`.
  package var fields: [Named<String>] = []
  /// The parts of a record that the store keeps, even if it shows them of none.
  package var kept: [KeptField] = []
  /// How long a record may be invisible after its acknowledgement.
  package var readDelay = Nanoseconds.zero

  package init() {}

  /// The placeholders of `url`.
  package static let placeholders = ["device", "start", "cursor"] + counters
  /// Those of the number of a page: counted from 1, from 0, and in entries.
  package static let counters = ["page", "page:0", "offset"]

  /// The contradiction between these keys, with a remedy; nil without one.
  var contradiction: (message: String, remedy: String)? {
    if let field = kept.first(where: { !$0.isCompared }) {
      let compared = KeptField.allCases.filter(\.isCompared).map(\.rawValue).joined(separator: ", ")
      return ("keeps: what is stored of '\(field.rawValue)' only 'conform' looks at", "write some of \(compared)")
    }
    let places = (url == nil ? 0 : 1) + place.count
    if places > 1 {
      return ("there are \(places) places to read from", "keep one of url, database, command, file and stream")
    }
    if places == 1, let method, method != .query {
      return (
        "the method \(method.rawValue) reads no url, database, command, file or stream",
        "remove one of them, or write method: \"query\""
      )
    }
    if place.isHalf { return ("database and query belong together", "give both") }
    if places == 0, method == .query {
      return ("a query needs a place", "add url, database with query, command, file or stream")
    }
    return nil
  }

  /// Returns what is wrong with a URL where nothing leads to a next page, with a remedy; nil if it has no cursor.
  static func problemWithoutNext(of url: String?) -> (message: String, remedy: String)? {
    guard let url, url.contains("{cursor}") else { return nil }
    return (
      "without 'next' nothing is filled in for {cursor}",
      "add next, the path of the cursor in an answer, or remove {cursor}"
    )
  }

  /// Reports whether `JSONStep` can parse the path.
  package static func isPath(_ path: String) -> Bool { JSONStep.parsed(path) != nil }

  /// The method in effect: a place to read from implies a query.
  package var effectiveMethod: VerificationMethod? { method ?? (url == nil && place.count == 0 ? nil : .query) }

  /// An unknown placeholder in the URLs; nil without one.
  package var unknownPlaceholder: String? {
    [url, quarantinedURL].lazy.compactMap(\.self).compactMap(TargetVerification.unknownPlaceholder).first
  }

  static func unknownPlaceholder(in url: String) -> String? {
    let parts = url.split(separator: "{", omittingEmptySubsequences: false)
    // Braces after a dollar sign belong to another kind of placeholder.
    for (before, part) in zip(parts, parts.dropFirst()) where before.last != "$" {
      guard let end = part.firstIndex(of: "}") else { continue }
      let name = String(part[..<end])
      if !placeholders.contains(name) { return name }
    }
    return nil
  }
}

extension TargetVerification: ScenarioSection {
  static let table = Table<TargetVerification>(
    "verify", "How the oracle learns what the server stored.",
    [
      .optional(
        "method", \.method, .choice,
        "Source of the stored records: the backend's own store, by `url`, `database`, `command`, `file` or `stream` (query), the administration of a Rolling Road server (admin), or the journal of the client (journal), which verifies no storage. Default: query with one of these, admin for a Rolling Road server, otherwise journal."
      ),
      .optional(
        "url", \.url, .listURL,
        "What to ask, with GET and the headers of `target.headers`: a list of all records of one device. `{device}` and `{start}` (ISO 8601) are filled in. JSON or NDJSON; `Link: <…>; rel=\"next\"` or `next` leads to further pages, or `{page}`, `{page:0}` and `{offset}` in the URL count them from 1, from 0, or in entries, up to an empty one."
      ),
      .optional(
        "next", \.next, .jsonPath,
        "Path of what leads to the next page: a URL, or a cursor that goes where `{cursor}` stands in `url`. For the first page a parameter that is nothing but the cursor is left out, as `after={cursor}`; elsewhere it is empty."
      ),
      .key(
        "headers", \.headers, .map(of: .text), "Headers of these requests, over those of `target.headers`."),
      .key(
        "uuids", \.uuids, .jsonPath,
        "Path of the records in the answer: objects, in which the uuid is found as `fields` says or under a usual name, or the uuids themselves, as `$.rows[*].id`."
      ),
      .optional(
        "quarantined", \.quarantined, .jsonPath,
        "Path of the uuids of quarantined records."),
      .optional(
        "quarantinedUrl", \.quarantinedURL, .listURL,
        "URL of the list of quarantined records, when it is not in the same answer; with the placeholders of `url`."),
    ] + StorePlace.keys(at: \.place) + [
      .key("fields", \.fields, .recordPlaces, TargetVerification.fieldsText),
      .key(
        "keeps", \.kept, .list(of: .choice),
        "What is kept of a record beside uuid, time and place. A record without it is stored differently from what was sent; without this key, only what the store shows of others is missed. `params`, `provider` and `unknown` are for `conform` alone."
      ),
      .key("readDelay", \.readDelay, .duration, "How long after its acknowledgement a record may be missing there."),
    ])
}

extension TargetVerification {
  /// The text of the key `fields`, which `Dialect` has as well.
  static let fieldsText =
    "Where fields of a record stand in an entry, by the record's own names: `coords.latitude`, `timestamp`, `extras`. Usual names need no entry. `[1]` is the second element of a list: `$.geometry.coordinates[1]`; `['…']` is any name: `$['recorded at']`, as well `$.recorded-at`. At the end ` / 100` divides a number, and ` in UTC` gives a time its zone: `$.battery / 100`, `$.time in UTC`."
}

extension ValueCodec where Value == String {
  /// `$`, followed by names after dots, `['any name']`, `[*]` for every element, and `[1]` for the second one.
  static var jsonPath: ValueCodec {
    text(pattern: patternOfPath, words: "a path as in \"$[*].uuid\"", where: TargetVerification.isPath)
  }

  /// The path of a field, which may end with ` / 100` or ` in UTC`.
  static var recordPlace: ValueCodec {
    text(
      pattern: String(patternOfPath.dropLast()) + "( / [1-9][0-9]{0,9}| in UTC)?$",
      words: "a path as in \"$.lat\", \"$.battery / 100\" or \"$.time in UTC\""
    ) { JSONStep.parsed($0, converts: true) != nil }
  }

  private static let patternOfPath =
    "^\\$(\\[(\\*|[0-9]{1,4}|'[^']+'|\"[^\"]+\")\\]|\\.[A-Za-z_][A-Za-z0-9_-]*)*$"
}

extension ValueCodec where Value == String {
  /// A URL with the placeholders of `TargetVerification`.
  fileprivate static var listURL: ValueCodec {
    ValueCodec(ValueCodec.text.schema, show: { .string($0) }) { value, context in
      guard let text = ValueCodec.text.read(value, &context) else { return nil }
      guard let name = TargetVerification.unknownPlaceholder(in: text) else { return text }
      let known = TargetVerification.placeholders.map { "{\($0)}" }
      context.refuse(.undeclared, value.position, word: "{\(name)}", as: "placeholder", known: known)
      return nil
    }
  }
}

/// How the oracle learns what a server stored.
package enum VerificationMethod: String, CaseIterable, Sendable {
  /// From the client's journal only.
  case journal
  /// By querying the server for uuids.
  case query
  /// By the administration of a Rolling Road server.
  case admin
}
