import BackgroundGeolocation
import FoundationEssentials
import Testing

/// What the document of AppConfig says of the schedule. A day is a text of 24 letters, one for each hour, looked at when
/// three quarters of it are over: L for tracking, G for geofences only, a dot for off.
extension AppConfigDocumentTests {
  /// Ready, with the schedule started, from Monday at midnight.
  private func scheduled(_ profile: LinuxPlatform.Profile, _ schedule: [String]) throws -> Phone {
    let phone = try Phone(profile)
    phone.push()
    phone.ready { config in
      config.app.schedule = schedule
      config.app.scheduleUseAlarmManager = true
      config.app.stopOnTerminate = false
      config.app.startOnBoot = true
      config.app.heartbeatInterval = -1
    }
    phone.app.startSchedule()
    return phone
  }

  private func letter(_ phone: Phone) -> Character {
    let state = phone.app.state
    return !state.enabled ? "." : state.trackingMode == .location ? "L" : "G"
  }

  /// Hour by hour. iOS gets a fetch before each look.
  private func day(_ day: Int, of phone: Phone) -> String {
    var letters = ""
    for hour in 0..<24 {
      phone.pass(untilDay: day, hour: hour, minute: 45)
      phone.platform.fetchInBackground()
      letters.append(letter(phone))
    }
    return letters
  }

  private func days(_ numbers: Range<Int>, of phone: Phone) -> [String] {
    numbers.map { day($0, of: phone) }
  }

