import Foundation
import JSON
import Testing

@testable import BackgroundGeolocation

/// Apps have dictionaries from Foundation's JSONSerialization, whose numbers are NSNumbers.
@Suite struct FoundationNumberTests {
  @Test(arguments: [
    #"{"a":0,"b":1,"c":true,"d":false}"#, #"{"a":2.5,"b":[1,0,true]}"#, #"{"a":-1,"b":{"c":9007199254740993}}"#,
  ])
  func aNumberIsNoTruthValue(text: String) throws {
    let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let value = try #require(JSONObject(any: object))
    #expect(JSONValue.object(value).serializedText == text)
  }

  @Test func numbersThatTheAppMakesKeepTheirKind() throws {
    let object: [String: Any] = [
      "a": NSNumber(value: 1), "b": NSNumber(value: true), "c": NSNumber(value: 0.0), "d": NSNumber(value: 1.0),
    ]
    let value = try #require(JSONObject(any: object))
    #expect(
      value["a"] == .integer(1) && value["b"] == .bool(true) && value["c"] == .double(0) && value["d"] == .double(1))
  }
}
