import JSON
import Network
import Testing

@testable import IngestServer

@Suite struct RefreshTests {
  private let harness: SessionHarness

  init() throws { harness = try SessionHarness { $0.authentication = .required } }

  @Test func theWholeWayOfATokenPair() throws {
    let first = try harness.register("a")
    #expect(try harness.upload(1, bearer: first.access).status == 200)
    harness.advance(seconds: 3_605)
    let refused = try harness.upload(2, bearer: first.access)
    #expect(refused.status == 401)
    #expect(refused.field("WWW-Authenticate")?.hasPrefix("Bearer ") == true)
    let second = try harness.pair(harness.refresh(first.refresh))
    #expect(try harness.upload(2, bearer: second.access).status == 200)
  }

  @Test(arguments: ["application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x", ""])
  func aRefreshHasManyForms(type: String) throws {
    let token = try harness.register("a").refresh
    let body =
      switch type {
      case "application/json": #"{"grant_type":"refresh_token","refresh_token":"\#(token)"}"#
      case "application/x-www-form-urlencoded": "grant_type=refresh_token&refresh_token=\(token)"
      case "": #"{"refreshToken":"\#(token)"}"#
      default: "--x\r\nContent-Disposition: form-data; name=\"refresh_token\"\r\n\r\n\(token)\r\n--x--\r\n"
      }
    let fields = [("Content-Type", type)].filter { !$0.1.isEmpty }
    #expect(try harness.request("POST", "/v2/refresh_token", fields, body: body).status == 200, "\(type)")
  }

  /// The SDK sends the expired access token along, or one that is nonsense.
  @Test(arguments: ["expired", "forged", "other"])
  func theBearerOfARefreshIsNotLookedAt(kind: String) throws {
    let tokens = try harness.register("a")
    let bearer =
      switch kind {
      case "expired": tokens.access
      case "other": try harness.register("b").access
      default: "not.a.token"
      }
    harness.advance(seconds: 7_200)
    #expect(try harness.refresh(tokens.refresh, [("Authorization", "Bearer \(bearer)")]).status == 200)
  }

  @Test func aLostAnswerIsRepeatedWithinTheGrace() throws {
    let first = try harness.register("a")
    let lost = try harness.pair(harness.refresh(first.refresh))
    harness.advance(seconds: 30)
    let again = try harness.pair(harness.refresh(first.refresh))
    #expect(again.refresh == lost.refresh)
    #expect(try harness.upload(1, bearer: again.access).status == 200)
    #expect(try harness.refresh(again.refresh).status == 200)
  }

  @Test func aReplayAfterTheGraceEndsTheFamily() throws {
    let first = try harness.register("a")
    let second = try harness.pair(harness.refresh(first.refresh))
    harness.advance(seconds: 31)
    let replay = try harness.refresh(first.refresh)
    #expect(replay.status == 401)
    #expect(try replay.errorCode == "token_replayed")
    #expect(replay.text.contains("was used before, and its grace period has ended"))
    #expect(replay.field("WWW-Authenticate")?.contains("register again\"") == true)
    #expect(try harness.upload(1, bearer: second.access).status == 401)
    #expect(try harness.refresh(second.refresh).status == 401)
    // Only this family: a new registration of the same device is good.
    #expect(try harness.upload(1, bearer: harness.register("a").access).status == 200)
  }

  @Test func aTokenOfTwoRotationsAgoHasNoGrace() throws {
    let first = try harness.register("a")
    let second = try harness.pair(harness.refresh(first.refresh))
    _ = try harness.refresh(second.refresh)
    #expect(try harness.refresh(first.refresh).errorCode == "token_replayed")
  }

  @Test func anUnusedRefreshTokenExpires() throws {
    let tokens = try harness.register("a")
    harness.advance(seconds: 90 * 86_400)
    #expect(try harness.refresh(tokens.refresh).errorCode == "token_expired")
  }

  @Test func aDeadTokenIsHeldOffAfterTenFailures() throws {
    let dead = try harness.register("a")
    _ = try harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"device":"a"}"#)
    for _ in 0..<10 { #expect(try harness.refresh(dead.refresh).status == 401) }
    let held = try harness.refresh(dead.refresh)
    #expect(held.status == 429)
    #expect(held.field("Retry-After") == "60")
    #expect(try held.commands == nil)
    // Neither a new token of the device nor anybody else is concerned.
    #expect(try harness.refresh(harness.register("a").refresh).status == 200)
    harness.advance(seconds: 60)
    #expect(try harness.refresh(dead.refresh).status == 401)
  }

  @Test func aRefreshCanBeBrokenByStatus() throws {
    let a = try harness.register("a")
    let b = try harness.register("b")
    #expect(try breaking(#"{"next":2,"status":500,"device":"a"}"#) == 200)
    #expect(try harness.refresh(b.refresh).status == 200)
    for _ in 0..<2 { #expect(try harness.refresh(a.refresh).status == 500) }
    #expect(try harness.refresh(a.refresh).status == 200)
  }

  @Test func aRefreshCanBeCutBeforeAndAfterItsCommit() throws {
    let first = try harness.register("a")
    for moment in ["before", "after"] {
      #expect(try breaking(#"{"drop":"\#(moment)"}"#) == 200)
      #expect(throws: NoAnswer.self) { try harness.refresh(first.refresh) }
      #expect(harness.session.wishes.ending == .reset)
      harness.connect()
    }
    #expect(try harness.refresh(first.refresh).status == 200)
    harness.advance(seconds: 31)
    // The cut after the commit used the token up.
    #expect(try harness.refresh(first.refresh).errorCode == "token_replayed")
  }

  @Test func aRefreshCanAnswerInOtherShapes() throws {
    var token = try harness.register("a").refresh
    for (shape, path) in [("camelCase", ["refreshToken"]), ("nested", ["data", "tokens", "refresh_token"])] {
      #expect(try breaking(#"{"shape":"\#(shape)"}"#) == 200)
      let answer = try harness.refresh(token)
      guard case .string(let next)? = path.reduce(Optional(try answer.json()), { $0?[$1] }) else {
        Issue.record("\(shape): \(answer.text)")
        return
      }
      token = next
    }
    for (shape, says) in [("noTokens", "success"), ("notJSON", "<html>"), ("idToken", "id_token")] {
      #expect(try breaking(#"{"shape":"\#(shape)"}"#) == 200)
      #expect(try harness.refresh(token).text.contains(says))
    }
  }

  @Test func aBreakageCanBeTakenBackAndMustMakeSense() throws {
    #expect(try breaking(#"{"next":5,"status":503}"#) == 200)
    #expect(try breaking(#"{"next":0}"#) == 200)
    #expect(try harness.refresh(harness.register("a").refresh).status == 200)
    // Without a device it ends those of devices, too.
    #expect(try breaking(#"{"device":"a","next":5,"status":503}"#) == 200)
    #expect(try breaking(#"{"next":0}"#) == 200)
    #expect(try harness.refresh(harness.register("a").refresh).status == 200)
    for bad in [
      "{}", #"{"status":200}"#, #"{"drop":"now"}"#, #"{"shape":"round"}"#, #"{"status":500,"drop":"after"}"#,
      #"{"next":-1,"status":500}"#, #"{"stauts":500}"#,
    ] { #expect(try breaking(bad) == 400, "\(bad)") }
  }

  private func breaking(_ body: String) throws -> Int {
    try harness.request("PUT", "/admin/v1/tokens/break-refresh", body: body).status
  }
}
