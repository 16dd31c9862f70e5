package import JSON
package import Upload

extension JSONValue {
  /// Nil when the body of the answer is not JSON.
  package init?(answer body: [UInt8]) {
    do throws(JSONError) { self = try JSONValue(parsing: body.span, reading: .lenient) } catch { return nil }
  }

  /// Nil when the content of the answer is not JSON.
  package init?(answerOf outcome: RequestOutcome) { self.init(answer: outcome.body) }
}
