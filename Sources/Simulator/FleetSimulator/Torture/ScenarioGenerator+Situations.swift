import Base
import JSON
import Scenario

/// Situations whose parts rarely coincide by chance. They begin near the start of a run, so that a short run has them, too.
extension ScenarioGenerator {
  mutating func addSituation() throws(JSONError) {
    if stream.chance(0.5) { try addFailures() } else { try addRegionExits() }
  }

  /// Adds a failing server and an intermittent network, with fewer records than the threshold.
  private mutating func addFailures() throws(JSONError) {
    let http: [(String, String)] = [
      ("autoSync", "true"), ("disableAutoSyncOnCellular", "false"), ("batchSync", one(of: ["true", "true", "false"])),
      ("autoSyncThreshold", one(of: ["2", "5", "11"])),
    ]
    for (key, value) in http { try add(value, at: ["sdk", "config", "http", key]) }
    try add(one(of: ["50", "500"]), at: ["sdk", "config", "geolocation", "distanceFilter"])
    try add("60", at: ["sdk", "config", "app", "heartbeatInterval"])
    let rate = isLong ? 1 : 10
    try add(
      fault: #"""
        { "name": "failing", "rate": { "perDeviceHour": \#(rate) }, "for": "3m",
          "http": { "abort": { "status": \#(one(of: ["500", "502", "503"])), "percentage": 100 } } }
        """#)
    try add(
      fault: #"{ "name": "gaps", "rate": { "perDeviceHour": \#(rate) }, "for": "1m", "network": "none" }"#)
  }

  /// Adds devices without activity updates: only leaving their region shows that they depart.
  private mutating func addRegionExits() throws(JSONError) {
    try add("true", at: ["sdk", "config", "activity", "disableMotionActivityUpdates"])
    try add("false", at: ["sdk", "config", "activity", "disableStopDetection"])
    try add("1", at: ["sdk", "config", "geolocation", "stopTimeout"])
    if !isLong { try travel() }
  }

  /// Makes bodies travel from place to place, with rests.
  private mutating func travel() throws(JSONError) {
    for fleet in document.fleetNames { try add(#""about""#, at: ["fleets", fleet, "routes"]) }
  }

  /// Makes all devices monitor these fences and come and go.
  private mutating func visit(_ fences: String) throws(JSONError) {
    try add(#"{ "fences": \#(fences) }"#, at: ["geofences"])
    for fleet in document.fleetNames { try add(#""fences""#, at: ["fleets", fleet, "geofences"]) }
    if !isLong { try travel() }
  }

  /// Adds apps that are closed, or not opened after a boot, for long, and whose SDK continues.
  mutating func addClosing() throws(JSONError) {
    try add("false", at: ["sdk", "config", "app", "stopOnTerminate"])
    try add(one(of: ["true", "false"]), at: ["sdk", "config", "app", "startOnBoot"])
    let end = one(of: ["terminate", "terminate", "reboot"])
    let (start, length) = (60 + stream.index(below: minutes * 30), 600 + stream.index(below: minutes * 30))
    try add(
      fault:
        #"{ "name": "closing", "at": "\#(start)s", "lifecycle": { "\#(end)": true, "relaunchAfter": "\#(length)s" } }"#
    )
  }

  /// Adds fences around devices that come and go while their phone is off or their app is closed.
  mutating func addAbsences() throws(JSONError) {
    try add("false", at: ["sdk", "config", "app", "stopOnTerminate"])
    try add(stream.chance(0.75) ? "true" : "false", at: ["sdk", "config", "app", "startOnBoot"])
    try add("true", at: ["sdk", "config", "geolocation", "geofenceInitialTriggerEntry"])
    let (count, radius) = (one(of: ["12", "60"]), one(of: ["200m", "400m"]))
    try add("1000", at: ["sdk", "config", "geolocation", "geofenceProximityRadius"])
    try visit(#"{ "type": "grid", "count": \#(count), "radius": "\#(radius)" }"#)
    if stream.chance(0.5) { try add("60", at: ["sdk", "config", "app", "heartbeatInterval"]) }
    let end = one(of: ["terminate", "reboot", "reboot"])
    let rate = isLong ? 1 : 2 + stream.index(below: 3)
    try add(
      fault: #"""
        { "name": "absence", "rate": { "perDeviceHour": \#(rate) },
          "lifecycle": { "\#(end)": true, "relaunchAfter": { "dist": "uniform", "min": "2m", "max": "15m" } } }
        """#)
  }

  /// Adds large fences in which devices stay: polygons, or circles with dwelling while apps end and start.
  mutating func addVisits() throws(JSONError) {
    let isOfPolygons = stream.chance(0.5)
    let dwell = #", "notifyOnDwell": true, "loiteringDelay": \#(one(of: ["30000", "300000", "600000"]))"#
    let fences = (0..<3 + stream.index(below: 4)).map { number in
      let shape = isOfPolygons ? polygon(metres: 600...1_600) : circle(radii: ["500", "1000"])
      return #"{ "identifier": "visit-\#(number)", \#(shape)\#(dwell) }"#
    }
    try visit(#"{ "type": "list", "fences": [\#(fences.joined(separator: ", "))] }"#)
    try add("true", at: ["sdk", "config", "geolocation", "geofenceInitialTriggerEntry"])
    let mode = one(of: ["location", "geofences", "geofences"])
    for fleet in document.fleetNames { try add("\"\(mode)\"", at: ["fleets", fleet, "mode"]) }
    guard !isOfPolygons else { return }
    try add("false", at: ["sdk", "config", "app", "stopOnTerminate"])
    try add(
      fault: #"""
        { "name": "ends", "rate": { "perDeviceHour": \#(isLong ? 1 : 6) },
          "lifecycle": { "terminate": true, "relaunchAfter": "\#(30 + stream.index(below: 200))s" } }
        """#)
  }

  /// Adds servers that reject uploads with commands in the same answer.
  mutating func addRefusalsWithCommands() throws(JSONError) {
    let status = one(of: ["400", "401", "401", "403", "500", "503"])
    if status == "401" {
      try add(#"{ "auth": { "strategy": "jwt", "accessTokenTtl": "1h" } }"#, at: ["target"])
    }
    let command = one(of: [
      #"[\"resetOdometer\"]"#, #"[\"setConfig\", { \"app\": { \"heartbeatInterval\": 90 } }]"#,
    ])
    try add(
      fault: #"""
        { "name": "refusing", "rate": { "perDeviceHour": \#(isLong ? 1 : 6) }, "for": "2m",
          "http": { "abort": { "status": \#(status), "percentage": \#(25 + stream.index(below: 76)),
                               "body": "{\"background_geolocation\": [\#(command)]}" } } }
        """#)
  }

  /// Adds a setting whose effect is seen in records only, or commands that set the odometer.
  mutating func addSettings() throws(JSONError) {
    let config = ["sdk", "config"]
    switch stream.index(below: 4) {
    case 0:
      let place = #"\"lat\": <%= latitude %>, \"lng\": <%= longitude %>"#
      let members = #"\"uuid\": \"<%= uuid %>\", \"timestamp\": \"<%= timestamp %>\", \#(place)"#
      try add(#""{ \#(members) }""#, at: config + ["persistence", "locationTemplate"])
      let fence = #"\"fence\": \"<%= geofence.identifier %>\""#
      try add(#""{ \#(members), \#(fence) }""#, at: config + ["persistence", "geofenceTemplate"])
    case 1:
      try add("\(3 + stream.index(below: 30))", at: config + ["geolocation", "stopAfterElapsedMinutes"])
    case 2: try add("true", at: config + ["geolocation", "useSignificantChangesOnly"])
    default:
      let metres = one(of: ["0", "500000", "-100000"])
      try add(
        fault: #"""
          { "name": "odometer", "rate": { "perDeviceHour": \#(isLong ? 1 : 4) },
            "remote": { "background_geolocation": [["setOdometer", \#(metres)]] } }
          """#)
    }
  }

  /// Adds a list of the activities with which a trip may begin.
  mutating func addTriggerActivities() throws(JSONError) {
    let list = one(of: ["in_vehicle", "on_bicycle", "walking,on_foot,running", "in_vehicle,on_bicycle"])
    try add("\"\(list)\"", at: ["sdk", "config", "activity", "triggerActivities"])
    if !isLong && stream.chance(0.5) { try travel() }
  }

  /// Adds a queue that excludes a kind of record, or stores none.
  mutating func addPersistMode() throws(JSONError) {
    try add(one(of: ["-1", "0", "1"]), at: ["sdk", "config", "persistence", "persistMode"])
  }

  /// Adds apps that request less permission than fences need.
  mutating func addWhenInUse() throws(JSONError) {
    try add(#""WhenInUse""#, at: ["sdk", "config", "geolocation", "locationAuthorizationRequest"])
  }
}
