import Base
import JSON

/// The places of values in records that a template made: the inverse of the template, for a server that is configured with the
/// `locationTemplate` or `geofenceTemplate` of its app. Only a value made by a single tag is found; one with text around it,
/// `"id-<%= uuid %>"`, is skipped, and so are values that a server does not use.
package struct TemplateSchema: Sendable {
  indirect enum Node: Sendable {
    case field(RecordField)
    case object([Member])
    case array([Node])
    case ignored
  }

  struct Member: Sendable {
    let name: [UInt8]
    var node: Node
  }

  /// An object or an array.
  let root: Node

  /// Parses the text of the app. The error describes the problem, with the nearest name for an unknown tag.
  package init(_ text: String, kind: RecordTemplate.Kind) throws(FieldError) {
    let path = kind == .location ? "locationTemplate" : "geofenceTemplate"
    guard let template = RecordTemplate(text, kind: kind) else { throw FieldError(path, .missing) }
    if let unknown = template.unknownTags.first {
      let tags = TemplateTag.allCases.filter { kind == .geofence || !$0.needsGeofence }.map(\.name)
      let near = NearestName.find(unknown, in: tags).map { "did you mean \($0)?" } ?? tags.joined(separator: ", ")
      throw FieldError(path, .outOfRange(expected: "made of known tags, which \(unknown) is not: \(near)"))
    }
    root = try Self.read(template, path)
    let fields = root.fields
    guard fields.contains(.latitude), fields.contains(.longitude) else {
      throw FieldError(path, .outOfRange(expected: "an object or an array with latitude and longitude, each alone"))
    }
  }

  /// Returns the templates with which a server of these apps would be configured. A template that is not JSON keeps the
  /// default schema (SDK §7.5).
  package static func list(of configurations: [Configuration]) -> [TemplateSchema] {
    var seen: Set<String> = []
    return configurations.map(\.persistence).flatMap { persistence in
      [(persistence.locationTemplate, RecordTemplate.Kind.location), (persistence.geofenceTemplate, .geofence)]
    }.compactMap { text, kind in
      guard !text.isEmpty, seen.insert("\(kind) \(text)").inserted else { return nil }
      do throws(FieldError) { return try TemplateSchema(text, kind: kind) } catch { return nil }
    }
  }

  private static func read(_ template: RecordTemplate, _ path: String) throws(FieldError) -> Node {
    let (draft, tags) = template.draft
    do throws(JSONError) {
      var reader = JSONReader(draft.span)
      let node = try read(&reader, tags)
      try reader.finish()
      return node
    } catch {
      throw FieldError(path, .outOfRange(expected: "JSON when its tags are filled in; \(error.description)"))
    }
  }

  private static func read(_ reader: inout JSONReader, _ tags: [Int: TemplateTag]) throws(JSONError) -> Node {
    switch try reader.peek() {
    case .object:
      var members: [Member] = []
      try reader.enterObject()
      while let key = try reader.nextKey() {
        var name: [UInt8] = []
        reader.append(key, to: &name)
        let node = try read(&reader, tags)
        // As in a record, the last occurrence counts.
        if let index = members.firstIndex(where: { $0.name == name }) {
          members[index].node = node
        } else {
          members.append(Member(name: name, node: node))
        }
      }
      return .object(members)
    case .array:
      var elements: [Node] = []
      try reader.enterArray()
      while try reader.nextElement() { elements.append(try read(&reader, tags)) }
      return .array(elements)
    case .number: return node(at: try reader.readNumber().range, tags)
    case .string: return node(at: try reader.readText().range, tags)
    case .true, .false, .null:
      _ = try reader.skipValue()
      return .ignored
    }
  }

  private static func node(at range: Range<Int>, _ tags: [Int: TemplateTag]) -> Node {
    guard range.count == 1, let tag = tags[range.lowerBound] else { return .ignored }
    switch FieldTable.shared.meaning(of: tag.name.utf8.span, in: .root) {
    case .field(let field, _): return .field(field)
    case .object, nil: return .ignored
    }
  }
}

extension TemplateSchema {
  /// The number of keys or elements at the root. If a record matches two templates, it belongs to the one with more.
  var count: Int {
    switch root {
    case .object(let members): members.count
    case .array(let elements): elements.count
    case .field, .ignored: 0
    }
  }
}

extension TemplateSchema.Node {
  /// All fields in the node and below it.
  fileprivate var fields: [RecordField] {
    switch self {
    case .field(let field): [field]
    case .object(let members): members.flatMap { $0.node.fields }
    case .array(let elements): elements.flatMap(\.fields)
    case .ignored: []
    }
  }
}
