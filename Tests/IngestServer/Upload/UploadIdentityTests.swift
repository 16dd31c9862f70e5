import Base
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

  @Test func emptyNamesAreIgnored() throws {
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

  /// The device that a record went to, with authentication off and this token.
  private func device(
    bearer: (TokenPair, SessionHarness) -> String, _ fields: [(String, String)] = [], after seconds: Int64 = 0
  ) throws -> String? {
    let harness = try SessionHarness()
    let tokens = try harness.register("truck")
    harness.advance(seconds: seconds)
    let authorization = ("Authorization", "Bearer \(bearer(tokens, harness))")
    let answer = try harness.upload(#"{"location":{\#(place)}}"#, to: "/ingest/path", [authorization] + fields)
    #expect(answer.status == 200)
    return try harness.reader.devices(limit: 10).elements.first?.identity.name
  }

  @Test func whereNoneIsAskedForATokenStillNamesItsDevice() throws {
    #expect(try device(bearer: { tokens, _ in tokens.access }) == "truck")
    #expect(try device(bearer: { tokens, _ in tokens.access }, [("X-Device-Id", "other")]) == "truck")
    #expect(try device(bearer: { tokens, _ in tokens.access }, after: 10 * 3_600) == "truck", "however old it is")
  }

  @Test func whereNoneIsAskedForATokenOfOthersIsPassedOver() throws {
    #expect(try device(bearer: { _, _ in "x.y.z" }) == "path")
    #expect(try device(bearer: { tokens, _ in tokens.access + "A" }) == "path")
    #expect(try device(bearer: { tokens, _ in tokens.refresh }, [("X-Device-Id", "header")]) == "header")
    #expect(try device(bearer: { _, _ in "DUMMY_TOKEN" }) == "path")
    let admin: (TokenPair, SessionHarness) -> String = { _, harness in
      harness.context.tokens.codec.encode(
        AccessToken(
          scope: .admin, subject: "truck", family: 0, issuedAt: harness.now,
          expiresAt: harness.now.advanced(byMilliseconds: 1_000)))
    }
    #expect(try device(bearer: admin) == "path", "an administrator is no device")
  }

  @Test func optionalRefusesABadTokenAndTakesNone() throws {
    let harness = try SessionHarness { $0.authentication = .optional }
    let tokens = try harness.register("truck")
    #expect(try harness.upload(1, bearer: tokens.access).status == 200)
    #expect(try harness.upload(2, bearer: tokens.access, device: "other").status == 403)
    #expect(try harness.upload(3, device: "bus").status == 200)
    #expect(try harness.upload(4, bearer: "x.y.z", device: "bus").status == 401)
    harness.advance(seconds: 3_700)
    #expect(try harness.upload(5, bearer: tokens.access).status == 401)
    #expect(try harness.reader.devices(limit: 10).elements.map(\.identity.name) == ["truck", "bus"])
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
