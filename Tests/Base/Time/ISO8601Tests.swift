import Base
import Support
import Testing

@Suite struct ISO8601Tests {
  private func parsed(_ text: String) -> WallInstant? { WallInstant(iso8601: Array(text.utf8).span) }

  private func text(_ instant: WallInstant) -> String {
    var bytes: [UInt8] = []
    instant.append(iso8601To: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// 2026-07-28 is day 20,662 of the epoch.
  private let reference = WallInstant(millisecondsSince1970: 20_662 * 86_400_000 + 66_862_563)

  @Test func theTextHasMillisecondsAndZ() {
    #expect(text(reference) == "2026-07-28T18:34:22.563Z")
    #expect(text(WallInstant(millisecondsSince1970: 0)) == "1970-01-01T00:00:00.000Z")
    #expect(text(WallInstant(millisecondsSince1970: -1)) == "1969-12-31T23:59:59.999Z")
    #expect(text(.earliest) == "0001-01-01T00:00:00.000Z")
    #expect(text(.latest) == "9999-12-31T23:59:59.999Z")
  }

  @Test func theTextIsAppended() {
    var bytes = Array("at ".utf8)
    reference.append(iso8601To: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "at 2026-07-28T18:34:22.563Z")
  }

  @Test(arguments: [
    "2026-07-28T18:34:22.563Z", "2026-07-28t18:34:22.563z", "2026-07-28 18:34:22.563Z", "2026-07-28T18:34:22.563+00:00",
    "2026-07-28T18:34:22.563-00:00", "2026-07-28T20:34:22.563+02:00", "2026-07-28T20:34:22.563+0200",
    "2026-07-28T20:34:22.563+02", "2026-07-28T11:34:22.563-07", "2026-07-29T00:04:22.563+05:30",
    "2026-07-27T18:35:22.563-23:59", "2026-07-28T18:34:22.5630Z", "2026-07-28T18:34:22.563999999Z",
  ])
  func everyFormOfOneInstantIsRead(form: String) {
    #expect(parsed(form) == reference)
  }

  @Test func aFractionHasOneToNineDigitsOrIsAbsent() {
    #expect(parsed("1970-01-01T00:00:01Z")?.millisecondsSince1970 == 1_000)
    let digits = "987654321"
    for (count, milliseconds) in [(1, 900), (2, 980)] + (3...9).map({ ($0, 987) }) {
      #expect(parsed("1970-01-01T00:00:00.\(digits.prefix(count))Z")?.millisecondsSince1970 == Int64(milliseconds))
    }
    #expect(parsed("1970-01-01T00:00:00.Z") == nil)
    #expect(parsed("1970-01-01T00:00:00.1234567890Z") == nil)
    #expect(parsed("1969-12-31T23:59:59.9999Z")?.millisecondsSince1970 == -1)
  }

  @Test(arguments: [
    "0000-12-31T23:59:59Z", "2026-00-28T18:34:22Z", "2026-13-28T18:34:22Z", "2026-07-00T18:34:22Z",
    "2026-07-32T18:34:22Z", "2026-06-31T18:34:22Z", "2026-02-29T18:34:22Z", "1900-02-29T18:34:22Z",
    "2026-07-28T24:00:00Z", "2026-07-28T18:60:22Z", "2026-07-28T18:34:61Z", "2026-07-28T18:34:22+24:00",
    "2026-07-28T18:34:22+00:60", "0001-01-01T00:59:59+01:00", "9999-12-31T23:30:00-01:00", "9999-12-31T23:59:60Z",
  ])
  func aFieldOutOfRangeIsRefused(text: String) {
    #expect(parsed(text) == nil)
  }

  @Test(arguments: [
    "", " 2026-07-28T18:34:22Z", "2026-07-28T18:34:22Z ", "2026-07-28T18:34:22", "2026-07-28T18:34:22.5",
    "2026-07-28T18:34Z", "20260728T183422Z", "2026-07-28_18:34:22Z", "2026-07-28T18:34:22ZZ",
    "2026-07-28T18:34:22+2:00", "2026-07-28T18:34:22+020", "2026-07-28T18:34:22+02:",
    "2026-07-28T18:34:22+02:0", "2026-07-28T18:34:22+02000",
    "2026-07-28T18:34:22,5Z", "+026-07-28T18:34:22Z", "2026-07-28T18:34:22.-5Z", "2026-7-28T18:34:22Z",
    "1785263662563", "2026-07-28T18:34:22 Z", "２026-07-28T18:34:22Z",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(parsed(text) == nil)
  }

  @Test func aLeapSecondIsTheFirstSecondOfTheNextDay() {
    let newYear = parsed("2017-01-01T00:00:00.250Z")
    #expect(newYear != nil)
    #expect(parsed("2016-12-31T23:59:60.250Z") == newYear)
    #expect(parsed("2017-01-01T00:59:60.250+01:00") == newYear)
    #expect(parsed("2016-12-31T15:59:60.250-08") == newYear)
    #expect(parsed("2016-12-31T22:59:60Z") == nil)
    #expect(parsed("2016-12-31T23:59:60+01:00") == nil)
  }

  @Test func everyShorterTextIsRefusedWithoutReadingBeyondIt() {
    for form in ["2026-07-28T18:34:22.563Z", "2026-07-28T20:34:22.563+02:00", "2026-07-28T20:34:22+0200"] {
      let bytes = Array(form.utf8)
      for length in bytes.indices {
        let instant = GuardedBytes(Array(bytes.prefix(length))).withSpan { WallInstant(iso8601: $0) }
        let isWhole = form.prefix(length).hasSuffix("+02")
        #expect((instant != nil) == isWhole, "\(form.prefix(length))")
      }
      #expect(GuardedBytes(bytes).withSpan { WallInstant(iso8601: $0) } != nil)
    }
  }

  @Test func randomInstantsSurviveTheirText() {
    var generator = SeededGenerator(seed: 8_601)
    for _ in 0..<20_000 {
      let range = WallInstant.earliest.millisecondsSince1970...WallInstant.latest.millisecondsSince1970
      let instant = WallInstant(millisecondsSince1970: Int64.random(in: range, using: &generator))
      #expect(parsed(text(instant)) == instant, "\(instant)")
    }
  }

  @Test func damagedTextsAreReadOrRefusedButNeverReadBeyond() {
    var generator = SeededGenerator(seed: 3_339)
    let corpus = ["2026-07-28T18:34:22.563Z", "2016-12-31T23:59:60+00:00", "0001-01-01 00:00:00-0030"]
    let tokens = ["60", "T", "Z", "+", "-23", ".", "999999999", "\u{0}"]
    let mutator = Mutator(corpus: corpus.map { Array($0.utf8) }, tokens: tokens.map { Array($0.utf8) })
    for _ in 0..<20_000 {
      let bytes = mutator.next(using: &generator)
      guard let instant = GuardedBytes(bytes).withSpan({ WallInstant(iso8601: $0) }) else { continue }
      #expect(parsed(text(instant)) == instant, "\(bytes)")
    }
  }
}