  // AppConfig 156 to 169: Monday to Sunday of the example.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: days are single or lists or ranges counted from Sunday and midnight ends a day`(
    profile: LinuxPlatform.Profile
  ) throws {
    let phone = try scheduled(
      profile, ["1 17:30-21:00", "2-6 09:00-17:00", "2,4,6 20:00-00:00", "7 10:00-19:00"])
    let week = [
      ".........LLLLLLLL...LLLL", ".........LLLLLLLL.......", ".........LLLLLLLL...LLLL",
      ".........LLLLLLLL.......", ".........LLLLLLLL...LLLL", "..........LLLLLLLLL.....",
      ".................LLLL...",
    ]
    #expect(days(0..<8, of: phone) == week + [week[0]])
  }

  // AppConfig 48: Sunday is 1, so that Friday and Saturday are off.
  @Test func `AppConfig: 1-5 is Sunday to Thursday`() throws {
    let phone = try scheduled(.android, ["1-5 09:00-17:00"])
    let open = ".........LLLLLLLL......."
    let off = String(repeating: ".", count: 24)
    #expect(days(0..<7, of: phone) == [open, open, open, open, off, off, open])
  }

  // AppConfig 185 to 192
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: a schedule may have many windows a day and may be changed while it runs`(
    profile: LinuxPlatform.Profile
  ) throws {
    let phone = try scheduled(profile, ["1-7 00:00-01:00"])
    #expect(day(0, of: phone) == "L.......................")
    phone.app.config.batchUpdate { config in
      config.app.schedule = [
        "1-7 09:00-10:00", "1-7 11:00-12:00", "1-7 13:00-14:00", "1-7 15:00-16:00", "1-7 17:00-18:00",
        "2,4,6 19:00-22:00",
      ]
    }
    #expect(
      days(1..<4, of: phone) == [
        ".........L.L.L.L.L......", ".........L.L.L.L.L.LLL..", ".........L.L.L.L.L......",
      ])
  }

  // AppConfig 157: each window says when tracking is on, whatever the other does.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: a window inside another leaves the outer one on`(profile: LinuxPlatform.Profile) throws {
    let phone = try scheduled(profile, ["1-7 09:00-17:00", "1-7 10:00-11:00"])
    let open = ".........LLLLLLLL......."
    #expect(days(0..<3, of: phone) == [open, open, open])
  }

  // AppConfig 157
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: windows that overlap are one long one`(profile: LinuxPlatform.Profile) throws {
    let phone = try scheduled(profile, ["1-7 09:00-13:00", "1-7 11:00-17:00"])
    let open = ".........LLLLLLLL......."
    #expect(days(0..<3, of: phone) == [open, open, open])
  }

  // AppConfig 221 to 224: the second window of the example runs over midnight.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: each window has its mode`(profile: LinuxPlatform.Profile) throws {
    let phone = try scheduled(profile, ["1-7 09:00-17:00 location", "1-7 18:00-12:00 geofence"])
    let open = "GGGGGGGGGLLLLLLLL.GGGGGG"
    #expect(days(0..<4, of: phone).dropFirst() == [open, open, open])
  }

  // AppConfig 236
  @Test func `AppConfig: the mode is location unless another is written`() throws {
    let plain = try scheduled(.android, ["1-7 09:00-17:00"])
    let written = try scheduled(.android, ["1-7 09:00-17:00 location"])
    let fences = try scheduled(.android, ["1-7 09:00-17:00 geofence"])
    #expect(day(0, of: plain) == day(0, of: written))
    #expect(day(0, of: fences) == ".........GGGGGGGG.......")
  }

  // AppConfig 217
  @Test func `AppConfig: in a window for geofences positions are not recorded`() throws {
    let phone = try scheduled(.android, ["1-7 09:00-17:00 geofence"])
    phone.pass(untilDay: 0, hour: 10)
    let count = phone.app.store.count
    phone.move(from: 0, to: 1_000)
    #expect(phone.app.store.count == count)
  }

  // AppConfig 196 to 204: the date is ten days away.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: a literal date opens on that day and never again`(profile: LinuxPlatform.Profile) throws {
    let phone = try scheduled(profile, ["2026-08-13 09:00-17:00"])
    let off = String(repeating: ".", count: 24)
    let seen = days(0..<13, of: phone)
    #expect(seen == Array(repeating: off, count: 10) + [".........LLLLLLLL.......", off, off])
  }

  // AppConfig 206 to 214
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: a window of a year opens and closes at its two dates`(profile: LinuxPlatform.Profile) throws {
    let phone = try scheduled(profile, ["2026-08-10-09:00 2027-08-10-17:00"])
    func isOn(day: Int, hour: Int) -> Bool {
      phone.pass(untilDay: day, hour: hour)
      phone.platform.fetchInBackground()
      return letter(phone) == "L"
    }
    #expect(!isOn(day: 7, hour: 8))
    #expect(isOn(day: 7, hour: 10))
    #expect(isOn(day: 60, hour: 3))
    #expect(isOn(day: 371, hour: 23))
    #expect(isOn(day: 372, hour: 16))
    #expect(!isOn(day: 372, hour: 18))
    #expect(!isOn(day: 380, hour: 12))
  }

  // AppConfig 206 to 214
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: a window of ten days closes`(profile: LinuxPlatform.Profile) throws {
    let phone = try scheduled(profile, ["2026-08-05-09:00 2026-08-15-17:00"])
    let (off, on) = (String(repeating: ".", count: 24), String(repeating: "L", count: 24))
    let seen = days(0..<14, of: phone)
    #expect(seen[0] == off && seen[1] == off && seen[2] == ".........LLLLLLLLLLLLLLL")
    #expect(seen[3..<12].allSatisfy { $0 == on })
    #expect(seen[12] == "LLLLLLLLLLLLLLLLL......." && seen[13] == off)
  }

  // AppConfig 158: what the clock on the wall says, in UTC+2 until the last Sunday of October and UTC+1 after it.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: the times are those of the wall on the day of the change to winter time too`(
    profile: LinuxPlatform.Profile
  ) throws {
    let phone = try Phone(profile)
    try phone.platform.setTimeZone(named: "CET-1CEST,M3.5.0,M10.5.0/3")
    phone.push()
    phone.ready { config in
      config.app.schedule = ["1-7 09:00-17:00"]
      config.app.scheduleUseAlarmManager = true
    }
    phone.pass(untilDay: 80, hour: 23)
    phone.app.startSchedule()
    let (summer, winter) = (".......LLLLLLLL.........", "........LLLLLLLL........")
    #expect(days(81..<85, of: phone) == [summer, summer, winter, winter])
  }
}

/// How it is switched on and off.
extension AppConfigDocumentTests {
  private static let office = ["1-7 09:00-17:00"]

  // AppConfig 50, BGGeo 586
  @Test func `AppConfig: a schedule that is configured waits for startSchedule`() throws {
    let phone = try Phone(.android)
    phone.push()
    phone.ready { config in config.app.schedule = Self.office }
    phone.pass(untilDay: 0, hour: 12)
    #expect(!phone.app.enabled)
    phone.app.startSchedule()
    #expect(phone.app.enabled && phone.app.state.schedulerEnabled)
  }

