package import JSON

/// A JSON object kept as text: extras and params, which are written often and rarely examined.
package struct RenderedObject: Sendable {
  /// The empty object.
  package static let empty = RenderedObject(storage: nil)

  /// The text and its keys; nil for the empty object, so that a record without extras uses no memory for them.
  private let storage: Storage?

  /// The text must be one JSON object; white space around it is dropped, everything inside is kept unchanged.
  package init(_ text: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
    var reader = JSONReader(text, limits: limits)
    var keys: [[UInt8]] = []
    var first: Int?
    var end = 0
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if first == nil { first = key.range.lowerBound - 1 }
      end = try reader.skipValue().upperBound
      var name: [UInt8] = []
      reader.append(key, to: &name)
      keys.append(name)
    }
    try reader.finish()
    guard let first else {
      storage = nil
      return
    }
    var members: [UInt8] = []
    reader.append(rawValue: first..<end, to: &members)
    storage = Storage(members: members, keys: keys)
  }

  package init(_ text: String) throws(JSONError) { try self.init(text.utf8.span) }

  /// Renders an object of the configuration. Nil for values of other kinds, and for numbers that JSON cannot express.
  package init?(_ value: JSONValue) {
    guard case .object = value else { return nil }
    let text = value.serialized
    do throws(JSONError) {
      try self.init(
        text.span, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth))
    } catch {
      return nil
    }
  }

  private init(storage: Storage?) { self.storage = storage }

  package var isEmpty: Bool { storage == nil }

  /// The keys in the order of the text, unescaped.
  var keys: [[UInt8]] { storage?.keys ?? [] }

  /// The text between the braces.
  var members: [UInt8] { storage?.members ?? [] }

  /// Appends the object with its braces.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    if let storage { bytes.append(contentsOf: storage.members) }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns `{…self, …other}`: for a key in both the member of `other` is kept. This merges the extras of a request into those
  /// of the configuration.
  package func merging(_ other: RenderedObject) -> RenderedObject {
    guard !other.isEmpty else { return self }
    var text: [UInt8] = []
    append(to: &text)
    var merged: [UInt8] = []
    do {
      try ObjectMerge.append(text.span, laidUnder: other, to: &merged, limits: RenderedObject.limitsOfChecked)
      return try RenderedObject(merged.span, limits: RenderedObject.limitsOfChecked)
    } catch { preconditionFailure("two objects that were checked make a third: \(error)") }
  }

  /// Returns the object without the members of this key.
  func removing(_ key: [UInt8]) -> RenderedObject {
    guard keys.contains(key) else { return self }
    var text: [UInt8] = []
    append(to: &text)
    var rest: [UInt8] = []
    do {
      try ObjectMerge.append(text.span, without: [key], to: &rest, limits: RenderedObject.limitsOfChecked)
      return try RenderedObject(rest.span, limits: RenderedObject.limitsOfChecked)
    } catch { preconditionFailure("an object that was checked without a member: \(error)") }
  }

  /// The texts were checked, or accepted unchecked, when the object was made.
  private static let limitsOfChecked = JSONLimits(maxDepth: JSONLimits.greatestDepth, isStructureOnly: true)

  private final class Storage: Sendable {
    let members: [UInt8]
    let keys: [[UInt8]]

    init(members: [UInt8], keys: [[UInt8]]) {
      self.members = members
      self.keys = keys
    }
  }
}

extension RenderedObject: Equatable {
  /// Compares the text; objects that differ only in white space or in the order of their members are not equal.
  package static func == (left: RenderedObject, right: RenderedObject) -> Bool {
    left.storage === right.storage || left.members == right.members
  }
}

/// Merges two JSON objects on the level of bytes: `{…base, …over}`, where a member of `over` replaces the members of `base`
/// with the same key. Keys are compared unescaped.
enum ObjectMerge {
  /// Copies `base` unchanged except for members that are replaced. `base` must be an object.
  static func append(
    _ base: Span<UInt8>, laidUnder over: RenderedObject, to bytes: inout [UInt8],
    limits: JSONLimits = ObjectMerge.limits
  ) throws(JSONError) {
    try append(base, without: over.keys, to: &bytes, limits: limits)
    guard !over.isEmpty else { return }
    bytes.removeLast()
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: over.members)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends `{…base, …more}` with the members of `base` unchanged: a member of `more` with the same key is left out.
  static func append(
    _ base: Span<UInt8>, extendedBy more: RenderedObject, to bytes: inout [UInt8]
  ) throws(JSONError) {
    var more = more
    for key in try keys(of: base) { more = more.removing(key) }
    try append(base, laidUnder: more, to: &bytes)
  }

  static let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)

  private static func keys(of object: Span<UInt8>) throws(JSONError) -> [[UInt8]] {
    var reader = JSONReader(object, limits: limits)
    var keys: [[UInt8]] = []
    try reader.enterObject()
    while let key = try reader.nextKey() {
      _ = try reader.skipValue()
      var name: [UInt8] = []
      reader.append(key, to: &name)
      keys.append(name)
    }
    try reader.finish()
    return keys
  }

  /// Appends the object without the members of these keys and without white space around members.
  static func append(
    _ object: Span<UInt8>, without keys: [[UInt8]], to bytes: inout [UInt8], limits: JSONLimits = ObjectMerge.limits
  ) throws(JSONError) {
    var reader = JSONReader(object, limits: limits)
    var unescaped: [UInt8] = []
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    try reader.enterObject()
    while let key = try reader.nextKey() {
      let end = try reader.skipValue().upperBound
      if key.isPlain {
        if contains(keys, object.extracting(key.range)) { continue }
      } else {
        unescaped.removeAll(keepingCapacity: true)
        reader.append(key, to: &unescaped)
        if contains(keys, unescaped.span) { continue }
      }
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      reader.append(rawValue: key.range.lowerBound - 1..<end, to: &bytes)
    }
    try reader.finish()
    bytes.append(UInt8(ascii: "}"))
  }

  private static func contains(_ keys: [[UInt8]], _ name: Span<UInt8>) -> Bool {
    keys.contains { key in
      guard key.count == name.count else { return false }
      for index in key.indices where key[index] != name[index] { return false }
      return true
    }
  }
}
