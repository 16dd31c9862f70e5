package import Contract
import Database
import Engine
package import JSON
import Upload
package import Vocabulary

extension DeviceHost {
  /// `setConfig`: what of the document can be taken is kept and takes effect at once.
  package mutating func configure(_ document: JSONValue, at now: Moment) {
    edit(at: now) { $0.apply(document) }
  }

  /// The same for code that changes properties, with `Configuration.edit` or `reset`.
  package mutating func edit(at now: Moment, _ change: (inout Configuration) -> ConfigurationChange) {
    var draft = configuration
    let result = change(&draft)
    adopt(draft, result, at: now)
    settle(at: now)
  }

  /// Before `ready` the parts learn of it without doing anything.
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
    if new.persistence.maxRecordsToPersist != wasLimited { shrink(at: now) }
    let tokenSetAt = uploader.tokenSetAt
    run(UploadInput.configuration(new), at: now)
    if uploader.tokenSetAt != tokenSetAt { saveTokenTime(at: now) }
    run(.configured(new, changedKeys: change.changedKeys), at: now)
    emit(.deliver(.configured))
  }

  /// A refresh has brought them; the uploader has them already.
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

  /// The SDK's state: configuration, in groups and flat, and what the engine adds (SDK §1, §3).
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
  /// As a device with this configuration writes its records.
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

  /// The demo server refuses this device. A ban by another server has no effect.
  private mutating func ban(_ message: String?, at now: Moment) {
    guard configuration.http.url.hasPrefix(TransistorToken.defaultURL) else { return }
    log(.error(message ?? "The server has banned this device"), at: now)
    edit(at: now) { $0.edit { $0.http.url = "" } }
  }

  /// Ends with the event `logUploaded`, unless it is a server that asks for the log (SDK §20.5): nil.
  package mutating func uploadLog(to url: String, gzip: [UInt8], completion: UInt64?, at now: Moment) {
    let upload = LogUpload(
      url: url, gzip: gzip, state: JSONValue.object(state).text, model: description.model,
      manufacturer: description.manufacturer, version: description.version)
    run(.uploadLog(upload, completion: completion ?? Self.noCaller), at: now)
    settle(at: now)
  }

  /// Ends with the event `synced`; before `ready` it waits.
  package mutating func sync(completion: UInt64, at now: Moment) {
    if isReady { run(.sync(completion: completion), at: now) } else { waitingSyncs.append(completion) }
    settle(at: now)
  }
}
