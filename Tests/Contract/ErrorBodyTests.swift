import Contract
import JSON
import Testing

struct ErrorBodyTests {
  @Test func theBodyHasOneShape() throws {
    let plain = ErrorBody(code: "not_found", message: "No such device")
    #expect(plain.json == (try JSONValue(source: #"{"error":{"code":"not_found","message":"No such device"}}"#)))
    let detailed = ErrorBody(code: "bad_body", message: "m", detail: .object(["offset": .integer(5)]))
    let expected = #"{"error":{"code":"bad_body","message":"m","detail":{"offset":5}}}"#
    #expect(detailed.json == (try JSONValue(source: expected)))
    for body in [plain, detailed] { #expect(try ErrorBody(body.json) == body) }
  }

  @Test(arguments: [
    "{}", "[]", #"{"error":"BANNED"}"#, #"{"error":{}}"#, #"{"error":{"code":"x"}}"#, #"{"error":null}"#,
  ])
  func otherBodiesAreNoErrorBodies(text: String) throws {
    let value = try JSONValue(source: text)
    #expect(throws: FieldError.self) { try ErrorBody(value) }
  }
}
