import Base
import Support
import Testing

@Suite struct InstantTests {
  @Test func aWallInstantOutsideTheYearsWithFourDigitsDoesNotExist() {
    #expect(WallInstant(exactly: WallInstant.earliest.millisecondsSince1970) == .earliest)
    #expect(WallInstant(exactly: WallInstant.latest.millisecondsSince1970) == .latest)
    #expect(WallInstant(exactly: WallInstant.earliest.millisecondsSince1970 - 1) == nil)
    #expect(WallInstant(exactly: WallInstant.latest.millisecondsSince1970 + 1) == nil)
    #expect(WallInstant(exactly: .min) == nil)
    #expect(WallInstant(exactly: .max) == nil)
  }

  @Test func anUntrustedStepThatLeavesTheRangeIsNone() {
    let second = WallInstant(millisecondsSince1970: 1_000)
    #expect(second.moved(byMilliseconds: -2_000)?.millisecondsSince1970 == -1_000)
    #expect(
      WallInstant.latest.moved(byMilliseconds: 0) == .latest
        && WallInstant.earliest.moved(byMilliseconds: 0) == .earliest)
    #expect(WallInstant.latest.moved(byMilliseconds: 1) == nil && WallInstant.earliest.moved(byMilliseconds: -1) == nil)
    for instant in [WallInstant.earliest, second, .latest] {
      #expect(instant.moved(byMilliseconds: .min) == nil && instant.moved(byMilliseconds: .max) == nil)
    }
  }

  @Test func leavingTheRangeOfAWallInstantEndsTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = WallInstant.latest.advanced(byMilliseconds: 1) }
    await #expect(processExitsWith: .failure) { _ = WallInstant.earliest.advanced(byMilliseconds: -1) }
  }

  @Test func theDayAndTheTimeOfDayMakeTheInstantAlsoBefore1970() {
    var generator = SeededGenerator(seed: 1_970)
    for _ in 0..<5_000 {
      let range = WallInstant.earliest.millisecondsSince1970...WallInstant.latest.millisecondsSince1970
      let instant = WallInstant(millisecondsSince1970: Int64.random(in: range, using: &generator))
      #expect((0..<86_400_000).contains(instant.millisecondOfDay))
      let midnight = WallInstant(instant.civilDate)
      #expect(midnight.advanced(byMilliseconds: instant.millisecondOfDay) == instant)
      #expect(instant.milliseconds(since: midnight) == instant.millisecondOfDay)
    }
  }

  @Test func elapsedTimeIsTheDifferenceOfInstants() {
    let start = MonotonicInstant(nanoseconds: -5)
    let later = start + .seconds(2) + .milliseconds(3) + .microseconds(4)
    #expect(later.nanoseconds == 2_003_003_995)
    #expect(later - start == Nanoseconds(2_003_004_000))
    #expect(later - .seconds(2) - .milliseconds(3) - .microseconds(4) == start)
    #expect((later - start).wholeMilliseconds == 2_003)
    #expect((start - later).wholeMilliseconds == -2_003)
    #expect(Nanoseconds.seconds(3) * 2 - .seconds(1) == .seconds(5))
    #expect((later - start).seconds == 2.003004)
    #expect(start < later && Nanoseconds.zero < later - start)
  }

  @Test func anHTTPDateIsAnIMFFixdate() {
    // The example of RFC 9110 §5.6.7, and the first and the last day of the range.
    let instants = [
      ("Sun, 06 Nov 1994 08:49:37 GMT", WallInstant(millisecondsSince1970: 784_111_777_999)),
      ("Mon, 01 Jan 0001 00:00:00 GMT", WallInstant.earliest),
      ("Fri, 31 Dec 9999 23:59:59 GMT", WallInstant.latest),
    ]
    for (text, instant) in instants {
      var bytes: [UInt8] = []
      instant.append(imfFixdateTo: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
      let second = instant.millisecondsSince1970 - Int64(instant.millisecondOfDay % 1_000)
      #expect(WallInstant(httpDate: text, at: instant)?.millisecondsSince1970 == second)
    }
  }

  @Test(arguments: [
    "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 CET", "Sunday, 06-Nov 08:49:37 GMT", "Sunday, 06-Nov--4 08:49:37 GMT",
    "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun Nov 06 08:49:37 94", "Sun Nov 06 08:49:37 1994 GMT",
  ])
  func whatIsNoHTTPDateIsRefused(text: String) { #expect(WallInstant(httpDate: text, at: .earliest) == nil) }

  /// RFC 9110 §5.6.7: a recipient accepts the two obsolete forms, and a year of two digits is at most 50 years ahead.
  @Test(arguments: [
    ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"), ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
    ("Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"), ("Thursday, 05-Nov-26 08:49:37 GMT", "2026-11-05T08:49:37Z"),
    ("Thursday, 05-Nov-76 08:49:37 GMT", "2076-11-05T08:49:37Z"),
    ("Saturday, 05-Nov-77 08:49:37 GMT", "1977-11-05T08:49:37Z"),
  ])
  func obsoleteFormsOfAnHTTPDateAreRead(text: String, instant: String) {
    let (now, read) = (WallInstant(iso8601: "2026-11-30T12:00:00Z".utf8.span), WallInstant(iso8601: instant.utf8.span))
    #expect(read != nil && WallInstant(httpDate: text, at: now ?? .earliest) == read)
  }

  @Test func everyDayAndMonthHasItsNameInAnHTTPDate() {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    for number in 0..<366 {
      let date = CivilDate(daysSince1970: number)
      var bytes: [UInt8] = []
      WallInstant(date).append(imfFixdateTo: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.hasPrefix(days[date.dayOfWeek - 1] + ", "))
      #expect(text.contains(" \(months[date.month - 1]) \(date.year) "))
    }
  }

  @Test func theSystemClockGoesForward() {
    let clock = SystemClock()
    var previous = clock.monotonicNow
    for _ in 0..<1_000 {
      let now = clock.monotonicNow
      #expect(now >= previous)
      previous = now
    }
    // Whatever the machine believes, it believes to be later than this file: 2026-01-01.
    #expect(clock.wallNow.civilDate.year >= 2026)
  }
}
