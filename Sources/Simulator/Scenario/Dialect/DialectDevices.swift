internal import Base

/// How devices are named, and created before their first request.
package struct DialectDevices: Equatable, Sendable {
  package var names = DeviceNameForm.text
  /// Nil where devices need not be created, or a command creates them.
  package var url: String?
  package var method = "POST"
  package var headers: [Named<String>] = []
  package var body = "{}"
  package var command: String?

  package init() {}
}

/// The names that a backend takes.
package enum DeviceNameForm: String, CaseIterable, Sendable {
  case text, uuid, digits

  private static let tens: UInt64 = 100_000_000_000_000

  /// Returns a name of this form, which is another one for each text.
  package func name(for text: String) -> String {
    let hash = FNV1a.hash(text)
    switch self {
    case .text: return text
    case .uuid: return UUID128(randomHigh: hash, randomLow: FNV1a.hash(text + "-low")).text
    case .digits:
      let digits = String(DeviceNameForm.tens + hash % (DeviceNameForm.tens * 9)).utf8.prefix(14).map { Int($0) - 48 }
      return (digits + [DeviceNameForm.checkDigit(of: digits)]).map(String.init).joined()
    }
  }

  /// The check digit of an IMEI (ISO/IEC 7812-1, annex B).
  package static func checkDigit(of digits: [Int]) -> Int {
    let sum = digits.enumerated().reduce(0) { sum, digit in
      let weighted = digit.offset % 2 == 0 ? digit.element : digit.element * 2
      return sum + weighted / 10 + weighted % 10
    }
    return (10 - sum % 10) % 10
  }
}

extension DialectDevices: ScenarioSection {
  static let table = Table<DialectDevices>(
    "devices",
    "Which names devices have, and how they are created before their first request, where the backend takes only devices that it knows.",
    [
      .key(
        "names", \.names, .choice,
        "`text` for names of letters, digits and hyphens, `uuid`, or `digits` for 15 digits, as an IMEI has."),
      .optional(
        "url", \.url, .text, "The URL that creates a device, relative to `--target`; `{device}` is filled in."),
      .key("method", \.method, .text, "The method of the request."),
      .key(
        "headers", \.headers, .map(of: .text),
        "Headers of the request; `Content-Type` is `application/json` unless it is given."),
      .key("body", \.body, .text, "The body as text; `{device}` is filled in."),
      .optional("command", \.command, .text, "Instead of a URL: command of the shell that creates `$DEVICE`."),
    ])
}
