import Base
import Testing

@Suite struct DurationTextTests {
  @Test func durationsAreRead() {
    let expected: [(String, Nanoseconds)] = [
      ("250ms", .milliseconds(250)), ("90s", .seconds(90)), ("90", .seconds(90)), ("1.5s", .milliseconds(1_500)),
      ("10m", .seconds(600)), ("2h", .seconds(7_200)), ("7d", .seconds(604_800)), ("0", .zero),
    ]
    for (text, duration) in expected { #expect(Nanoseconds(text: text) == duration, "\(text)") }
  }

  @Test(arguments: [
    "", "s", "-1s", "+1", "1 s", "1x", "1e3", "1..2", "1MS", "99999999999999999999d", "０", "١", "nan", "inf", "1s ",
  ])
  func anythingElseIsNot(text: String) {
    #expect(Nanoseconds(text: text) == nil)
  }
}
