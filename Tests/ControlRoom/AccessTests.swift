import FleetSimulator
import JSON
import Support
import Testing

/// Who may look and steer (docs/decisions/0015).
@Suite struct AccessTests {
  @Test func aWrongTokenOpensNothing() throws {
    let stage = try RoomStage(token: "secret")
    defer { stage.stop() }
    for field in [
      "", "Authorization: Bearer", "Authorization: Bearer secre", "Authorization: Bearer secrets",
      "Authorization: Basic secret",
    ] {
      let answer = try stage.get("/run/v1/acts", field.isEmpty ? [] : [field])
      #expect(answer.status == 401, "\(field)")
      #expect(try answer.json()["error"]?["code"]?.string == "room_token_required")
    }
    #expect(try stage.get("/run/v1/acts", ["Authorization: bearer secret"]).status == 200)
    // With the token a page may ask from anywhere, as its holder has let it.
    #expect(
      try stage.get("/run/v1/acts", ["Authorization: Bearer secret", "Sec-Fetch-Site: cross-site"]).status == 200)
    let refused = try stage.post(#"{"stop":{}}"#)
    #expect(refused.status == 401)
    #expect(stage.steering.entries.count == 1)
  }

  @Test(arguments: [
    "Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
  ])
  func aPageOfAnotherSiteCannotSteer(field: String) throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    let refused = try stage.post(#"{"abort":{}}"#, ["Content-Type: application/json", field])
    #expect(refused.status == 403)
    #expect(try refused.json()["error"]?["code"]?.string == "foreign_site")
    #expect(stage.steering.entries.count == 1)
  }

  /// A name of its own that a page lets resolve to this machine.
  @Test func aNameThatIsNotThisMachinesIsForeign() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    let answer = try stage.send("GET /run/v1/acts HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    #expect(answer.status == 403)
  }

  /// A form of another site can send text without asking first.
  @Test func anActThatIsNotAnnouncedAsJSONIsRefused() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    #expect(try stage.post(#"{"abort":{}}"#, ["Content-Type: text/plain"]).status == 415)
    #expect(try stage.post(#"{"abort":{}}"#, []).status == 415)
    #expect(stage.steering.entries.count == 1)
  }

  @Test func otherMethodsAndPathsAreErrors() throws {
    let stage = try RoomStage()
    defer { stage.stop() }
    let put = try stage.send(
      "PUT /run/v1/acts HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    #expect(put.status == 405)
    #expect(try put.json()["error"]?["message"]?.string == "this path allows GET, HEAD, POST")
    #expect(try stage.get("/run/v1/nothing").status == 404)
    #expect(try stage.get("/page/room/../index.html").status == 400)
    let typo = try stage.get("/run/v1/phones?nmes=true")
    #expect(typo.status == 400)
    #expect(typo.text.contains("did you mean names?"))
  }
}
