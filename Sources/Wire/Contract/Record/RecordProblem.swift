/// Why a record can not be used and must be put aside. It concerns this record only, never its batch.
package struct RecordProblem: Error, Equatable {
  /// The reason; the raw value is fit for storing.
  package enum Code: String, CaseIterable, Sendable {
    /// A number, a text, true, false or null in place of a record.
    case notAnObject
    /// An array of values, and no template says what so many of them mean.
    case arrayWithoutSchema
    /// Latitude or longitude is missing or null.
    case missingCoordinate
    /// Latitude or longitude is there but is not a number.
    case unreadableCoordinate
    /// Latitude beyond ±90 or longitude beyond ±180 degrees.
    case coordinateOutOfRange
    /// No JSON, though its brackets and quotes are in order: a text has a lone surrogate, a control character or bytes that
    /// are not UTF-8, or a number is beyond the range of a double.
    case malformed
  }

  package let code: Code
  /// The key in question, in the default schema.
  package let key: String?

  init(_ code: Code, _ field: RecordField? = nil) {
    self.code = code
    key = field.map { $0.key.description }
  }
}
