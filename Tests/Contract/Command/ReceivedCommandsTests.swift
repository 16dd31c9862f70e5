import Contract
import JSON
import Testing

/// SDK §10.1 and §10.2, as a device reads them.
struct ReceivedCommandsTests {
  private func received(_ body: String) -> ReceivedCommands { ReceivedCommands(inBody: body.utf8.span) }

  private func value(_ value: String) -> ReceivedCommands { received(#"{"background_geolocation":\#(value)}"#) }

  @Test func aListOfListsRunsInOrder() {
    let found = value(#"[["setConfig",{"distanceFilter":5}],["stop"],["changePace",true],["stop"]]"#)
    let document = JSONValue.object(["distanceFilter": .integer(5)])
    #expect(found.commands == [.setConfig(document), .stop, .changePace(isMoving: true), .stop])
    #expect(found.problems == [])
  }

  @Test(arguments: [(#"["stop"]"#, Command.stop), (#"["changePace",false]"#, .changePace(isMoving: false))])
  func aListThatBeginsWithAStringIsOneCommand(text: String, command: Command) {
    #expect(value(text).commands == [command])
    #expect(value(text).problems == [])
  }

  @Test func aNameBehindANameIsItsArgument() {
    let found = value(#"["stop","start"]"#)
    #expect(found.commands == [.stop])
    #expect(found.problems == [])
  }

  @Test func whatIsTooDeepIsSaid() {
    func nested(_ depth: Int) -> String {
      let extras = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
      return #"[["setConfig",\#(extras)],["stop"]]"#
    }
    #expect(value(nested(29)).commands.count == 2 && value(nested(29)).problems == [])
    #expect(value(nested(30)).commands == [] && value(nested(30)).problems == [.tooDeep])
    // What is no command may be nested as it likes.
    #expect(received(#"{"more":\#(nested(30))}"#).problems == [])
  }

  @Test func anEmptyListIsNothing() {
    #expect(value("[]").commands == [])
    #expect(value("[]").problems == [])
  }

  @Test(arguments: [
    (#""stop""#, "a string"), ("{}", "an object"), ("5", "a number"), ("null", "null"), ("true", "a boolean"),
  ])
  func otherValuesAreIgnoredWithAProblem(text: String, kind: String) {
    let found = value(text)
    #expect(found.commands == [])
    #expect(found.problems == [.wrongShape(found: kind)])
    #expect(found.problems.first?.description == "Actions must be in the form of an Array")
  }

  @Test(arguments: [
    #"{"data":{"background_geolocation":["stop"]}}"#, #"[{"background_geolocation":["stop"]}]"#,
    #"{"responseText":"{\"background_geolocation\":[\"stop\"]}"}"#, "{}", "[]", #"["stop"]"#, "5", #""stop""#, "",
    " ", "<html>login</html>", #"{"background_geolocation":["stop"]"#, #"{"background_geolocation":["stop"]}}"#,
    #"{"Background_Geolocation":["stop"]}"#, #"{"background-geolocation":["stop"]}"#,
  ])
  func onlyTheTopLevelOfAJSONObjectHasCommands(body: String) {
    #expect(received(body) == value("[]"))
  }

  @Test func theRestOfTheBodyIsPassedOver() {
    let body = """
      {"success":true,"n":123456789012345678901234567890,"a":[{"background_geolocation":["start"]}],
      "background_geolocation":["stop"],"error":{"x":null}}
      """
    #expect(received(body).commands == [.stop])
  }

  @Test func ofTwoKeysTheLastCounts() {
    #expect(received(#"{"background_geolocation":["start"],"background_geolocation":["stop"]}"#).commands == [.stop])
  }

  @Test func theKeyMayBeEscaped() {
    #expect(received(#"{"background\u005fgeolocation":["stop"]}"#).commands == [.stop])
  }

  /// SDK §21: what the demo server sends with 410 and 403.
  @Test func theDemoServersBodiesAreUnderstood() {
    let deleted = received(#"{"error":"DEVICE_ID_NOT_FOUND","background_geolocation":["stop"]}"#)
    #expect(deleted.commands == [.stop])
    let banned = received(
      """
      {"error":"BANNED","background_geolocation":[["setConfig",{"maxRecordsToPersist":0,"debug":true}],["stop"],
      ["ban","bye"]]}
      """)
    let document = JSONValue.object(["maxRecordsToPersist": .integer(0), "debug": .bool(true)])
    #expect(banned.commands == [.setConfig(document), .stop, .ban(message: "bye")])
  }

  @Test func whatIsWrongDoesNotStopTheOthers() {
    let found = value(
      #"[["stop"],null,[],[null],"start",{"a":1},["flyAway"],["changePace","yes"],[5],[["stop"]],["start"]]"#)
    #expect(found.commands == [.stop, .start])
    #expect(
      found.problems == [
        .nullCommand, .nullCommand, .nullCommand, .wrongShape(found: "a string"), .wrongShape(found: "an object"),
        .unknownCommand("flyAway", nearest: nil),
        .wrongArgument(.changePace, expected: "boolean", found: "a string"), .wrongShape(found: "a number"),
        .wrongShape(found: "an array"),
      ])
    #expect(found.problems.filter { $0.logLevel == .warning } == [.unknownCommand("flyAway", nearest: nil)])
    #expect(found.problems[0].description == "Invalid command: null")
    #expect(found.problems[5].description == "Unknown action: flyAway")
    #expect(found.problems[6].description == "changePace: expected argument of type boolean, not a string")
  }

  @Test func whatIsTooMuchIsIgnored() {
    #expect(value(#"[["stop",1,2,3],["changePace",true,false]]"#).commands == [.stop, .changePace(isMoving: true)])
  }

  @Test func namesAreExact() {
    for name in ["Stop", "STOP", " stop", "stop ", ""] { #expect(value(#"[["\#(name)"]]"#).commands == []) }
  }
}
