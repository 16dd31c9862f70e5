/// A log of our own making of an Android phone with `useSignificantChangesOnly`: at rest, a trip past a fence, a second
/// rest. Its words are the vendor's, its places and times are made up.
struct SignificantLog {
  private(set) var entries: [String] = []

  var text: String { entries.joined() }

  mutating func remove(_ words: String, occurrence: Int = 0) {
    let places = entries.indices.filter { entries[$0].contains(words) }
    if places.indices.contains(occurrence) { entries.remove(at: places[occurrence]) }
  }

  /// The places are so many thousandths of a degree north of the beginning, 111 m each.
  static func place(_ thousandths: Double) -> String { "\(48 + thousandths / 1_000),11.500000" }

  mutating func plain(_ time: String, _ place: String, _ text: String) {
    entries.append("03-14 \(time) DEBUG [\(place)] \(text)\n")
  }

  mutating func line(_ time: String, _ place: String, _ text: String) {
    entries.append("03-14 \(time) INFO [\(place)] \n  \(text)\n")
  }

  mutating func box(_ time: String, _ place: String, _ title: String, _ rows: [String] = []) {
    let body = rows.map { "╟─ \($0)\n" }.joined()
    entries.append("03-14 \(time) INFO [\(place)] \n╔═════\n║ \(title)\n╠═════\n\(body)╚═════\n")
  }

  mutating func insert(_ time: String) {
    line(time, "SQLiteLocationDAO persist", "💾 ✅ 00000000-0000-4000-8000-000000000000")
  }

  mutating func change(_ time: String, at north: Double, accuracy: Double = 15, recorded: String? = nil) {
    line(
      time, "SlcLocationReceiver onReceive",
      "📍 SLC Location[fused \(SignificantLog.place(north)), acy: \(accuracy)m, age: 0s]")
    if let recorded { insert(recorded) }
  }

  mutating func check(_ time: String, isCancelled: Bool = true, seconds: Int = 1_200) {
    if isCancelled { line(time, "TSScheduleManager cancelOneShot", "⏰ Cancel OneShot: SLC_STATIONARY_CHECK") }
    line(
      time, "TSScheduleManager oneShot", "⏰ Scheduled OneShot: SLC_STATIONARY_CHECK in \(seconds)000ms (jobID: 7)")
  }

  mutating func moved(_ time: String, isMoving: Bool, at north: Double) {
    plain(
      time, "TSGeofenceManager setLocation",
      "isMoving: \(isMoving) | stateChanged: true | timerExpired: false | elapsed: 0")
    box(
      time, "SlcLocationProcessor process", "motionchange LocationResult (1200ms old)",
      ["📍 Location[fused \(SignificantLog.place(north)) hAcc=30.5 et=+1h2m alt=500.0]"])
    line(time, "SlcLocationProcessor process", "🔵  Acquired motionchange position, isMoving: \(isMoving)")
  }

  mutating func cross(_ time: String, _ action: String, _ fence: String, at north: Double, recorded: String) {
    box(time, "GeofencingProcessor handleGeofencingEvent", "Geofencing Event: \(action)", [fence])
    box(
      time, "GeofencingProcessor logTriggerVsGeofence", "Trigger vs Geofence center: \(fence)",
      [
        "📍 Trigger=Location[fused \(SignificantLog.place(north)) hAcc=20.0 et=+1h2m]", "dist=100.0m radius=150.0m",
        "minPossibleDist=80.0m (insideBy=-70.0m)", "triggerAge=400ms provider=fused",
      ])
    plain(time, "GeofenceDAO updateState", "Updated geofence state \(fence) (entry_state=1, hits=3)")
    insert(recorded)
  }

  mutating func ignore(_ time: String, _ title: String, _ fence: String, state: String, at north: Double) {
    box(
      time, "GeofencingProcessor handleGeofencingEvent", title,
      [
        "id=\(fence)", "entryState=\(state)", "reason=our own",
        "📍 Trigger=Location[fused \(SignificantLog.place(north)) hAcc=20.0 et=+1h2m]",
        "📍 Current=Location[fused \(SignificantLog.place(0)) hAcc=9.0 et=+1h]",
      ])
  }

  static let day: SignificantLog = {
    var log = SignificantLog()
    log.plain(
      "08:00:00.000", "TSGeofenceManager setLocation",
      "isMoving: false | stateChanged: false | timerExpired: true | elapsed: 152492 | d: 3.2")
    log.change("08:10:00.000", at: 4, recorded: "08:10:00.030")
    log.ignore(
      "08:10:00.100", "Ignoring spurious geofence EXIT (never entered)", "elsewhere", state: "OUTSIDE", at: 4)
    log.cross("08:10:00.150", "EXIT", "home", at: 4, recorded: "08:10:00.200")
    log.box("08:10:01.000", "SlcStationaryExitStrategy onStationaryExit", "Stationary geofence EXIT", ["📍 Location[x]"])
    log.check("08:10:01.010", isCancelled: false)
    log.moved("08:10:01.050", isMoving: true, at: 4)
    log.check("08:10:01.080")
    log.insert("08:10:01.090")
    log.change("08:11:00.000", at: 4, accuracy: 300)
    log.line(
      "08:11:00.001", "SlcLocationProvider evaluateLocation", "⚠️  SLC NOISE (exact duplicate, raw=0): hAcc=300.0m")
    log.cross("08:14:00.000", "ENTER", "school", at: 7, recorded: "08:14:00.030")
    log.check("08:14:00.010")
    log.ignore(
      "08:14:00.500", "Ignoring duplicate geofence ENTER (already inside)", "town", state: "INSIDE", at: 7)
    log.line(
      "08:14:01.000", "SlcLocationReceiver handleGeofencingEvent",
      "🎈 SLC moving geofence EXIT @ \(SignificantLog.place(7))")
    log.insert("08:14:01.030")
    log.line(
      "08:15:00.000", "PassiveLocationReceiver onReceive",
      "ℹ️  Passive location: \(SignificantLog.place(7.9)), acy: 15.6m, age: 4s")
    log.change("08:15:30.000", at: 7.9, recorded: "08:15:30.030")
    log.change("08:16:00.000", at: 7.95, accuracy: 20)
    log.line(
      "08:16:00.001", "SlcLocationProvider evaluateLocation",
      "⚠️  SLC NOISE (overlapping accuracy circles): raw=5.6m < sumRadii=35.0m (hAccs 20.0/15.0)")
    // The alarm is three minutes late.
    log.box("08:37:02.000", "ScheduleEvent onOneShot", "⏰ OneShot event fired: SLC_STATIONARY_CHECK")
    log.line(
      "08:37:02.001", "SlcLocationProvider onStationaryCheck", "🔵  SLC stationary check — transitioning to stationary")
    log.moved("08:37:10.000", isMoving: false, at: 7.92)
    log.insert("08:37:10.030")
    log.change("09:30:00.000", at: 30, recorded: "09:30:00.030")
    return log
  }()
}
