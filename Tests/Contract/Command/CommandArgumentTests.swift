import Contract
import JSON
import Testing

/// SDK §10.2, row by row, with every kind of argument.
struct CommandArgumentTests {
  private static let fence = #"{"identifier":"a","latitude":1,"longitude":2,"radius":200}"#
  /// One argument of each kind.
  private static let kinds = ["null", "true", "5", "4.5", #""a""#, #"["a","b"]"#, "[\(fence)]", fence]

  /// The kinds that each command takes; null is no argument.
  private static let accepted: [(CommandName, [String])] = [
    (.start, kinds), (.stop, kinds), (.startGeofences, kinds), (.destroyLog, kinds), (.startSchedule, kinds),
    (.stopSchedule, kinds), (.resetOdometer, kinds),
    (.changePace, ["true"]), (.setConfig, [fence]), (.addGeofence, [fence]), (.addGeofences, ["[\(fence)]"]),
    (.removeGeofence, [#""a""#]), (.removeGeofences, ["null", #"["a","b"]"#]), (.uploadLog, [#""a""#]),
    (.setOdometer, ["5", "4.5"]), (.ban, ["null", #""a""#]),
  ]

  @Test func everyCommandIsInTheTable() {
    #expect(Set(Self.accepted.map(\.0)) == Set(CommandName.allCases))
    #expect(CommandName.allCases.count == 16)
  }

  @Test func everyCommandTakesItsKindsAndRefusesTheOthers() throws {
    for (name, accepted) in Self.accepted {
      for kind in Self.kinds {
        let argument = try JSONValue(source: kind)
        if accepted.contains(kind) {
          #expect(try Command(name, argument).name == name)
        } else {
          let error = #expect(throws: CommandProblem.self, "\(name) \(kind)") { try Command(name, argument) }
          let isExpected =
            switch error {
            case .wrongArgument(name, expected: _, found: _), .invalidGeofence(name, _): true
            default: false
            }
          #expect(isExpected, "\(name) \(kind)")
        }
      }
    }
  }

  @Test func aFlagMayBeANumber() throws {
    for (number, flag) in [("1", true), ("0", false), ("1.0", true), ("0.0", false)] {
      #expect(try Command(.changePace, JSONValue(source: number)) == .changePace(isMoving: flag))
    }
    #expect(throws: CommandProblem.self) { try Command(.changePace, .integer(2)) }
  }

  @Test func aMissingArgumentIsRefusedWhereOneIsNeeded() {
    for (name, accepted) in Self.accepted {
      if accepted.contains("null") {
        #expect(throws: Never.self) { try Command(name, nil) }
      } else {
        #expect(throws: CommandProblem.self) { try Command(name, nil) }
      }
    }
  }

  @Test func argumentsAreTakenOver() throws {
    #expect(try Command(.removeGeofence, .string("a")) == .removeGeofence(identifier: "a"))
    #expect(try Command(.removeGeofences, nil) == .removeGeofences(identifiers: nil))
    #expect(try Command(.removeGeofences, .array([])) == .removeGeofences(identifiers: []))
    #expect(try Command(.uploadLog, .string("https://a")) == .uploadLog(url: "https://a"))
    #expect(try Command(.setOdometer, .double(1.5)) == .setOdometer(metres: 1.5))
    #expect(try Command(.ban, nil) == .ban(message: nil))
  }

  @Test func oneBadGeofenceRefusesTheList() throws {
    let list = try JSONValue(source: #"[\#(Self.fence),{"identifier":"b","latitude":1,"longitude":2}]"#)
    let error = #expect(throws: CommandProblem.self) { try Command(.addGeofences, list) }
    #expect(error == .invalidGeofence(.addGeofences, FieldError("[1].radius", .missing)))
  }

  /// §15.1: adding a fence again begins anew.
  @Test func anAddedGeofenceHasNoPast() throws {
    let text = #"{"identifier":"a","latitude":1,"longitude":2,"radius":200,"hits":7,"entryState":1}"#
    guard case .addGeofence(let fence) = try Command(.addGeofence, try JSONValue(source: text)) else {
      Issue.record("another command")
      return
    }
    #expect(fence.status == Geofence.Status())
  }

  @Test func everyCommandIsWrittenAsItIsRead() throws {
    for (name, accepted) in Self.accepted {
      for kind in accepted {
        let command = try Command(name, try JSONValue(source: kind))
        let list = Command.list([command])
        #expect(ReceivedCommands(list).commands == [command])
        guard case .array(let lists) = list, case .array(let elements)? = lists.first else {
          Issue.record("no list of lists: \(list)")
          continue
        }
        #expect(elements.first == .string(name.rawValue))
      }
    }
  }

  @Test func aListOfCommandsIsAlwaysAListOfLists() throws {
    #expect(Command.list([]) == .array([]))
    #expect(Command.list([.stop]) == (try JSONValue(source: #"[["stop"]]"#)))
    #expect(
      Command.list([.stop, .changePace(isMoving: true)]) == (try JSONValue(source: #"[["stop"],["changePace",true]]"#)))
  }
}
