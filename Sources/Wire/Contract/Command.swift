import Base
package import JSON

/// One command to a device, with its argument (SDK §10.2).
package enum Command: Equatable, Sendable {
  case start
  case stop
  case startGeofences
  case changePace(isMoving: Bool)
  /// An object with configuration keys, in groups or flat.
  case setConfig(JSONValue)
  case addGeofence(Geofence)
  case addGeofences([Geofence])
  case removeGeofence(identifier: String)
  /// Nil removes all of them; an empty array removes none.
  case removeGeofences(identifiers: [String]?)
  case uploadLog(url: String)
  case destroyLog
  case startSchedule
  case stopSchedule
  case setOdometer(metres: Double)
  case resetOdometer
  /// The device may no longer post to the demo server. The text is shown to its user.
  case ban(message: String?)
}

/// The commands that a server can send to a device (SDK §10.2).
package enum CommandName: String, CaseIterable, Sendable {
  case start
  case stop
  case startGeofences
  case changePace
  case setConfig
  case addGeofence
  case addGeofences
  case removeGeofence
  case removeGeofences
  case uploadLog
  case destroyLog
  case startSchedule
  case stopSchedule
  case setOdometer
  case resetOdometer
  case ban

  package static func nearest(to name: String) -> CommandName? {
    NearestName.find(name, in: allCases.map(\.rawValue)).flatMap(CommandName.init)
  }
}

extension Command {
  /// Creates the command with this name and argument; nil and null are no argument. Commands without arguments ignore what they
  /// get, as devices do.
  package init(_ name: CommandName, _ argument: JSONValue?) throws(CommandProblem) {
    let argument = CommandArgument(name, argument)
    switch name {
    case .start: self = .start
    case .stop: self = .stop
    case .startGeofences: self = .startGeofences
    case .changePace: self = .changePace(isMoving: try argument.flag())
    case .setConfig: self = .setConfig(try argument.object())
    case .addGeofence: self = .addGeofence(try argument.geofence())
    case .addGeofences: self = .addGeofences(try argument.geofences())
    case .removeGeofence: self = .removeGeofence(identifier: try argument.text())
    case .removeGeofences: self = .removeGeofences(identifiers: try argument.optionalTexts())
    case .uploadLog: self = .uploadLog(url: try argument.text())
    case .destroyLog: self = .destroyLog
    case .startSchedule: self = .startSchedule
    case .stopSchedule: self = .stopSchedule
    case .setOdometer: self = .setOdometer(metres: try argument.number())
    case .resetOdometer: self = .resetOdometer
    case .ban: self = .ban(message: try argument.optionalText())
    }
  }

  package var name: CommandName {
    switch self {
    case .start: .start
    case .stop: .stop
    case .startGeofences: .startGeofences
    case .changePace: .changePace
    case .setConfig: .setConfig
    case .addGeofence: .addGeofence
    case .addGeofences: .addGeofences
    case .removeGeofence: .removeGeofence
    case .removeGeofences: .removeGeofences
    case .uploadLog: .uploadLog
    case .destroyLog: .destroyLog
    case .startSchedule: .startSchedule
    case .stopSchedule: .stopSchedule
    case .setOdometer: .setOdometer
    case .resetOdometer: .resetOdometer
    case .ban: .ban
    }
  }

  /// The argument; nil for a command without one.
  package var argument: JSONValue? {
    switch self {
    case .start, .stop, .startGeofences, .destroyLog, .startSchedule, .stopSchedule, .resetOdometer: nil
    case .changePace(let isMoving): .bool(isMoving)
    case .setConfig(let document): document
    case .addGeofence(let fence): fence.definitionJSON
    case .addGeofences(let fences): .array(fences.map(\.definitionJSON))
    case .removeGeofence(let text), .uploadLog(let text): .string(text)
    case .removeGeofences(let identifiers): identifiers.map { .array($0.map { .string($0) }) }
    case .setOdometer(let metres): .number(metres)
    case .ban(let message): message.map { .string($0) }
    }
  }
}

/// Reads the argument of a command as the type that the command needs. A device refuses other types; only flags may be 0 and 1,
/// as in `setConfig` (SDK §10.2).
struct CommandArgument {
  private let name: CommandName
  private let value: JSONValue?

  init(_ name: CommandName, _ value: JSONValue?) {
    self.name = name
    self.value = value == .null ? nil : value
  }

  func flag() throws(CommandProblem) -> Bool {
    guard let flag = value?.coercedBool else { throw wrong("boolean") }
    return flag
  }

  func number() throws(CommandProblem) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .double(let number) where number.isFinite: return number
    case nil, .null, .bool, .double, .string, .array, .object: throw wrong("number")
    }
  }

  func text() throws(CommandProblem) -> String {
    guard case .string(let text)? = value, !text.isEmpty else { throw wrong("string") }
    return text
  }

  func optionalText() throws(CommandProblem) -> String? {
    value == nil ? nil : try text()
  }

  func optionalTexts() throws(CommandProblem) -> [String]? {
    guard let value else { return nil }
    guard let texts = value.strings else { throw wrong("array of strings") }
    return texts
  }

  func object() throws(CommandProblem) -> JSONValue {
    guard let value, case .object = value else { throw wrong("object") }
    return value
  }

  func geofence() throws(CommandProblem) -> Geofence {
    let value = try object()
    do throws(FieldError) {
      return try Geofence(definition: value)
    } catch {
      throw .invalidGeofence(name, error)
    }
  }

  func geofences() throws(CommandProblem) -> [Geofence] {
    guard let value, case .array = value else { throw wrong("array of objects") }
    do throws(FieldError) {
      return try Geofence.definitions(value)
    } catch {
      throw .invalidGeofence(name, error)
    }
  }

  private func wrong(_ expected: String) -> CommandProblem {
    .wrongArgument(name, expected: expected, found: value?.kindName ?? "nothing")
  }
}

extension Command {
  /// Reads the elements of a command's array.
  init(name: JSONValue?, argument: JSONValue?) throws(CommandProblem) {
    switch name {
    case nil, .null: throw .nullCommand
    case .string(let text):
      guard let name = CommandName(rawValue: text) else {
        throw .unknownCommand(text, nearest: CommandName.nearest(to: text))
      }
      self = try Command(name, argument)
    case .bool, .integer, .double, .array, .object: throw .wrongShape(found: name?.kindName ?? "nothing")
    }
  }
}

extension Command {
  /// `["name"]` or `["name", argument]`.
  package var json: JSONValue {
    .array([.string(name.rawValue)] + (argument.map { [$0] } ?? []))
  }

  /// Returns the value of `background_geolocation` in an answer: always a list of lists, which every version of the SDK reads
  /// correctly (SDK §10.1).
  package static func list(_ commands: [Command]) -> JSONValue {
    .array(commands.map(\.json))
  }
}
