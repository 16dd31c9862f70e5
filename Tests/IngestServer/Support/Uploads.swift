/// Bodies of uploads whose records can be told apart.
enum Uploads {
  static func uuid(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static func record(_ number: Int, event: String? = nil) -> String {
    let event = event.map { #""event":"\#($0)","# } ?? ""
    return
      #"{"uuid":"\#(uuid(number))",\#(event)"timestamp":"2026-07-28T18:00:00.000Z","coords":{"latitude":45.5,"longitude":-73.5,"accuracy":5}}"#
  }

  static func batch(_ numbers: Range<Int>, event: String? = nil) -> String {
    #"{"location":[\#(numbers.map { record($0, event: event) }.joined(separator: ","))]}"#
  }
}
