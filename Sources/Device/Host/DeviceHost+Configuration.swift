package import Contract
import Database
import Engine
package import JSON
import Upload
package import Vocabulary

extension DeviceHost {
  /// Performs `setConfig`: valid parts of the document are stored and take effect at once.
  package mutating func configure(_ document: JSONValue, at now: Moment) {
    edit(at: now) { $0.apply(document) }
  }

  /// Does the same for code that changes properties, with `Configuration.edit` or `reset`.
  package mutating func edit(at now: Moment, _ change: (inout Configuration) -> ConfigurationChange) {
    var draft = configuration
    let result = change(&draft)
    adopt(draft, result, at: now)
    settle(at: now)
  }

  /// Before `ready` the parts are updated without any action.
  mutating func adopt(_ new: Configuration, _ change: ConfigurationChange, at now: Moment) {
    let wasLimited = configuration.persistence.maxRecordsToPersist
    configuration = new
    for warning in change.warnings { log(.warning("\(warning)", from: .configuration), at: now) }
    guard !change.changedKeys.isEmpty else { return }
    saveConfiguration(at: now)
    let recordKeys = [
      "persistence.locationTemplate", "persistence.geofenceTemplate", "persistence.timestampFormat",
    ]
    if change.changedKeys.contains(where: recordKeys.contains) { makeRenderer(at: now) }
    emit(.deliver(.configured(new)))
    if new.persistence.maxRecordsToPersist != wasLimited { shrink(at: now) }
    run(UploadInput.configuration(new), at: now)
    // Not where the time differs: that of the first launch is a default until it is stored.
    let tokenKeys = ["authorization.accessToken", "authorization.expires"]
    if change.changedKeys.contains(where: tokenKeys.contains) { saveTokenTime(at: now) }
    run(.configured(new, changedKeys: change.changedKeys), at: now)
  }

  /// Stores tokens from a refresh; the uploader uses them already.
  mutating func use(_ tokens: RefreshedTokens, at now: Moment) {
    var draft = configuration
    let change = draft.edit { tokens.apply(to: &$0.authorization) }
    adopt(draft, change, at: now)
    saveTokenTime(at: now)
  }

  mutating func saveConfiguration(at now: Moment) {
    do throws(DatabaseError) {
      try storage.save(configuration)
    } catch { report(error, at: now) }
  }

  private mutating func saveTokenTime(at now: Moment) {
    do throws(DatabaseError) {
      try storage.save(tokenSetAt: uploader.tokenSetAt)
    } catch { report(error, at: now) }
  }

  private mutating func makeRenderer(at now: Moment) {
    renderer = RecordRenderer(configuration)
    for template in RecordRenderer.templates(of: configuration) {
      for tag in template.unknownTags { log(.warning("Unknown template tag: \(tag)", from: .configuration), at: now) }
    }
  }

  /// The SDK's state: the configuration, in groups and flat, and the members of the engine (SDK §1, §3).
  package var state: JSONObject {
    var object = configuration.stateDictionary
    for member in engine.state.members.members { object[member.key] = member.value }
    object["didDeviceReboot"] = .bool(launch?.didReboot ?? false)
    object["didLaunchInBackground"] = .bool(launch?.isInBackground ?? false)
    object["isFirstBoot"] = .bool(isFirstBoot)
    return object
  }
}

extension RecordRenderer {
  /// The style in which a device with this configuration writes its records.
  package init(_ configuration: Configuration) {
    var style = RecordStyle.of(configuration.platform)
    style.timestampFormat = configuration.persistence.timestampFormat
    let templates = Self.templates(of: configuration)
    self.init(
      style: style, locationTemplate: templates.first { $0.kind == .location },
      geofenceTemplate: templates.first { $0.kind == .geofence })
  }

  static func templates(of configuration: Configuration) -> [RecordTemplate] {
    let persistence = configuration.persistence
    return [
      RecordTemplate(persistence.locationTemplate, kind: .location),
      RecordTemplate(persistence.geofenceTemplate, kind: .geofence),
    ].compactMap(\.self)
  }
}

/// Execution of a server's commands (SDK §10.2).
extension DeviceHost {
  /// Executes the commands in order; one that fails, or cannot be read, does not prevent the next.
  mutating func carryOut(_ received: ReceivedCommands, at now: Moment) {
    for problem in received.problems { log(.commandProblem(problem), at: now) }
    let surplus = received.commands.count - HostRules.commandsMax
    if surplus > 0 { log(.commandOverflow(limit: HostRules.commandsMax, dropped: surplus), at: now) }
    for command in received.commands.suffix(HostRules.commandsMax) { carryOut(command, at: now) }
  }

  private mutating func carryOut(_ command: Command, at now: Moment) {
    let argument = command.argument.map { $0.serializedText } ?? ""
    log(.command(command.name, argument: argument), at: now)
    emit(.deliver(.commanded(command)))
    if let call = EngineCall(command) { return run(.call(call), at: now) }
    switch command {
    case .setConfig(let document): configure(document, at: now)
    case .uploadLog(let url): emit(.uploadLog(to: url))
    case .destroyLog: emit(.destroyLog)
    case .ban(let message): ban(message, at: now)
    case .start, .stop, .startGeofences, .changePace, .addGeofence, .addGeofences, .removeGeofence,
      .removeGeofences, .startSchedule, .stopSchedule, .setOdometer, .resetOdometer:
      preconditionFailure("a call to the engine")
    }
  }

  /// Handles a ban by the demo server. A ban by another server has no effect.
  private mutating func ban(_ message: String?, at now: Moment) {
    guard configuration.http.url.hasPrefix(TransistorToken.defaultURL) else { return }
    log(.error(message ?? "The server has banned this device"), at: now)
    edit(at: now) { $0.edit { $0.http.url = "" } }
  }

  /// Uploads the log; the event `logUploaded` follows unless `completion` is nil, for a log that a server requested (SDK §20.5).
  package mutating func uploadLog(to url: String, gzip: [UInt8], completion: UInt64?, at now: Moment) {
    let upload = LogUpload(
      url: url, gzip: gzip, state: JSONValue.object(state).serialized, model: description.model,
      manufacturer: description.manufacturer, version: description.version)
    run(.uploadLog(upload, completion: completion ?? Self.noCaller), at: now)
    settle(at: now)
  }

  /// Uploads the queue; the event `synced` follows. Before `ready` it waits.
  package mutating func sync(completion: UInt64, at now: Moment) {
    if isReady { run(.sync(completion: completion), at: now) } else { waitingSyncs.append(completion) }
    settle(at: now)
  }
}
