package import JSON

extension Command {
  /// The command with this name and argument; nil and null are no argument. Commands that need none ignore what they
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

  /// Nil when the command goes without.
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
