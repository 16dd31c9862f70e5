import JSON
import Store
import Testing

@testable import IngestServer

@Suite struct UploadIdentityTests {
  private let place = #""coords":{"latitude":1,"longitude":2}"#

  /// The name under which the only device of a new server is known after this upload.
  private func device(_ body: String, to target: String = "/locations", header: String? = nil) throws -> String? {
    let harness = try SessionHarness()
    let answer = try harness.upload(body, to: target, header.map { [("X-Device-Id", $0)] } ?? [])
    #expect(answer.status == 200)
    return try harness.reader.devices(limit: 10).elements.first?.identity.name
  }

  @Test func theSourcesOfAnIdentityHaveAnOrder() throws {
    let all = #"{"location":{\#(place)},"device":{"uuid":"uuid"},"deviceId":"camel","device_id":"snake"}"#
    #expect(try device(all, to: "/ingest/path", header: "header") == "header")
    #expect(try device(all, to: "/ingest/path") == "snake")
    #expect(try device(#"{"location":{\#(place)},"device":{"uuid":"uuid"},"deviceId":"camel"}"#) == "camel")
    #expect(try device(#"{"location":{\#(place)},"device":{"uuid":"uuid"}}"#, to: "/ingest/path") == "uuid")
    #expect(try device(#"{"location":{\#(place)}}"#, to: "/ingest/path/more") == "path")
    #expect(try device(#"{"location":{\#(place)}}"#, to: "/locations/acme") == "acme")
    #expect(try device(#"{"location":{\#(place)}}"#) == "anonymous")
  }

  @Test func theBodyMaySayItInTheRecordToo() throws {
    #expect(try device(#"{\#(place),"device_id":"a"}"#) == "a")
    #expect(try device(#"{\#(place),"device_id":17}"#) == "17")
    #expect(try device(#"[{\#(place),"extras":{"deviceId":"b"}}]"#) == "b")
    #expect(try device(#"{"location":{\#(place),"device_id":"in"},"device_id":"out"}"#) == "out")
  }

  @Test func whatIsEmptySaysNothing() throws {
    #expect(try device(#"{"location":{\#(place)},"device_id":"","deviceId":"b"}"#, header: "") == "b")
    #expect(try device(#"{"location":{\#(place)}}"#, to: "/ingest//") == "anonymous")
  }

  @Test func aNameBeyondAllMeasureIsRefused() throws {
    let harness = try SessionHarness()
    for (length, status) in [(255, 200), (256, 400)] {
      let name = String(repeating: "n", count: length)
      #expect(try harness.upload(#"{"location":{\#(place)},"device_id":"\#(name)"}"#).status == status)
      #expect(try harness.upload("[]", to: "/locations", [("X-Run-Id", name)]).status == status)
    }
  }

  @Test func runsAreApart() throws {
    let harness = try SessionHarness()
    let body = #"{\#(place),"device_id":"a"}"#
    #expect(try harness.upload(body).json()["accepted"] == .integer(1))
    #expect(try harness.upload(body, to: "/r/one/locations").json()["accepted"] == .integer(1))
    #expect(try harness.upload(body, to: "/locations", [("X-Run-Id", "two")]).json()["accepted"] == .integer(1))
    #expect(try harness.upload(body, to: "/r/one/locations", [("X-Run-Id", "two")]).json()["duplicate"] == .integer(1))
    let runs = try harness.reader.devices(limit: 10).elements.map(\.identity)
    #expect(runs == ["", "one", "two"].map { DeviceIdentity(run: $0, name: "a") })
  }

  @Test func aTokenSpeaksForItsDeviceAndForNoOther() throws {
    let harness = try SessionHarness { $0.authentication = .required }
    let registration = #"{"org":"o","uuid":"truck","model":"m","manufacturer":"f","version":"1"}"#
    let answer = try harness.upload(registration, to: "/api/register")
    guard case .string(let token)? = try answer.json()["accessToken"] else { throw NoAnswer(request: "register") }
    let bearer = ("Authorization", "Bearer \(token)")
    let body = #"{"location":{\#(place)}}"#
    #expect(try harness.upload(body).status == 401)
    #expect(try harness.upload(body, to: "/ingest/path", [bearer]).status == 200)
    #expect(try harness.upload(body, to: "/locations", [bearer, ("X-Device-Id", "truck")]).status == 200)
    #expect(try harness.upload(body, to: "/locations", [bearer, ("X-Device-Id", "other")]).status == 403)
    #expect(
      try harness.upload(#"{"location":{\#(place)},"device_id":"other"}"#, to: "/locations", [bearer]).status == 403)
    #expect(try harness.upload(body, to: "/r/elsewhere/locations", [bearer]).status == 403)
    #expect(try harness.reader.devices(limit: 10).elements.map(\.identity) == [DeviceIdentity(name: "truck")])
  }
}
