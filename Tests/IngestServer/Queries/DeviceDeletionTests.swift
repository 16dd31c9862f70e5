import JSON
import Store
import Testing

@testable import IngestServer

@Suite struct DeviceDeletionTests {
  private func delete(_ device: String, from harness: SessionHarness, run: String? = nil) throws -> TestAnswer {
    try harness.request("DELETE", (run.map { "/r/\($0)" } ?? "") + "/admin/v1/devices/\(device)")
  }

  @Test(arguments: ServerConfiguration.Authentication.allCases)
  func aTokenOfADeletedDeviceGetsAStopCommand(authentication: ServerConfiguration.Authentication) throws {
    let harness = try SessionHarness { $0.authentication = authentication }
    let tokens = try harness.register("truck")
    #expect(try harness.upload(1, bearer: tokens.access).status == 200)
    #expect(try delete("truck", from: harness).text == #"{"devices":1}"#)
    let upload = try harness.upload(2, bearer: tokens.access)
    let refresh = try harness.refresh(tokens.refresh)
    for answer in [upload, refresh] {
      #expect(answer.status == 410)
      #expect(try answer.errorCode == "device_deleted")
      #expect(try answer.commands == #"[["stop"]]"#)
    }
    #expect(try harness.reader.devices(limit: 10).elements.isEmpty)
    let again = try harness.register("truck")
    #expect(try harness.upload(2, bearer: again.access).status == 200)
    #expect(try harness.upload(1, bearer: again.access).text == #"{"accepted":1,"duplicate":0,"quarantined":0}"#)
    #expect(try harness.upload(3, bearer: tokens.access).status == 410)
  }

  @Test func aNameWithoutATokenIsANewDevice() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<5, of: "car")
    #expect(try delete("car", from: harness).status == 200)
    #expect(try harness.request("GET", "/admin/v1/devices/car").status == 404)
    try harness.upload(0..<2, of: "car")
    #expect(try harness.request("GET", "/admin/v1/devices/car").json()["records"] == .integer(2))
  }

  @Test func aDeviceThatIsNotThereIsNotFound() throws {
    let harness = try SessionHarness()
    try harness.upload(0..<2, of: "car", run: "one")
    #expect(try delete("car", from: harness).status == 404)
    #expect(try delete("car", from: harness, run: "one").status == 200)
    #expect(try delete("car", from: harness, run: "one").status == 404)
  }

  @Test func theOtherDevicesKeepTheirsAndTheirTokens() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    _ = try harness.register("truck")
    let bus = try harness.register("bus")
    #expect(try delete("truck", from: harness).status == 200)
    #expect(try harness.upload(1, bearer: bus.access).status == 200)
    #expect(try harness.refresh(bus.refresh).status == 200)
  }

  /// With a client that takes `.` and `..` out of paths.
  @Test func aNameThatNoPathHoldsIsDeletedByTheQuery() throws {
    try withServer { (server) throws in
      for (name, word) in [(".", "."), ("..", ".."), ("a\\nb", "a%0Ab"), ("a/b", "a%2Fb")] {
        let body = "{\"device_id\":\"\(name)\",\"location\":\(Uploads.record(1))}"
        #expect(try Curl.run(["-d", body, server.url + "/locations"]).hasSuffix(" 200"))
        let target = server.url + "/admin/v1/devices?device=" + word
        #expect(try Curl.run(["-X", "DELETE", target]) == #"{"devices":1} 200"#, "\(word)")
        #expect(try Curl.run(["-X", "DELETE", target]).hasSuffix(" 404"), "\(word)")
      }
    }
  }

  @Test(arguments: ["", "?run=one", "?device="])
  func withoutANameNothingIsDeleted(query: String) throws {
    let harness = try SessionHarness()
    try harness.upload(0..<2, of: "car")
    let answer = try harness.request("DELETE", "/admin/v1/devices\(query)")
    #expect(try answer.status == 400 && answer.errorCode == "bad_parameter", "\(answer.text)")
    #expect(try harness.reader.devices(limit: 10).elements.count == 1)
  }
}
