import Base
package import JSON
package import Scenario

/// Makes a scenario of a seed, small enough to run in a moment and strange enough to find something: any number of parts
/// of the language, each with values at and beyond the usual. The same seed gives the same scenario, and each scenario is
/// one that can be run.
package struct ScenarioGenerator {
  /// How much happens in a run.
  package struct Size: Sendable {
    let minutes: Range<Int>
    let devicesMax: Int

    package static let usual = Size(minutes: 5..<45, devicesMax: 5)
    /// For tests of a debug build.
    package static let small = Size(minutes: 3..<8, devicesMax: 1)
  }

  package private(set) var document: ScenarioDocument
  var stream: RandomStream
  private let seed: UInt64
  private let size: Size
  let minutes: Int

  package init(seed: UInt64, size: Size = .usual) throws(JSONError) {
    self.seed = seed
    self.size = size
    stream = RandomStream(seed: seed, device: 0, concern: 0x7047)
    minutes = size.minutes.lowerBound + stream.index(below: size.minutes.count)
    document = ScenarioDocument(json: .null)
    document = ScenarioDocument(json: try value(frame()))
    for index in 0..<stream.index(below: 3) { try add(fleet(), at: ["fleets", "more\(index)"]) }
    for fleet in document.fleetNames {
      for (key, part) in traits() where stream.chance(0.35) { try add(part, at: ["fleets", fleet, key]) }
    }
    for (path, part) in configuration() where stream.chance(0.3) {
      try add(part, at: ["sdk", "config"] + path.split(separator: ".").map(String.init))
    }
    let faults = stream.index(below: 6)
    for index in 0..<faults { try add(fault: fault(index)) }
    if stream.chance(0.3) { try addGeofences() }
    if stream.chance(0.3) { try addTokens(fault: faults) }
  }

  private func value(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8).span) }

  private mutating func frame() -> String {
    let sections = ["app", "http", "geolocation", "persistence", "activity"].map { #""\#($0)": {}"# }
    return #"""
      {
        "version": 1, "name": "torture", "seed": "0x\#(String(seed, radix: 16))",
        "clock": { "duration": "\#(minutes)m", "settle": "30m" },
        "sdk": { "profile": "\#(one(of: ["android-5.1", "ios-5.1"]))", "config": { \#(sections.joined(separator: ", ")) } },
        "fleets": { "first": \#(fleet()) }, "faults": []
      }
      """#
  }

  private mutating func fleet() -> String { #"{ "devices": \#(1 + stream.index(below: size.devicesMax)) }"# }

  private mutating func traits() -> [(String, String)] {
    [
      ("motion", #""\#(one(of: ["driving", "walking", "cycling"]))""#),
      ("network", #""\#(one(of: ["wifi", "lte", "hsdpa", "edge", "none"]))""#),
      (
        "lifecycle",
        #"{ "terminate": { "perHour": \#(stream.index(below: 20)) }, "reboot": { "perHour": \#(stream.index(below: 5)) } }"#
      ),
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
      ("http.rootProperty", one(of: [#""location""#, #""data""#, #"".""#])),
      ("http.method", one(of: [#""POST""#, #""PUT""#])),
      ("persistence.maxRecordsToPersist", one(of: ["-1", "1", "5", "100"])),
      ("persistence.locationsOrderDirection", one(of: [#""ASC""#, #""DESC""#])),
      ("geolocation.distanceFilter", one(of: ["0", "1", "10", "50", "500"])),
      ("geolocation.stopTimeout", one(of: ["1", "5"])), ("geolocation.disableElasticity", flag(&stream)),
      ("app.stopOnTerminate", flag(&stream)), ("app.startOnBoot", flag(&stream)),
      ("app.heartbeatInterval", one(of: ["60", "300"])), ("activity.disableStopDetection", flag(&stream)),
    ]
  }

  private mutating func addGeofences() throws(JSONError) {
    let (count, radius) = (one(of: ["4", "25", "120"]), one(of: ["150m", "200m", "400m"]))
    let dwell = one(of: ["", #", "notifyOnDwell": true, "loiteringDelay": 30000"#])
    try add(
      #"{ "grid": { "type": "grid", "count": \#(count), "radius": "\#(radius)"\#(dwell) } }"#, at: ["geofences"])
    for fleet in document.fleetNames where stream.chance(0.7) {
      try add(#""grid""#, at: ["fleets", fleet, "geofences"])
    }
  }

  /// Tokens, and what becomes of them.
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

  private mutating func add(fault: String) throws(JSONError) {
    guard case .array(let faults)? = document.json["faults"] else { return }
    document.set(DocumentPath([.key("faults")]), to: .array(faults + [try value(fault)]))
  }

  private mutating func add(_ text: String, at path: [String]) throws(JSONError) {
    document.set(DocumentPath(path.map { .key($0) }), to: try value(text))
  }
}
