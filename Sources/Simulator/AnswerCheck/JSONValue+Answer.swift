package import JSON
package import Upload

extension JSONValue {
  /// Nil when the content of the answer is not JSON.
  package init?(answerOf outcome: RequestOutcome) {
    let bytes = outcome.body
    do throws(JSONError) { self = try JSONValue(parsing: bytes.span, reading: .lenient) } catch { return nil }
  }
}
