internal import Base
import JSON

/// The places of a record's values in the output of a template, by their names in the default schema (SDK §7.5). Only a value
/// made by a single tag has a place: in `"id-<%= uuid %>"` the part of the value cannot be determined.
package struct TemplateFieldPaths: Sendable {
  /// One step from the root to a value.
  package enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  /// The place of one value.
  package struct Place: Sendable {
    /// `coords.latitude`.
    package let field: String
    package let steps: [Step]
  }

  package private(set) var places: [Place] = []
  /// The keys at the root of an object, whatever their values.
  package private(set) var keys: [String] = []
  /// Whether the extras are an element of their own; in an object they are beside the keys (SDK §7.5.2).
  package private(set) var isArray = false

  /// Returns nil for the empty text, which means the default schema, and for a template whose result is not JSON.
  package init?(_ text: String, kind: RecordTemplate.Kind) {
    guard let template = RecordTemplate(text, kind: kind) else { return nil }
    let (draft, tags) = template.draft
    do throws(JSONError) {
      var reader = JSONReader(draft.span)
      isArray = try reader.peek() == .array
      try read(&reader, tags, at: [])
      try reader.finish()
    } catch { return nil }
  }

  private mutating func read(
    _ reader: inout JSONReader, _ tags: [Int: TemplateTag], at steps: [Step]
  ) throws(JSONError) {
    switch try reader.peek() {
    case .object:
      try reader.enterObject()
      while let key = try reader.nextKey() {
        var bytes: [UInt8] = []
        reader.append(key, to: &bytes)
        let name = String(decoding: bytes, as: UTF8.self)
        if steps.isEmpty { keys.append(name) }
        // As in a record, the last occurrence counts.
        places.removeAll { $0.steps.starts(with: steps + [.member(name)]) }
        try read(&reader, tags, at: steps + [.member(name)])
      }
    case .array:
      var index = 0
      try reader.enterArray()
      while try reader.nextElement() {
        try read(&reader, tags, at: steps + [.element(index)])
        index += 1
      }
    case .number: note(try reader.readNumber().range, tags, at: steps)
    case .string: note(try reader.readText().range, tags, at: steps)
    case .true, .false, .null: _ = try reader.skipValue()
    }
  }

  private mutating func note(_ range: Range<Int>, _ tags: [Int: TemplateTag], at steps: [Step]) {
    guard range.count == 1, let tag = tags[range.lowerBound] else { return }
    places.append(Place(field: tag.field, steps: steps))
  }
}

extension TemplateTag {
  /// The name of the value in the default schema.
  fileprivate var field: String {
    switch self {
    case .latitude, .longitude, .accuracy, .speed, .heading, .altitude, .altitudeAccuracy, .speedAccuracy,
      .headingAccuracy, .ellipsoidalAltitude:
      "\(RecordKey.coords).\(name)"
    default: name
    }
  }
}

/// A problem of a template, found before a record is written with it.
package struct TemplateProblem: Equatable, Sendable {
  /// A clause, without a final stop.
  package let cause: String
  package let remedy: String

  package init(cause: String, remedy: String) { (self.cause, self.remedy) = (cause, remedy) }
}

extension RecordTemplate {
  /// Returns why a template cannot render a usual record; nil when it can. In that case the SDK logs an error, and the record
  /// is written in the default schema (SDK §7.5.1).
  package static func problem(
    in text: String, kind: Kind, _ style: RecordStyle, of record: LocationRecord
  ) -> TemplateProblem? {
    guard let template = RecordTemplate(text, kind: kind) else { return nil }
    if let unknown = template.unknownTags.first {
      let known = TemplateTag.allCases.filter { kind == .geofence || !$0.needsGeofence }.map(\.name)
      return TemplateProblem(
        cause: "unknown tag <%= \(unknown) %>: the SDK writes nothing in its place",
        remedy: NearestName.find(unknown, in: known).map { "did you mean <%= \($0) %>?" }
          ?? "write one of: \(known.joined(separator: ", "))")
    }
    var encoder = RecordEncoder(style: style)
    var draft: [UInt8] = []
    var tags: [(tag: TemplateTag, range: Range<Int>)] = []
    for segment in template.segments {
      let start = draft.count
      switch segment {
      case .text(let text): draft += text
      case .tag(let tag):
        append(tag, of: record, &encoder, to: &draft)
        tags.append((tag, start..<draft.count))
      }
    }
    guard let offset = offsetOfError(in: draft) else { return nil }
    let end = min(offset + 20, draft.count)
    let excerpt = String(decoding: draft[max(offset - 20, 0)..<end], as: UTF8.self)
    let cause =
      "it gives no JSON at …\(excerpt)…, so that the SDK logs an error and uploads the default schema (SDK §7.5.1)"
    // A value that ended too early is an unquoted text; a complete one is followed by something invalid.
    guard let (tag, _) = tags.first(where: { $0.range.contains(offset) }) else {
      return TemplateProblem(
        cause: cause, remedy: "write one that becomes a JSON object or list when its tags are filled in")
    }
    let other = tag == .timestamp || tag == .recordedAt ? ", or set persistence.timestampFormat to \"epoch\"" : ""
    return TemplateProblem(
      cause: cause, remedy: "the value of <%= \(tag.name) %> is a text: write \"<%= \(tag.name) %>\"\(other)")
  }

  private static func offsetOfError(in draft: [UInt8]) -> Int? {
    do throws(JSONError) {
      var reader = JSONReader(draft.span)
      let kind = try reader.peek()
      guard kind == .object || kind == .array else { return reader.offset }
      _ = try reader.skipValue()
      try reader.finish()
      return nil
    } catch { return error.offset }
  }
}
