import Base
import Contract
import Drive
import JSON
import Scenario

extension DriveSettings {
  /// The dialect of the preset, then the file, then the flags.
  init(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) {
    let platform =
      try values.read("platform", expected: "ios or android") { text in
        [DevicePlatform.ios, .android].first { "\($0)" == text }
      } ?? .ios
    let behaviour =
      try values.read("behaviour", expected: "observed or documented", SDKBehaviour.init(rawValue:))
    let preset =
      try values.read("preset", expected: "one of \(TargetPreset.names)", TargetPreset.init(rawValue:))
    let expected = "a URL as http://127.0.0.1:8080"
    let target = try values.read("target", expected: expected) { DriveSettings.isURL($0) ? $0 : nil }
    let name = try values.read("device", expected: "a name") { $0.isEmpty ? nil : $0 } ?? "drive"
    let level = try values.read("log-level", expected: "off, error, warning, info, debug or verbose") { text in
      Contract.LogLevel.allCases.first { "\($0)" == text }
    }
    let start = try values.read("at", expected: "a latitude and a longitude, as 48.137,11.575", DriveSettings.place)
    let seed = try values.read("seed", expected: "a whole number, in hex as 0x1f") { text in
      text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
    var documents: [JSONValue] = [
      .object(["logger": .object(["logLevel": .integer(Int64((level ?? .warning).rawValue))])])
    ]
    if let file = try DriveSettings.file(values, process) {
      documents.append(file)
      // The more special word counts.
      if let target {
        let url = (preset ?? .rollingroad).uploads(to: target)
        documents.append(.object(["http": .object(["url": .string(url)])]))
      }
    }
    if let token = values.text("token") {
      documents.append(.object(["authorization": .object(["accessToken": .string(token)])]))
    }
    guard let start = start ?? Coordinate(latitude: 48.137, longitude: 11.575) else {
      preconditionFailure("the centre of Munich is a place")
    }
    // Who names no server means the one that 'rollingroad serve' starts.
    let isOurs = target == nil && values.value("config") == nil
    self.init(
      platform: platform, behaviour: behaviour, start: start, seed: seed ?? UInt64.random(in: 0...UInt64.max),
      preset: preset ?? (isOurs ? .rollingroad : nil),
      target: target ?? "http://127.0.0.1:8080", deviceName: name, hasOwnApp: values.value("config") != nil,
      documents: documents)
    if let mistake = mistakes.first { throw UsageError("\(values.value("config")?.origin ?? "the flags"): \(mistake)") }
  }

  private static func file(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) -> JSONValue? {
    guard let flag = values.value("config") else { return nil }
    guard let bytes = process.readFile(flag.text) else {
      throw UsageError("\(flag.origin): cannot read '\(flag.text)'")
    }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes.span)
    } catch {
      let before = bytes.prefix(error.offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
      throw UsageError("\(flag.text):\(line):\(column): \(error)")
    }
  }

  private static func isURL(_ text: String) -> Bool {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 && ["http:", "https:"].contains(parts[0]) && parts[1].isEmpty && !parts[2].isEmpty
      && parts[2].first != "/" && !text.contains(" ")
  }

  private static func place(_ text: String) -> Coordinate? {
    let parts = text.split(separator: ",").map { Double($0.drop { $0 == " " }) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}
