import Base

/// The windows of a schedule as its document reads, minute by minute, without the SDK's own reading of it (AppConfig
/// `schedule`; SDK §16.1, §16.2). Entries that do not read as the grammar says are left out.
struct ExpectedSchedule: Equatable {
  private struct Window: Equatable {
    /// Sunday is 1; nil: once.
    var days: Set<Int>?
    /// In minutes: of the week's windows since midnight, of others since 1970, both on the clock on the wall. The end is not in it.
    var start: Int
    var end: Int
    var goal: TrackingGoal
  }

  private let windows: [Window]

  var isEmpty: Bool { windows.isEmpty }

  init(_ texts: [String]) { windows = texts.compactMap { ExpectedSchedule.window($0) } }

  /// What the device does at a time of the clock on the wall.
  func goal(atMilliseconds milliseconds: Int64) -> TrackingGoal {
    let minute = Int(floor(milliseconds, 60_000))
    var found = TrackingGoal.off
    for window in windows where holds(window, minute) {
      // Where windows overlap, `location` has it.
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

  /// When a window next begins or ends so that the device is to do something else, after a time of the clock on the wall; nil when
  /// that never happens. An hour that daylight saving time repeats or leaves out is looked at in between too.
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

/// What the clocks on the wall show where the devices are.
struct ExpectedZone: Equatable, Sendable {
  /// At an instant they are put to another distance from UTC.
  struct Step: Equatable, Sendable {
    let instant: WallInstant
    let offsetSeconds: Int
  }

  private let first: Int
  /// In the order of time.
  private let all: [Step]

  init(offsetSeconds: Int, steps: [Step] = []) { (first, all) = (offsetSeconds, steps) }

  var steps: [WallInstant] { all.map(\.instant) }

  /// Milliseconds since 1970 on the clock on the wall.
  func local(_ instant: WallInstant) -> Int64 {
    let offset = all.last { $0.instant <= instant }?.offsetSeconds ?? first
    return instant.millisecondsSince1970 + Int64(offset) * 1_000
  }

  /// When the clocks on the wall show a time: twice, once or never.
  func instants(ofLocal milliseconds: Int64) -> [WallInstant] {
    Set([first] + all.map(\.offsetSeconds)).compactMap { offset in
      let instant = WallInstant(exactly: milliseconds - Int64(offset) * 1_000)
      return instant.flatMap { local($0) == milliseconds ? $0 : nil }
    }
  }

  /// Around an instant at which they are put: what is meant by a time then, two readers may read in two ways.
  func isUnsure(_ instant: WallInstant) -> Bool {
    all.contains { abs($0.instant.milliseconds(since: instant)) <= 3_660_000 }
  }
}
