package import JSON

extension RenderedObject {
  /// The text of an object as it is configured; of anything else the object without members.
  package init(_ value: JSONValue) {
    var writer = JSONWriter(capacity: 256)
    let object = if case .object = value { value } else { JSONValue.emptyObject }
    object.write(to: &writer)
    do {
      try self.init(
        writer.bytes.span, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth, maxTextBytes: .max))
    } catch { preconditionFailure("a value that was written can be read: \(error)") }
  }
}
