import Base

extension ScenarioGenerator {
  /// Some trouble, at some time, for some.
  mutating func fault(_ index: Int) -> String {
    let seconds = minutes * 60
    let (start, length) = (1 + stream.index(below: seconds - 1), 1 + stream.index(below: seconds / 2))
    let once = #""at": "\#(start)s", "for": "\#(length)s""#
    let time =
      stream.chance(0.7) || isLong
      ? once : #""rate": { "perDeviceHour": \#(1 + stream.index(below: 20)) }, "for": "\#(1 + length / 4)s""#
    let selection = one(of: [
      "{}", #"{ "fleet": "first" }"#, #"{ "fraction": 0.5 }"#, #"{ "count": \#(1 + stream.index(below: 3)) }"#,
    ])
    let action = action()
    // A queue of them in one body is more than a server takes (413), and then the SDK tries the same body for ever
    // (SDK §9.1): so it has to be, and no queue would ever drain.
    let when = action.contains("oversized-extras") ? once : time
    return #"{ "name": "fault\#(index)", \#(when), "select": \#(selection), \#(action) }"#
  }

  private mutating func action() -> String {
    let milliseconds = stream.index(below: 20_000)
    let share = 1 + stream.index(below: 100)
    return one(of: [
      #""network": "none""#, #""network": "edge""#,
      #""storage": { "error": "\#(one(of: ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_BUSY", "SQLITE_READONLY"]))" }"#,
      #""storage": { "crash": "\#(one(of: ["before-insert-commits", "between-send-and-answer", "between-2xx-and-delete"]))" }"#,
      #""device": { "clockOffset": "\#(stream.index(below: 7_200) - 3_600)s" }"#, #""device": { "noFix": true }"#,
      #""device": { "clockDrift": \#(stream.index(below: 200) - 100) }"#,
      #""device": { "poisonRecord": "\#(one(of: ["missing-coords", "text-latitude", "oversized-extras"]))" }"#,
      #""lifecycle": { "terminate": true, "relaunchAfter": "\#(1 + milliseconds / 20)s" }"#,
      #""lifecycle": { "reboot": true }"#,
      #""http": { "abort": { "status": \#(one(of: ["400", "401", "403", "404", "413", "429", "500", "503"])), "percentage": \#(share) } }"#,
      #""http": { "delay": { "fixedDelay": "\#(milliseconds * 4)ms", "percentage": \#(share) } }"#,
      // Servers that lose data on purpose are another test's.
      #""http": { "answer": { "kind": "\#(one(of: ["redirect", "empty", "malformed", "drop"]))", "percentage": \#(share) } }"#,
      #""toxic": { "type": "latency", "attributes": { "latency": \#(milliseconds), "jitter": \#(milliseconds / 4) } }"#,
      #""toxic": { "type": "timeout", "attributes": { "timeout": \#(milliseconds) } }"#,
      #""toxic": { "type": "reset_peer", "attributes": { "timeout": \#(milliseconds) } }"#,
      #""toxic": { "type": "limit_data", "attributes": { "bytes": \#(milliseconds / 10) } }"#,
      #""toxic": { "type": "bandwidth", "attributes": { "rate": \#(1 + milliseconds / 1_000) } }"#,
      #""toxic": { "type": "slicer", "attributes": { "average_size": 64, "size_variation": 32, "delay": 10 } }"#,
      #""remote": { "background_geolocation": [["\#(one(of: ["stop", "start", "startGeofences", "resetOdometer", "startSchedule", "stopSchedule"]))"]] }"#,
      #""remote": { "background_geolocation": [["changePace", \#(one(of: ["true", "false"]))]] }"#,
      #""remote": { "background_geolocation": [["setConfig", { "app": { "heartbeatInterval": \#(one(of: ["60", "90"])) } }]] }"#,
      #""remote": { "background_geolocation": [["setConfig", { "http": { "params": { "phone": "another" } } }]] }"#,
      #""remote": { "background_geolocation": [["removeGeofences"], ["addGeofence", { "identifier": "new", "latitude": 48.137, "longitude": 11.575, "radius": 300 }]] }"#,
    ])
  }
}
