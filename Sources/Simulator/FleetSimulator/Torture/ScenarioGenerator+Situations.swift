import Base
import JSON
import Scenario

/// Situations whose parts chance alone rarely brings together. They begin near the start of a run, so that a short run
/// has them, too.
extension ScenarioGenerator {
  mutating func addSituation() throws(JSONError) {
    if stream.chance(0.5) { try addFailures() } else { try addRegionExits() }
  }

  /// A server that fails and a network that goes and comes back, with fewer records than the threshold.
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

  /// Devices whose activity nobody tells: only that they leave their place shows that they set off.
  private mutating func addRegionExits() throws(JSONError) {
    try add("true", at: ["sdk", "config", "activity", "disableMotionActivityUpdates"])
    try add("false", at: ["sdk", "config", "activity", "disableStopDetection"])
    try add("1", at: ["sdk", "config", "geolocation", "stopTimeout"])
    if !isLong { try travel() }
  }

  /// From place to place, with rests.
  private mutating func travel() throws(JSONError) {
    for fleet in document.fleetNames { try add(#""about""#, at: ["fleets", fleet, "routes"]) }
  }
}
