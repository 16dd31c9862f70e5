import Base

/// The windows of a schedule, evaluated minute by minute from its documented grammar and without the SDK's parser (AppConfig
/// `schedule`; SDK §16.1, §16.2). Entries that violate the grammar are left out.
struct ExpectedSchedule: Equatable {
  private struct Window: Equatable {
    /// Sunday is 1; nil: a window that does not repeat.
    var days: Set<Int>?
    /// Local time in minutes: since midnight for weekly windows, since 1970 for others. The end is exclusive.
    var start: Int
    var end: Int
    var goal: TrackingGoal
  }

  private let windows: [Window]

  var isEmpty: Bool { windows.isEmpty }

  init(_ texts: [String]) { windows = texts.compactMap { ExpectedSchedule.window($0) } }

  /// Returns the device's task at a local time.
  func goal(atMilliseconds milliseconds: Int64) -> TrackingGoal {
    let minute = Int(floor(milliseconds, 60_000))
    var found = TrackingGoal.off
    for window in windows where holds(window, minute) {
      // Where windows overlap, `location` takes precedence.
      if found != .location { found = window.goal }
    }
    return found
  }

  private func holds(_ window: Window, _ minute: Int) -> Bool {
    guard let days = window.days else { return window.start <= minute && minute < window.end }
    let today = Int(floor(Int64(minute), ExpectedSchedule.day))
    return [today - 1, today].contains { day in
      days.contains(ExpectedSchedule.weekday(day))
        && (window.start..<window.end).contains(minute - day * Int(ExpectedSchedule.day))
    }
  }

  /// Returns the next local time at which a window begins or ends and changes the task; nil when that never happens. Also
  /// checks the hours that daylight saving time repeats or skips.
  func change(after wall: WallInstant, in zone: ExpectedZone) -> WallInstant? {
    let local = zone.local(wall)
    let today = Int(floor(local, ExpectedSchedule.day * 60_000))
    var minutes: [Int] = []
    for window in windows {
      guard window.days != nil else {
        minutes += [window.start, window.end]
        continue
      }
      for day in today - 1...today + 8 {
        minutes += [window.start + day * Int(ExpectedSchedule.day), window.end + day * Int(ExpectedSchedule.day)]
      }
    }
    let candidates = minutes.flatMap { zone.instants(ofLocal: Int64($0) * 60_000) } + zone.steps
    let before = goal(atMilliseconds: local)
    return candidates.filter { $0 > wall }.sorted().first { goal(atMilliseconds: zone.local($0)) != before }
  }

  // MARK: The grammar.

  private static let day: Int64 = 1_440

  /// 1 January 1970 was a Thursday.
  private static func weekday(_ day: Int) -> Int { ((day + 4) % 7 + 7) % 7 + 1 }

  private static func window(_ text: String) -> Window? {
    var words = text.split(separator: " ")
    var goal = TrackingGoal.location
    switch words.last {
    case "geofence": goal = .geofences
    case "location": break
    default: words.append("location")
    }
    guard words.count == 3 else { return nil }
    if let first = instant(words[0]), let last = instant(words[1]) {
      return Window(days: nil, start: first, end: last, goal: goal)
    }
    let times = words[1].split(separator: "-")
    guard times.count == 2, let start = time(times[0]), var end = time(times[1]) else { return nil }
    if end <= start { end += Int(day) }
    if let date = date(words[0].split(separator: "-")) {
      return Window(days: nil, start: date * Int(day) + start, end: date * Int(day) + end, goal: goal)
    }
    guard let days = days(words[0]) else { return nil }
    return Window(days: days, start: start, end: end, goal: goal)
  }

  /// `2018-01-01-09:00`.
  private static func instant(_ word: Substring) -> Int? {
    let parts = word.split(separator: "-")
    guard parts.count == 4, let date = date(parts.prefix(3)), let time = time(parts[3]) else { return nil }
    return date * Int(day) + time
  }

  /// `2018-01-01`.
  private static func date(_ parts: some Collection<Substring>) -> Int? {
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == 3, parts.map(\.count) == [4, 2, 2] else { return nil }
    return CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])?.daysSince1970
  }

  /// `09:00`, or `9:00`.
  private static func time(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2, let hour = Int(parts[0]),
      let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  private static func days(_ word: Substring) -> Set<Int>? {
    var days: Set<Int> = []
    for item in word.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = item.split(separator: "-", omittingEmptySubsequences: false)
      let ends = parts.filter { $0.count == 1 }.compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, ends.count == parts.count, ends.count <= 2,
        ends.allSatisfy((1...7).contains)
      else { return nil }
      var day = first
      days.insert(day)
      while day != last {
        day = day % 7 + 1
        days.insert(day)
      }
    }
    return days.isEmpty ? nil : days
  }
}

private func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}

/// The local time of the devices.
struct ExpectedZone: Equatable, Sendable {
  /// A change of the offset from UTC.
  struct Step: Equatable, Sendable {
    let instant: WallInstant
    let offsetSeconds: Int
  }

  private let first: Int
  /// In order of time.
  private let all: [Step]

  init(offsetSeconds: Int, steps: [Step] = []) { (first, all) = (offsetSeconds, steps) }

  var steps: [WallInstant] { all.map(\.instant) }

  /// Returns the local time in milliseconds since 1970.
  func local(_ instant: WallInstant) -> Int64 {
    let offset = all.last { $0.instant <= instant }?.offsetSeconds ?? first
    return instant.millisecondsSince1970 + Int64(offset) * 1_000
  }

  /// Returns the instants at which local clocks show a time: two, one or none.
  func instants(ofLocal milliseconds: Int64) -> [WallInstant] {
    Set([first] + all.map(\.offsetSeconds)).compactMap { offset in
      let instant = WallInstant(exactly: milliseconds - Int64(offset) * 1_000)
      return instant.flatMap { local($0) == milliseconds ? $0 : nil }
    }
  }

  /// Reports whether a local time is ambiguous: as far from a change of the offset as clocks are moved, it comes twice or is
  /// skipped, and two readers may interpret it differently (SDK §16.1.3).
  func isUnsure(_ instant: WallInstant) -> Bool {
    var before = first
    return all.contains { step in
      defer { before = step.offsetSeconds }
      let moved = Int64((step.offsetSeconds - before).magnitude)
      return abs(step.instant.milliseconds(since: instant)) <= (max(moved, 3_600) + 60) * 1_000
    }
  }
}
