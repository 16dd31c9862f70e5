/// The user's own schema for records: a text in which tags stand for values. It is parsed once, when it is configured.
package struct RecordTemplate: Equatable, Sendable {
  /// For which records it is made.
  package enum Kind: Sendable {
    case location, geofence
  }

  enum Segment: Equatable {
    case text([UInt8])
    case tag(TemplateTag)
  }

  package let kind: Kind
  /// Tags that mean nothing here, in the order of the text; each becomes the empty text and is worth a warning.
  package let unknownTags: [String]
  let segments: [Segment]

  /// Nil for the empty text, which means the default schema. A tag that is not closed is text.
  package init?(_ text: String, kind: Kind) {
    if text.isEmpty { return nil }
    var segments: [Segment] = []
    var unknownTags: [String] = []
    var rest = Array(text.utf8)[...]
    while let opening = rest.firstRange(of: "<%=".utf8) {
      guard let closing = rest[opening.upperBound...].firstRange(of: "%>".utf8) else { break }
      if rest.startIndex < opening.lowerBound { segments.append(.text(Array(rest[..<opening.lowerBound]))) }
      let name = Self.name(rest[opening.upperBound..<closing.lowerBound])
      if let tag = TemplateTag.allCases.first(where: { $0.name == name }), kind == .geofence || !tag.needsGeofence {
        segments.append(.tag(tag))
      } else {
        unknownTags.append(name)
      }
      rest = rest[closing.upperBound...]
    }
    if !rest.isEmpty { segments.append(.text(Array(rest))) }
    self.kind = kind
    self.segments = segments
    self.unknownTags = unknownTags
  }

  /// Without the spaces around it.
  private static func name(_ bytes: ArraySlice<UInt8>) -> String {
    let name = bytes.drop { $0 <= UInt8(ascii: " ") }
    let end = name.lastIndex { $0 > UInt8(ascii: " ") }.map { $0 + 1 } ?? name.startIndex
    return String(decoding: name[..<end], as: UTF8.self)
  }
}
