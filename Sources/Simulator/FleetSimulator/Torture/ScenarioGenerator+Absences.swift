import Base
import JSON
import Scenario

/// Situations that chance alone brings about too rarely: what each of them needs, together.
extension ScenarioGenerator {
  /// Apps that are closed, or not opened after a boot, for long, and whose SDK goes on without them.
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

  /// Fences around devices whose phone is off, or whose app is closed, while they come and go.
  mutating func addAbsences() throws(JSONError) {
    try add("false", at: ["sdk", "config", "app", "stopOnTerminate"])
    try add(stream.chance(0.75) ? "true" : "false", at: ["sdk", "config", "app", "startOnBoot"])
    try add("true", at: ["sdk", "config", "geolocation", "geofenceInitialTriggerEntry"])
    let (count, radius) = (one(of: ["12", "60"]), one(of: ["200m", "400m"]))
    try add("1000", at: ["sdk", "config", "geolocation", "geofenceProximityRadius"])
    try add(#"{ "fences": { "type": "grid", "count": \#(count), "radius": "\#(radius)" } }"#, at: ["geofences"])
    for fleet in document.fleetNames {
      try add(#""fences""#, at: ["fleets", fleet, "geofences"])
      if !isLong { try add(#""about""#, at: ["fleets", fleet, "routes"]) }
    }
    if stream.chance(0.5) { try add("60", at: ["sdk", "config", "app", "heartbeatInterval"]) }
    let end = one(of: ["terminate", "reboot", "reboot"])
    let rate = isLong ? 1 : 2 + stream.index(below: 3)
    try add(
      fault: #"""
        { "name": "absence", "rate": { "perDeviceHour": \#(rate) },
          "lifecycle": { "\#(end)": true, "relaunchAfter": { "dist": "uniform", "min": "2m", "max": "15m" } } }
        """#)
  }

  /// Queues that leave out a kind of record, or keep none.
  mutating func addPersistMode() throws(JSONError) {
    try add(one(of: ["-1", "0", "1"]), at: ["sdk", "config", "persistence", "persistMode"])
  }

  /// Apps that ask for less than fences need.
  mutating func addWhenInUse() throws(JSONError) {
    try add(#""WhenInUse""#, at: ["sdk", "config", "geolocation", "locationAuthorizationRequest"])
  }
}
