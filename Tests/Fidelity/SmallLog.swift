/// A log of our own making: a device at rest sets off, drives past two positions, and comes to rest again.
struct SmallLog {
  var lines: [String] = []

  /// The whole trip with a configured distance filter of 10 m and a stop timeout of 5 minutes, which are the defaults.
  static let trip: SmallLog = {
    var log = SmallLog()
    log.add("10:00:00.000", "🔵 -[TSTrackingService locationManager:didExitRegion:] Exit stationary region")
    log.add("10:00:00.001", "🟢 -[TSTrackingService changePace:] isMoving: 1")
    log.fix("10:00:00.500", number: 1, latitude: 45.5000, speed: 0)
    log.insert("10:00:00.510", type: 0)
    log.flush("10:00:00.520")
    for (time, latitude, speed) in [("10:01:00.000", 45.5010, 12.0), ("10:02:00.000", 45.5030, 3.0)] {
      log.add(time, "\n║ -[TSTrackingService locationManager:didUpdateLocations:] Enabled: 1 | isMoving: 1 | df: 10.0m")
      log.fix(time, latitude: latitude, speed: speed)
      let (new, old) = speed == 12 ? (30, 10) : (20, 30)
      log.add(
        time,
        "🔵 -[TSTrackingService locationManager:didUpdateLocations:] Updated distanceFilter, "
          + "new: \(new).000000, old: \(old).000000")
      log.insert(time, type: 1)
      log.flush(time)
    }
    log.add("10:03:00.000", "\n║ -[TSTrackingService onMotionActivityChange:] | still/100 | isMoving: 0")
    log.add("10:03:00.000", "🔵 -[TSTrackingService beginStopDetection] Stop-timeout engaged: 300 s...")
    log.add("10:08:00.010", "🔵 -[TSTrackingService onStopTimeout] 🛑 stopTimeout fired")
    log.add("10:08:00.011", "🟢 -[TSTrackingService changePace:] isMoving: 0")
    log.fix("10:08:01.000", number: 1, latitude: 45.5031, speed: 0)
    log.insert("10:08:01.010", type: 0)
    log.flush("10:08:01.020")
    return log
  }()

  var text: String { lines.joined(separator: "\n\n") + "\n" }

  /// Where the n-th entry with these words begins; each entry takes two lines or more.
  func line(of words: String, occurrence: Int = 0) -> Int? {
    let places = lines.indices.filter { lines[$0].contains(words) }
    guard places.indices.contains(occurrence) else { return nil }
    return lines[..<places[occurrence]].reduce(1) { $0 + $1.split(separator: "\n").count + 1 }
  }

  mutating func remove(_ words: String, occurrence: Int = 0) {
    let places = lines.indices.filter { lines[$0].contains(words) }
    if places.indices.contains(occurrence) { lines.remove(at: places[occurrence]) }
  }

  private mutating func add(_ time: String, _ text: String) { lines.append("2026-07-28 \(time) \(text)") }

  private mutating func fix(_ time: String, number: Int? = nil, latitude: Double, speed: Double) {
    let head = number.map { "\n\($0):" } ?? ""
    let clock = String(time.prefix(8))
    add(
      time,
      "\(head)📍<\(latitude),-116.300000> +/- 5.00m (speed \(speed) mps / course 90.00) @ 2026-07-28, "
        + "\(clock) AM Eastern Daylight Time | age: 10 ms")
  }

  private mutating func insert(_ time: String, type: Int) {
    add(
      time,
      "✅ -[TSDataStore persist:] 💾 INSERT: 00000000-0000-4000-8000-000000000000 "
        + "(type: \(type), persistMode: 2, maxRecords: -1)")
  }

  private mutating func flush(_ time: String) {
    add(time, "\n║ -[TSHttpService beginFlushWithCallback:overrideSyncThreshold:error:] ")
    add(time, "\n║ -[TSHttpService finish:error:] success=1 queued_before=1 synced=1 pages=1 duration_ms=300")
  }
}
