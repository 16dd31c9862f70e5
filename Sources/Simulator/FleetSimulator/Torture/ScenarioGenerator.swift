import Base
package import JSON
package import Scenario

/// Generates a scenario from a seed, small enough to run in a moment and unusual enough to find bugs: any combination
/// of parts of the language, with values at and beyond the usual. The same seed yields the same scenario, and each
/// scenario can be run.
package struct ScenarioGenerator {
  /// The size of a run.
  package struct Size: Sendable {
    let minutes: Range<Int>
    let devicesMax: Int

    /// One in `longEach` runs lasts for days, with one or two devices that follow a plan; 0: none.
    let longEach: Int

    package static let usual = Size(minutes: 5..<120, devicesMax: 5, longEach: 6)
    /// The size for tests of a debug build.
    package static let small = Size(minutes: 3..<8, devicesMax: 1, longEach: 0)
  }

  package private(set) var document: ScenarioDocument
  var stream: RandomStream
  private let seed: UInt64
  private let size: Size
  let minutes: Int
  let isLong: Bool

  package init(seed: UInt64, size: Size = .usual) throws(JSONError) {
    self.seed = seed
    self.size = size
    stream = RandomStream(seed: seed, device: 0, concern: 0x7047)
    let isLong = size.longEach > 0
    let isOneOfThem = stream.index(below: max(size.longEach, 1)) == 0
    self.isLong = isLong && isOneOfThem
    minutes =
      self.isLong
      ? 1_440 * (1 + stream.index(below: 9)) : size.minutes.lowerBound + stream.index(below: size.minutes.count)
    document = ScenarioDocument(json: .null)
    document = ScenarioDocument(json: try value(frame()))
    for index in 0..<stream.index(below: self.isLong ? 1 : 3) { try add(fleet(), at: ["fleets", "more\(index)"]) }
    for fleet in document.fleetNames {
      for (key, part) in traits() where stream.chance(0.35) { try add(part, at: ["fleets", fleet, key]) }
      // Without a plan it would travel for days.
      if self.isLong { try add(#""day""#, at: ["fleets", fleet, "routes"]) }
    }
    for (path, part) in configuration() where stream.chance(0.3) {
      try add(part, at: ["sdk", "config"] + path.split(separator: ".").map(String.init))
    }
    let faults = stream.index(below: 6)
    for index in 0..<faults { try add(fault: fault(index)) }
    let calendar = stream.chance(self.isLong ? 0.7 : 0.35) ? try addSchedule() : nil
    if stream.chance(0.4) { try addGeofences() }
    if stream.chance(0.15) { try addBacklog(fault: faults) }
    if stream.chance(0.3) { try addTokens(fault: faults + 1) }
    // Last, so that the rest of a seed's scenario does not depend on it.
    try add(#""\#(one(of: SDKBehaviour.allCases.map(\.rawValue)))""#, at: ["sdk", "behaviour"])
    if let calendar { try addClockTrouble(calendar) }
    if stream.chance(0.25) { try addClosing() }
    if stream.chance(0.4) { try addSituation() }
    if calendar == nil && stream.chance(0.25) { try addAbsences() }
    if stream.chance(0.12) { try addPersistMode() }
    if stream.chance(0.08) { try addWhenInUse() }
    if calendar == nil && stream.chance(0.2) { try addVisits() }
    if stream.chance(0.15) { try addRefusalsWithCommands() }
    if stream.chance(0.2) { try addSettings() }
    if stream.chance(0.15) { try addTriggerActivities() }
  }

  private func value(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8).span) }

  private mutating func frame() -> String {
    let sections = ["app", "http", "geolocation", "persistence", "activity"].map { #""\#($0)": {}"# }
    return #"""
      {
        "version": 1, "name": "torture", "seed": "0x\#(String(seed, radix: 16))",
        "clock": { "duration": "\#(minutes)m", "settle": "30m" },
        "sdk": { "profile": "\#(one(of: ["android-5.1", "ios-5.1"]))", "config": { \#(sections.joined(separator: ", ")) } },
        "routes": {
          "day": { "type": "generate", "trips": { "model": "plan", "plan": "\#(one(of: ["commuter", "courier", "walker", "cyclist", "night-shift", "parked"]))" } },
          "about": { "type": "generate", "trips": { "dwell": { "dist": "uniform", "min": "2m", "max": "40m" } } }
        },
        "fleets": { "first": \#(fleet()) }, "faults": []
      }
      """#
  }

  private mutating func fleet() -> String {
    #"{ "devices": \#(1 + stream.index(below: isLong ? 2 : size.devicesMax)) }"#
  }

  private mutating func traits() -> [(String, String)] {
    [
      ("motion", #""\#(one(of: ["driving", "walking", "cycling"]))""#),
      ("network", #""\#(one(of: ["wifi", "lte", "hsdpa", "edge", "none"]))""#),
      (
        "lifecycle",
        #"{ "terminate": { "perHour": \#(stream.index(below: 20)) }, "reboot": { "perHour": \#(stream.index(below: 5)) } }"#
      ),
      ("mode", one(of: [#""location""#, #""geofences""#])), ("routes", #""\#(one(of: ["day", "about"]))""#),
      ("startTime", #""\#(stream.index(below: 200))s""#),
    ]
  }

  private mutating func configuration() -> [(String, String)] {
    let flag = { (stream: inout RandomStream) in stream.chance(0.5) ? "true" : "false" }
    return [
      ("http.batchSync", flag(&stream)), ("http.autoSync", flag(&stream)),
      ("http.autoSyncThreshold", "\(stream.index(below: 12))"),
      ("http.maxBatchSize", one(of: ["1", "2", "7", "50", "250"])),
      ("http.disableAutoSyncOnCellular", flag(&stream)), ("http.timeout", one(of: ["10000", "60000"])),
      ("http.headers", #"{ "X-Phone": "${device.id}", "X-Fleet": "of ${device.fleet}", "X-Plain": "yes" }"#),
      ("http.params", #"{ "phone": "${device.id}", "deep": { "index": "${device.index}" }, "number": 7 }"#),
      ("http.rootProperty", one(of: [#""location""#, #""data""#, #"".""#])),
      ("http.method", one(of: [#""POST""#, #""PUT""#])),
      ("persistence.maxDaysToPersist", one(of: ["1", "3"])),
      ("persistence.maxRecordsToPersist", one(of: ["-1", "1", "5", "100"])),
      ("persistence.locationsOrderDirection", one(of: [#""ASC""#, #""DESC""#])),
      // A record each second shows no more in days than in an hour.
      ("geolocation.distanceFilter", one(of: isLong ? ["50", "500"] : ["0", "1", "10", "50", "500"])),
      ("geolocation.stopTimeout", one(of: ["1", "5"])), ("geolocation.disableElasticity", flag(&stream)),
      ("app.stopOnTerminate", flag(&stream)), ("app.startOnBoot", flag(&stream)),
      ("geolocation.geofenceInitialTriggerEntry", flag(&stream)),
      ("geolocation.geofenceProximityRadius", one(of: ["1000", "2000", "5000"])),
      ("app.preventSuspend", flag(&stream)), ("app.heartbeatInterval", one(of: ["60", "300"])),
      ("activity.disableStopDetection", flag(&stream)),
    ]
  }

  private mutating func addGeofences() throws(JSONError) {
    try add(#"{ "fences": \#(geofences()) }"#, at: ["geofences"])
    for fleet in document.fleetNames where stream.chance(0.8) {
      try add(#""fences""#, at: ["fleets", fleet, "geofences"])
    }
  }

  /// Adds a date with windows on it.
  private mutating func addSchedule() throws(JSONError) -> Calendar {
    let calendar = calendar()
    try add(#""\#(calendar.start)""#, at: ["clock", "start"])
    let changes = calendar.zoneChanges.map { #""\#($0)""# }.joined(separator: ", ")
    try add("[\(changes)]", at: ["clock", "zoneChanges"])
    try add(schedule(calendar), at: ["sdk", "config", "app", "schedule"])
    if stream.chance(0.5) { try add("true", at: ["sdk", "config", "app", "scheduleUseAlarmManager"]) }
    return calendar
  }

  /// Adds an outage, followed by a slow server for many pages.
  private mutating func addBacklog(fault index: Int) throws(JSONError) {
    let seconds = minutes * 60
    try add(#"{ "batchSync": true, "maxBatchSize": \#(one(of: ["1", "5"])) }"#, at: ["sdk", "config", "http"])
    try add(fault: #"{ "name": "fault\#(index)", "at": "0s", "for": "\#(seconds / 2)s", "network": "none" }"#)
    try add(
      fault:
        #"{ "name": "slow", "at": "\#(seconds / 2)s", "for": "\#(seconds / 2)s", "http": { "delay": { "fixedDelay": "1s" } } }"#
    )
  }

  /// Adds tokens and their faults.
  private mutating func addTokens(fault index: Int) throws(JSONError) {
    let lifetime = one(of: ["90s", "10m", "1h"])
    try add(#"{ "auth": { "strategy": "jwt", "accessTokenTtl": "\#(lifetime)" } }"#, at: ["target"])
    let loss = one(of: [
      #""auth": { "expireAllAccessTokens": true }"#, #""auth": { "revokeAllTokens": true }"#,
      #""for": "3m", "auth": { "expireAllAccessTokens": true, "refreshStatus": \#(one(of: ["401", "500", "503"])) }"#,
    ])
    let start = 30 + stream.index(below: minutes * 60 - 60)
    try add(fault: #"{ "name": "fault\#(index)", "at": "\#(start)s", \#(loss) }"#)
  }

  mutating func one(of choices: [String]) -> String { choices[stream.index(below: choices.count)] }

  mutating func add(fault: String) throws(JSONError) {
    guard case .array(let faults)? = document.json["faults"] else { return }
    document.set(DocumentPath([.key("faults")]), to: .array(faults + [try value(fault)]))
  }

  mutating func add(_ text: String, at path: [String]) throws(JSONError) {
    document.set(DocumentPath(path.map { .key($0) }), to: try value(text))
  }
}
