import JSON
import Testing

@testable import Contract

/// Queueing commands: what a device would refuse or misunderstand never reaches it.
struct CommandRequestTests {
  private func request(_ commands: String, strict: Bool = false) throws -> CommandRequest {
    try CommandRequest(try JSONValue(source: #"{"commands":\#(commands),"ttl":60}"#), strict: strict)
  }

  private func refusal(_ commands: String, strict: Bool = false) throws -> CommandError? {
    let body = try JSONValue(source: #"{"commands":\#(commands)}"#)
    return #expect(throws: CommandError.self) { try CommandRequest(body, strict: strict) }
  }

  @Test func aListOfListsIsTaken() throws {
    let found = try request(#"[["setConfig",{"distanceFilter":5}],["stop"]]"#)
    #expect(found.commands == [.setConfig(.object(["distanceFilter": .integer(5)])), .stop])
    #expect(found.warnings == [])
  }

  @Test func aSingleCommandMayStandAlone() throws {
    #expect(try request(#"["stop"]"#).commands == [.stop])
    #expect(try request(#"["changePace",true]"#).commands == [.changePace(isMoving: true)])
  }

  @Test(arguments: [("5", "a number"), ("{}", "an object"), (#""stop""#, "a string"), ("null", "null")])
  func commandsAreAnArray(text: String, kind: String) throws {
    #expect(try refusal(text) == CommandError(index: nil, problem: .wrongShape(found: kind)))
  }

  @Test func theBodyIsAnObjectWithCommands() {
    #expect(throws: CommandError(index: nil, problem: .wrongShape(found: "an array"))) {
      try CommandRequest(.array([]), strict: false)
    }
    #expect(throws: CommandError(index: nil, problem: .wrongShape(found: "nothing"))) {
      try CommandRequest(.emptyObject, strict: false)
    }
  }

  @Test func noCommandsAreRefused() throws {
    #expect(try refusal("[]") == CommandError(index: nil, problem: .nullCommand))
  }

  @Test func theFirstBadCommandRefusesAllAndIsNamed() throws {
    #expect(
      try refusal(#"[["stop"],["setOdometer","far"],["nonsense"]]"#)
        == CommandError(index: 1, problem: .wrongArgument(.setOdometer, expected: "number", found: "a string")))
    #expect(try refusal(#"[["stop"],"start"]"#) == CommandError(index: 1, problem: .wrongShape(found: "a string")))
    #expect(try refusal(#"[["stop"],null]"#) == CommandError(index: 1, problem: .nullCommand))
    #expect(try refusal("[[]]") == CommandError(index: 0, problem: .nullCommand))
  }

  /// A device would take the default for what was meant.
  @Test(arguments: [
    (
      #"["addGeofence",{"identifier":"a","latitude":1,"longitude":2,"radius":200,"notifyOnEntri":false}]"#,
      "notifyOnEntri"
    ),
    (
      #"["addGeofences",[{"identifier":"a","latitude":1,"longitude":2,"radius":200,"notifyOnEntri":false}]]"#,
      "[0].notifyOnEntri"
    ),
  ])
  func anUnknownKeyOfAGeofenceIsNamed(command: String, place: String) throws {
    let error = try refusal("[\(command)]")
    #expect(error?.index == 0)
    #expect(error?.description.contains("\(place): unknown key; did you mean notifyOnEntry?") == true)
  }

  @Test(arguments: [
    ("sotp", CommandName.stop), ("Stop", .stop), ("setconfig", .setConfig), ("startgeofence", .startGeofences),
    ("addGeofense", .addGeofence), ("bann", .ban), ("reset", nil), ("xyz", nil), ("", nil),
  ])
  func aTypingErrorIsAnsweredWithTheNearestName(typed: String, nearest: CommandName?) throws {
    let expected = CommandError(index: 0, problem: .unknownCommand(typed, nearest: nearest))
    #expect(try refusal(#"[["\#(typed)"]]"#) == expected)
  }

  @Test func anErrorSaysEverythingInOneLine() throws {
    let unknown = try refusal(#"[["stop"],["sotp"]]"#)
    #expect(unknown?.description == "command 1: Unknown action: sotp (did you mean stop?)")
  }

  /// `["stop","start"]` is one command (SDK §10.1); whoever writes it means two.
  @Test(arguments: [#"["stop","start"]"#, #"[["stop","start"]]"#, #"[["changePace",true,false]]"#])
  func superfluousArgumentsAreRefused(text: String) throws {
    guard case .superfluousArgument? = try refusal(text)?.problem else {
      Issue.record("accepted or refused otherwise")
      return
    }
  }

  @Test func nullIsNoArgument() throws {
    #expect(
      try request(#"[["stop",null],["removeGeofences",null]]"#).commands == [.stop, .removeGeofences(identifiers: nil)])
  }

  @Test func unknownConfigurationKeysAreWarnedAboutOrRefused() throws {
    let commands = #"[["setConfig",{"distanceFliter":5,"http":{"timeout":1}}]]"#
    let warning = ConfigurationWarning.unknownKey("distanceFliter", nearest: "distanceFilter")
    #expect(try request(commands).warnings == [warning])
    let expected = CommandError(index: 0, problem: .invalidConfiguration([warning]))
    #expect(try refusal(commands, strict: true) == expected)
  }

  @Test(arguments: [
    #"{"distanceFilter":"far"}"#, #"{"http":5}"#, #"{"method":"GET"}"#, #"{"url":"ftp://a"}"#, #"{"reset":true}"#,
    #"{"locationAuthorizationAlert":{}}"#, #"{"triggerActivities":["flying"]}"#,
    #"{"schedule":["1 9:00-10:00",5]}"#,
  ])
  func valuesThatADeviceWouldNotUseAreRefused(document: String) throws {
    for strict in [false, true] {
      guard case .invalidConfiguration? = try refusal(#"[["setConfig",\#(document)]]"#, strict: strict)?.problem else {
        Issue.record("\(document) strict \(strict)")
        continue
      }
    }
  }

  @Test func valuesThatADeviceWouldAdjustAreWarnedAbout() throws {
    let found = try request(#"[["setConfig",{"filter":{"rollingWindow":99}}]]"#, strict: true)
    #expect(found.warnings == [.clamped("geolocation.filter.rollingWindow", to: 20)])
  }
}
