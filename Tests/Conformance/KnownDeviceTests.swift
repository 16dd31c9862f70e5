import Scenario
import Testing

@testable import BackendStore
@testable import Conformance

/// Backends that take only devices that they know, some commands only, or have units of their own, as a dialect says.
@Suite struct KnownDeviceTests {
  private static let creation = #"url: "/devices/{device}", body: '{"name":"{device}"}'"#
  private static let clauses: Set<String> = [
    "good-record-acknowledged", "stored-when-acknowledged", "right-device",
  ]

  private static func verdicts(_ summary: ConformanceSummary) -> String {
    summary.results.map { "\($0.clause.id): \($0.verdict)" }.joined(separator: "\n")
  }

  @Test(arguments: DeviceNameForm.allCases)
  func devicesAreCreatedBeforeTheirFirstRequest(form: DeviceNameForm) throws {
    var rules = FormBackend.Rules()
    rules.names = form
    let devices = "devices: { names: \"\(form.rawValue)\", \(Self.creation) },"
    let summary = try FormBackend(rules).summary(of: Self.clauses, dialect: FormBackend.dialect(more: devices))
    #expect(summary.kept.count == Self.clauses.count, "\(Self.verdicts(summary))")
    rules.tokenLife = 60_000
    let login = #"url: "/login", body: '{"device":"${device.id}"}'"#
    let signedIn = try FormBackend(rules).summary(
      of: Self.clauses, dialect: FormBackend.dialect(tokens: "required", login: login, more: devices))
    #expect(signedIn.kept.count == Self.clauses.count, "\(Self.verdicts(signedIn))")
  }

  /// Without it, the finding names the key.
  @Test func aBackendThatKnowsNoDeviceAsksForThem() throws {
    var rules = FormBackend.Rules()
    rules.names = .text
    let summary = try FormBackend(rules).summary(of: Self.clauses, dialect: FormBackend.dialect())
    let breach = try #require(summary.broken.first { $0.clause.id == "good-record-acknowledged" }?.breach)
    #expect(breach.remedy.contains("'devices'"), "\(breach.remedy)")
  }

  @Test(arguments: [
    (#"names: "text", url: "/nowhere/{device}""#, "no device can be created: devices.url was answered with status 404"),
    (#"names: "text", command: "exit 3""#, "no device can be created: devices.command ended with 3"),
  ])
  func aCreationThatFailsEndsTheJudging(devices: String, reason: String) throws {
    var rules = FormBackend.Rules()
    rules.names = .text
    let summary = try FormBackend(rules).summary(
      of: Self.clauses, dialect: FormBackend.dialect(more: "devices: { \(devices) },"))
    #expect(summary.outcome == .nothingJudged && summary.broken.isEmpty, "\(Self.verdicts(summary))")
    #expect(summary.notJudged.contains { $0.remark.hasPrefix(reason) }, "\(Self.verdicts(summary))")
  }

  /// A command that looks for its device in a list succeeds for it alone.
  @Test func aCommandMayCreateDevices() throws {
    let devices = #"devices: { names: "digits", command: 'test $(printf %s "$DEVICE" | wc -c) -eq 15' },"#
    let summary = try FormBackend().summary(of: Self.clauses, dialect: FormBackend.dialect(more: devices))
    #expect(summary.broken.isEmpty && summary.kept.count >= 3, "\(Self.verdicts(summary))")
  }

  /// The last digit of an IMEI is computed from the others: 49015420323751 has 8.
  @Test func namesHaveTheirForm() {
    let names = (0..<1_000).map { DeviceNameForm.digits.name(for: "device-\($0)") }
    #expect(Set(names).count == 1_000 && names.allSatisfy { $0.utf8.count == 15 && $0.first != "0" })
    for name in names {
      let digits = name.utf8.reversed().enumerated().map { place, byte in
        let digit = (Int(byte) - 48) * (place % 2 == 0 ? 1 : 2)
        return digit / 10 + digit % 10
      }
      #expect(digits.reduce(0, +) % 10 == 0, "\(name)")
    }
    #expect(DeviceNameForm.checkDigit(of: [4, 9, 0, 1, 5, 4, 2, 0, 3, 2, 3, 7, 5, 1]) == 8)
    #expect(DeviceNameForm.text.name(for: "a-1") == "a-1")
  }

  private static let ofCommands: Set<String> = [
    "command-kinds", "command-argument-types", "command-order", "command-right-device", "command-once",
    "command-needs-body", "command-body-is-json", "command-in-batch-answer",
  ]

  /// What the API cannot queue is not asked of it, and the rest is judged.
  @Test(arguments: [
    ["changePace", "setConfig", "stop", "start"], ["setOdometer", "addGeofence"], ["setConfig", "stop"],
  ])
  func commandsOfSomeKindsAreJudged(kinds: [String]) throws {
    var rules = FormBackend.Rules()
    rules.queues = Set(kinds)
    let commands = #"url: "/commands/{device}", body: "{command}""#
    let all = try FormBackend(rules).summary(
      of: Self.ofCommands, dialect: FormBackend.dialect(more: "commands: { \(commands) },"))
    #expect(!all.notJudged.isEmpty, "\(Self.verdicts(all))")
    let named = "commands: { \(commands), kinds: [\(kinds.map { "\"\($0)\"" }.joined(separator: ","))] },"
    let some = try FormBackend(rules).summary(of: Self.ofCommands, dialect: FormBackend.dialect(more: named))
    let inOrder = kinds == ["setConfig", "stop"] ? 1 : 0
    #expect(some.kept.count == Self.ofCommands.count - inOrder, "\(Self.verdicts(some))")
  }

  @Test func aTimeWithoutAZoneIsJudgedInUTC() throws {
    var rules = FormBackend.Rules()
    rules.showsZones = false
    let clauses: Set<String> = ["time-is-utc", "time-to-the-millisecond"]
    let unnamed = try FormBackend(rules).summary(of: clauses, dialect: FormBackend.dialect())
    #expect(unnamed.notJudged.count == 2, "\(Self.verdicts(unnamed))")
    #expect(unnamed.notJudged.allSatisfy { $0.remark.contains("$.… in UTC") }, "\(Self.verdicts(unnamed))")
    let named = try FormBackend(rules).summary(
      of: clauses, dialect: FormBackend.dialect(verify: #"fields: { timestamp: "$.timestamp in UTC" }"#))
    #expect(named.kept.count == 2, "\(Self.verdicts(named))")
  }

  @Test(arguments: [
    (#"{"b":42}"#, "$.b / 100", "0.42"), (#"{"b":"42"}"#, "$.b / 100", "0.42"), (#"{"b":-1}"#, "$.b / 100", "-1"),
    (#"{"b":455190912}"#, "$.b / 10000000", "45.5190912"), (#"{"b":-1162972148}"#, "$.b / 10000000", "-116.2972148"),
    (#"{"b":{"doubleValue":7}}"#, "$.b.doubleValue / 2", "3.5"),
    (#"{"b":{"integerValue":"7"}}"#, "$.b.doubleValue / 2", "3.5"),
    (#"{"b":"x"}"#, "$.b / 100", nil), (#"{"b":[1,200]}"#, "$.b[1] / 100", "2.0"),
  ])
  func aNumberMayBeDivided(entry: String, place: String, level: String?) throws {
    let value = try #require(StoredValue(Array(entry.utf8)))
    let steps = JSONStep.steps(of: place)
    #expect(JSONStep.path(of: steps) == place)
    let record = StoredRecord(value, fields: [Named(name: "battery.level", value: steps)])
    #expect(record.value("battery.level")?.double == level.flatMap(Double.init))
  }
}
