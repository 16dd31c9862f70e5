import JSON
import Support
import Testing

@testable import IngestServer

/// Two names that look alike, "é" in one scalar and in two, as a whole server tells them apart.
@Suite struct ExactNameServerTests {
  private static let one = "caf%C3%A9"
  private static let other = "cafe%CC%81"
  private static let names = ["caf\u{E9}", "cafe\u{301}"]

  private func records(_ server: IngestServer, _ device: String) throws -> String {
    try Curl.run([server.url + "/admin/v1/devices/\(device)/locations?format=ndjson"])
  }

  @Test func aDeviceIsDeletedWithoutItsTwin() throws {
    try withServer { server throws in
      for name in Self.names {
        let answer = try post(server, "/locations", #"{"device_id":"\#(name)","location":\#(Uploads.record(1))}"#)
        #expect(answer.text == #"{"accepted":1,"duplicate":0,"quarantined":0}"#)
      }
      #expect(try records(server, Self.one).hasSuffix(" 200"))
      #expect(try records(server, Self.other).hasSuffix(" 200"))
      let path = server.url + "/admin/v1/devices/" + Self.other
      #expect(try Curl.run(["-X", "DELETE", path]) == #"{"devices":1} 200"#)
      #expect(try Curl.run(["-X", "DELETE", path]).hasSuffix(" 404"))
      #expect(try records(server, Self.one).hasSuffix(" 200"))
      #expect(try records(server, Self.other).hasSuffix(" 404"))
    }
  }

  @Test func aFaultMeetsTheOneThatIsNamed() throws {
    try withServer { server throws in
      let rule =
        #"{"faults":[{"id":"f","fault":{"kind":"status","status":503},"match":{"device":"\#(Self.names[0])"}}]}"#
      #expect(try Curl.run(["-X", "PUT", "-d", rule, server.url + "/admin/v1/faults"]).hasSuffix(" 200"))
      let statuses = try Self.names.map { name in
        try post(server, "/locations", #"{"device_id":"\#(name)","location":\#(Uploads.record(1))}"#).status
      }
      #expect(statuses == [503, 200])
    }
  }

  @Test func runsAreCountedAndForgottenOneByOne() throws {
    try withServer { server throws in
      for run in [Self.one, Self.other] {
        #expect(try post(server, "/r/\(run)/locations", #"{"location":\#(Uploads.record(1))}"#).status == 200)
      }
      func requests(_ run: String) throws -> JSONValue? {
        let text = try Curl.run([server.url + "/admin/v1/runs?run=\(run)"])
        guard case .array(let runs)? = try JSONValue(parsing: Array(text.utf8.dropLast(4)).span)["runs"] else {
          return nil
        }
        return runs.first?["requests"]
      }
      #expect(try requests(Self.one) == .integer(1))
      #expect(try Curl.run(["-X", "POST", server.url + "/admin/v1/reset?run=" + Self.other]).hasSuffix(" 200"))
      #expect(try requests(Self.one) == .integer(1))
      #expect(try requests(Self.other) == nil)
    }
  }
}
