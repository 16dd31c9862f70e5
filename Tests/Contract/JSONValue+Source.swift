import JSON

extension JSONValue {
  /// The value of a text written into a test.
  init(source: String) throws(JSONError) { try self.init(parsing: source.utf8.span) }
}