  // AppConfig 52, 232
  @Test func `AppConfig: with the alarm manager Android switches on the minute`() throws {
    let phone = try scheduled(.android, Self.office)
    for (hour, isOn) in [(9, true), (17, false)] {
      phone.pass(untilDay: 0, hour: hour - 1, minute: 59, second: 59)
      #expect(phone.app.enabled != isOn)
      phone.pass(untilDay: 0, hour: hour, minute: 0, second: 2)
      #expect(phone.app.enabled == isOn)
    }
  }

  // AppConfig 52
  @Test func `AppConfig: without it Android is never early`() throws {
    let phone = try Phone(.android)
    phone.push()
    phone.ready { config in config.app.schedule = Self.office }
    phone.app.startSchedule()
    for day in 0..<5 {
      phone.pass(untilDay: day, hour: 8, minute: 59, second: 59)
      #expect(!phone.app.enabled)
      phone.pass(untilDay: day, hour: 9, minute: 30)
      #expect(phone.app.enabled)
      phone.pass(untilDay: day, hour: 16, minute: 59, second: 59)
      #expect(phone.app.enabled)
      phone.pass(untilDay: day, hour: 17, minute: 30)
      #expect(!phone.app.enabled)
    }
  }

  // AppConfig 175, BGGeo 369
  @Test func `AppConfig: onSchedule tells each time the schedule switches tracking on or off`() throws {
    let phone = try scheduled(.android, Self.office)
    phone.pass(untilDay: 0, hour: 12)
    #expect(phone.heard.schedule.filter(\.enabled).count == 1)
    #expect(phone.heard.schedule.last?.state.enabled == true)
    phone.heard.forget()
    phone.pass(untilDay: 2, hour: 0)
    #expect(phone.heard.schedule.map(\.enabled) == [false, true, false])
  }

  // BGGeo 524
  @Test func `BGGeo: start overrides the schedule and tracks at once`() async throws {
    let phone = try scheduled(.android, Self.office)
    phone.pass(untilDay: 0, hour: 3)
    #expect(!phone.app.enabled)
    try await phone.app.start()
    #expect(phone.app.enabled)
  }

  // BGGeo 604
  @Test func `BGGeo: stop does not halt the schedule`() throws {
    let phone = try scheduled(.android, Self.office)
    phone.pass(untilDay: 0, hour: 10)
    phone.app.stop()
    #expect(!phone.app.enabled && phone.app.state.schedulerEnabled)
    phone.pass(untilDay: 1, hour: 10)
    #expect(phone.app.enabled)
  }

  // BGGeo 620
  @Test func `BGGeo: stopSchedule leaves tracking on and switches nothing any more`() throws {
    let phone = try scheduled(.android, Self.office)
    phone.pass(untilDay: 0, hour: 10)
    phone.app.stopSchedule()
    #expect(phone.app.enabled && !phone.app.state.schedulerEnabled)
    phone.pass(untilDay: 0, hour: 20)
    #expect(phone.app.enabled)
    phone.app.stop()
    phone.pass(untilDay: 1, hour: 10)
    #expect(!phone.app.enabled)
  }

  // AppConfig 227 to 229
  @Test(arguments: ["resume", "pause", "significant change", "fetch"])
  func `AppConfig: iOS looks at the schedule when something wakes the app`(reason: String) throws {
    let phone = try scheduled(.iOS, Self.office)
    phone.platform.enterBackground()
    if reason == "pause" { phone.platform.enterForeground() }
    phone.pass(untilDay: 0, hour: 8, minute: 59, second: 59)
    #expect(!phone.app.enabled)
    phone.pass(2)
    switch reason {
    case "resume": phone.platform.enterForeground()
    case "pause": phone.platform.enterBackground()
    case "fetch": phone.platform.fetchInBackground()
    default: phone.push(5_000)
    }
    #expect(phone.app.enabled)
  }

  // AppConfig 228: a kill in a period that is off, and the system starts the app for a large move.
  @Test func `AppConfig: iOS finds the begin of a window though the app was ended`() throws {
    let phone = try scheduled(.iOS, Self.office)
    phone.pass(untilDay: 0, hour: 3)
    phone.platform.onRelaunch { [weak phone] in
      do {
        try phone?.launchReady { config in
          config.app.stopOnTerminate = false; config.app.schedule = Self.office
        }
      } catch {
        Issue.record(error)
      }
    }
    phone.kill()
    phone.pass(untilDay: 0, hour: 9, minute: 5)
    phone.push(3_000)
    phone.push(6_000)
    #expect(phone.launches == 2 && phone.app.enabled)
    phone.platform.onRelaunch(nil)
  }
}
