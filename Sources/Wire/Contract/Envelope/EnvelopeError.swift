package import JSON

/// Why a body as a whole could not be read.
package enum EnvelopeError: Error, Equatable {
  /// No byte but white space.
  case empty
  /// A number, a text, true, false or null.
  case neitherObjectNorArray
  /// No JSON, or not so far that the records in it can be told apart.
  case malformed(JSONError)
  case tooManyRecords(limit: Int)
}
