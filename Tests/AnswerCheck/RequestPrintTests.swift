import Base
import Testing
import Upload

@testable import AnswerCheck

@Suite struct RequestPrintTests {
  private func print(_ body: String) -> RequestPrint {
    RequestPrint(
      OutgoingRequest(
        id: 1, purpose: .records, method: "POST", url: "http://127.0.0.1/", headers: [], body: Array(body.utf8),
        timeout: .seconds(1)))
  }

  private let uuid = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"

  @Test func theSameRecordIsKnownByItsUUID() {
    #expect(print(#"{"age":1,"uuid":"\#(uuid)"}"#) == print(#"{"uuid":"\#(uuid)","age":22}"#))
    #expect(print(#"{"uuid":"\#(uuid)"}"#) != print(#"{"uuid":"\#(uuid.lowercased())"}"#))
    #expect(print(#"{""uuid":"\#(uuid)"}"#) == print(#"{"uuid":"\#(uuid)"}"#), "a quotation mark before it")
  }

  /// The body is what is left to know it by.
  @Test func withoutAWholeUUIDTheBodyCounts() {
    let body = #"{"age":1,"uuid":"\#(uuid)"#
    #expect(print(body) == print(#"{"uuid":"\#(uuid)"}"#), "whole with its last digit")
    for length in 0..<body.utf8.count {
      let beginning = String(body.prefix(length))
      #expect(print(beginning) == print(beginning) && print(beginning) != print(beginning + " "), "\(length)")
    }
  }
}
