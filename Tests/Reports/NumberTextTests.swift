import Base
import Reports
import Testing

@Suite struct NumberTextTests {
  @Test func numbersAreReadable() {
    #expect(NumberText.count(1_234_567) == "1,234,567" && NumberText.count(-999) == "-999")
    #expect(
      [0.1234, 1.234, 12.34, 123.4, 1_234, 0].map(NumberText.figure) == ["0.123", "1.23", "12.3", "123", "1,234", "0"])
    #expect([0.012, 0.0012, 0.00014].map(NumberText.figure) == ["0.012", "0.0012", "0.00014"])
    #expect(NumberText.percent(0.0014) == "0.14 %" && NumberText.percent(0.00002) == "0.0020 %")
    #expect(NumberText.figure(0.99951) == "1.00" && NumberText.figure(9.996) == "10.0")
    #expect(NumberText.percent(0.9999999) == "99.99 %" && NumberText.percent(1) == "100 %")
    #expect(NumberText.percent(0.125) == "12.5 %")
  }

  @Test func oneIsNotSeveral() {
    #expect([0, 1, 1_234].map { NumberText.count($0, "device") } == ["0 devices", "1 device", "1,234 devices"])
  }

  @Test func spansChooseTheirUnit() {
    #expect(
      [0.25, 120, 1_240, 99_949, 754_000].map { NumberText.span(milliseconds: $0) } == [
        "0.250 ms", "120 ms", "1.24 s", "99.9 s", "12m 34s",
      ])
    #expect(NumberText.span(.seconds(7_500)) == "2h 05m" && NumberText.span(.seconds(86_400)) == "1d")
    #expect(NumberText.bytes(999) == "999 B" && NumberText.bytes(4_520_000) == "4.52 MB")
  }
}
