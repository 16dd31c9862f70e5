/// Records as devices send them, few or many.
extension SessionHarness {
  /// A record of a walk from (45, -122): number n is recorded n minutes after 2026-07-28T00:00:00Z, its uuid ends in n.
  static func record(_ number: Int, event: String? = nil) -> String {
    let minute = number % 60
    let hour = number / 60 % 24
    let day = 28 - number / 1_440
    let event = event.map { ",\"event\":\"\($0)\"" } ?? ""
    return """
      {"uuid":"\(uuid(number))","timestamp":"2026-07-\(two(day))T\(two(hour)):\(two(minute)):00.000Z"\(event),\
      "coords":{"latitude":45.\(1_000 + number),"longitude":-122.5,"altitude":\(number).5,"accuracy":5,"speed":1.25,\
      "heading":90},"is_moving":true}
      """
  }

  static func uuid(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Uploads the records with these numbers in batches of a hundred.
  func upload(_ numbers: Range<Int>, of device: String, run: String = "") throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
      let batch = start..<min(start + 100, numbers.upperBound)
      let body = "{\"device_id\":\"\(device)\",\"location\":[\(batch.map { Self.record($0) }.joined(separator: ","))]}"
      let answer = try upload(body, run.isEmpty ? [] : [("X-Run-Id", run)])
      precondition(answer.status == 200, answer.text)
    }
  }
}
