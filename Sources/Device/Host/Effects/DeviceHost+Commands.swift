import Contract
import Engine
import JSON
import Upload
package import Vocabulary

/// What a server asks for (SDK §10.2).
extension DeviceHost {
  /// In order; a command that fails, or cannot be read, does not keep the next one from running.
  mutating func carryOut(_ received: ReceivedCommands, at now: Moment) {
    for problem in received.problems { log(.commandProblem(problem), at: now) }
    let surplus = received.commands.count - HostRules.commandsMax
    if surplus > 0 { log(.commandOverflow(limit: HostRules.commandsMax, dropped: surplus), at: now) }
    for command in received.commands.suffix(HostRules.commandsMax) { carryOut(command, at: now) }
  }

  private mutating func carryOut(_ command: Command, at now: Moment) {
    let argument = command.argument.map { String(decoding: $0.text, as: UTF8.self) } ?? ""
    log(.command(command.name, argument: argument), at: now)
    platform.deliver(.commanded(command), at: now)
    if let call = EngineCall(command) { return run(.call(call), at: now) }
    switch command {
    case .setConfig(let document): configure(document, at: now)
    case .uploadLog(let url): uploadLog(to: url, completion: Self.nobody, at: now)
    case .destroyLog: platform.destroyLog()
    case .ban(let message): ban(message, at: now)
    case .start, .stop, .startGeofences, .changePace, .addGeofence, .addGeofences, .removeGeofence,
      .removeGeofences, .startSchedule, .stopSchedule, .setOdometer, .resetOdometer:
      preconditionFailure("a call to the engine")
    }
  }

  /// The demo server wants to hear no more of this device. A ban by anybody else has no effect.
  private mutating func ban(_ message: String?, at now: Moment) {
    guard configuration.http.url.hasPrefix(TransistorToken.defaultURL) else { return }
    log(.error(message ?? "The server has banned this device"), at: now)
    edit(at: now) { $0.edit { $0.http.url = "" } }
  }

  /// Ends with the event `logUploaded`. Without `gzip` it is the whole log (SDK §20.5).
  package mutating func uploadLog(to url: String, gzip: [UInt8]? = nil, completion: UInt64, at now: Moment) {
    let upload = LogUpload(
      url: url, gzip: gzip ?? platform.compressedLog(), state: JSONValue.object(state).text,
      model: description.model, manufacturer: description.manufacturer, version: description.version)
    run(.uploadLog(upload, completion: completion), at: now)
  }

  /// Ends with the event `synced`; before `ready` it waits.
  package mutating func sync(completion: UInt64, at now: Moment) {
    if isReady { run(.sync(completion: completion), at: now) } else { waitingSyncs.append(completion) }
    settle(at: now)
  }
}
