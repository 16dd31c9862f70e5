import JSON

/// Laying one JSON object over another on the level of bytes: `{…base, …over}`, where a member of `over` replaces the
/// members of `base` with the same key. Keys are compared by what they say, not by how they are escaped.
enum ObjectMerge {
  /// Nothing in `base` is written anew: it is copied, but for members that are replaced. `base` must be an object.
  static func append(
    _ base: Span<UInt8>, laidUnder over: RenderedObject, to bytes: inout [UInt8]
  ) throws(JSONError) {
    try append(base, without: over.keys, to: &bytes)
    guard !over.isEmpty else { return }
    bytes.removeLast()
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: over.members)
    bytes.append(UInt8(ascii: "}"))
  }

  /// `{…base, …more}` with the members of `base` as they are: one of `more` with the same key is left out.
  static func append(
    _ base: Span<UInt8>, extendedBy more: RenderedObject, to bytes: inout [UInt8]
  ) throws(JSONError) {
    var more = more
    for key in try keys(of: base) { more = more.removing(key) }
    try append(base, laidUnder: more, to: &bytes)
  }

  private static func keys(of object: Span<UInt8>) throws(JSONError) -> [[UInt8]] {
    var reader = JSONReader(object, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth))
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
  static func append(_ object: Span<UInt8>, without keys: [[UInt8]], to bytes: inout [UInt8]) throws(JSONError) {
    let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)
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
