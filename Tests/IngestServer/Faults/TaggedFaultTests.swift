import Base
import ServerSupport
import Store
import Support
import Testing

@testable import IngestServer

/// Rules about the devices with a tag, as the tags change.
@Suite struct TaggedFaultTests {
  private func server(match: String) throws -> VirtualServer {
    let server = try VirtualServer()
    let body = #"{"faults":[{"id":"f","fault":{"kind":"status","status":500},"match":\#(match)}]}"#
    #expect(try server.connect().request("PUT", "/admin/v1/faults", body: body).status == 200)
    return server
  }

  private func tag(_ server: VirtualServer, _ device: String, _ tags: String, run: String = "") throws {
    let path = (run.isEmpty ? "" : "/r/\(run)") + "/admin/v1/devices/\(device)/tags"
    #expect(try server.connect().request("PUT", path, body: #"{"tags":\#(tags)}"#).status == 200)
  }

  private func upload(_ server: VirtualServer, _ device: String, run: String = "") throws -> Int {
    let path = (run.isEmpty ? "" : "/r/\(run)") + "/locations"
    return try server.connect().request("POST", path, [("X-Device-Id", device)], body: Uploads.record(1)).status
  }

  @Test func onlyDevicesWithTheTagMeetTheFault() throws {
    let server = try server(match: #"{"tag":"vans"}"#)
    #expect(try upload(server, "a") == 200)
    try tag(server, "a", #"["blue","vans"]"#)
    #expect(try upload(server, "a") == 500)
    #expect(try upload(server, "b") == 200)
    try tag(server, "a", #"["blue"]"#)
    #expect(try upload(server, "a") == 200)
  }

  @Test func aDeviceThatTheBodyNamesHasItsTags() throws {
    let server = try server(match: #"{"tag":"vans"}"#)
    try tag(server, "a", #"["vans"]"#)
    let body = #"{"device_id":"a","location":\#(Uploads.record(1))}"#
    #expect(try server.connect().request("POST", "/locations", body: body).status == 500)
  }

  @Test func aTagOfOneRunIsNoneOfAnother() throws {
    let server = try server(match: #"{"tag":"vans","run":"*"}"#)
    try tag(server, "a", #"["vans"]"#, run: "x")
    #expect(try upload(server, "a") == 200)
    #expect(try upload(server, "a", run: "y") == 200)
    #expect(try upload(server, "a", run: "x") == 500)
  }

  @Test func aTagThatWasNotCommittedIsNone() throws {
    let server = try server(match: #"{"tag":"vans"}"#)
    server.hub.committed(
      [.setTags(DeviceIdentity(name: "a"), ["vans"])], [.unavailable(.full)], now: .init(millisecondsSince1970: 0))
    #expect(try upload(server, "a") == 200)
  }

  @Test func aResetForgetsTheTagsOfItsRun() throws {
    let server = try server(match: #"{"tag":"vans","run":"*"}"#)
    try tag(server, "a", #"["vans"]"#)
    try tag(server, "a", #"["vans"]"#, run: "x")
    // A reset may take the rules with it; what is looked at here are the tags.
    _ = server.store.apply([.reset(run: "x")], now: .init(millisecondsSince1970: 0))
    #expect(try upload(server, "a", run: "x") == 200)
    #expect(try upload(server, "a") == 500)
    _ = server.store.apply([.reset(run: nil)], now: .init(millisecondsSince1970: 0))
    #expect(try upload(server, "a") == 200)
  }

  @Test func tagsOfAnEarlierProcessCount() throws {
    let folder = try TemporaryFolder()
    let configuration = ServerConfiguration.loopback(data: folder.path)
    for isFirst in [true, false] {
      let server = try IngestServer(configuration)
      defer { server.stop() }
      if isFirst {
        _ = try Curl.run(["-X", "PUT", "-d", #"{"tags":["vans"]}"#, server.url + "/admin/v1/devices/a/tags"])
      }
      let rule = #"{"faults":[{"id":"f","fault":{"kind":"status","status":500},"match":{"tag":"vans"}}]}"#
      #expect(try Curl.run(["-X", "PUT", "-d", rule, server.url + "/admin/v1/faults"]).hasSuffix(" 200"))
      let upload = ["-H", "X-Device-Id: a", "-d", Uploads.record(1), server.url + "/locations"]
      #expect(try Curl.run(upload).hasSuffix(" 500"))
    }
  }

  @Test func theListShowsTheTag() throws {
    let server = try server(match: #"{"tag":"vans"}"#)
    #expect(try server.connect().request("GET", "/admin/v1/faults").text.contains(#""match":{"tag":"vans""#))
  }
}
