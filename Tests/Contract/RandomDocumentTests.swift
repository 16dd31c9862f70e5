import JSON
import Support
import Testing

@testable import Contract

/// Whatever arrives, no reader traps, and what is refused changes nothing.
struct RandomDocumentTests {
  private static let names =
    ConfigurationTable.all.map(\.name) + ConfigurationTable.all.compactMap(\.flatName)
    + ConfigurationGroup.topLevel.map(\.rawValue) + CommandName.allCases.map(\.rawValue) + [
      "filter", "reset", "transistorAuthorizationToken", "desiredOdometerAccuracy", "commands",
      "background_geolocation", "identifier", "latitude", "longitude", "radius", "vertices", "access_token",
      "refreshToken", "expires_in", "url", "error", "code", "message", "org", "uuid", "model", "manufacturer",
      "version",
    ]
  private static let scalars: [JSONValue] = [
    .null, .bool(true), .bool(false), .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min),
    .double(0.5), .double(-1e300), .double(1e300), .double(.leastNonzeroMagnitude), .double(-0.0), .string(""),
    .string("1"),
    .string("1e5"), .string("{refreshToken}"), .string("POST"), .string("in_vehicle"), .string("https://a.example"),
    .string("\u{0}\u{FFFF}😀"), .string(String(repeating: "9", count: 400)),
  ]

  private func value(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
    let count = generator.index(below: 6)
    switch depth > 0 ? generator.index(below: 8) : 0 {
    case 5:
      return .array((0..<count).map { _ in value(depth: depth - 1, &generator) })
    case 6, 7:
      var object = JSONObject()
      for _ in 0..<count {
        let name = Self.names[generator.index(below: Self.names.count)]
        object[name] = value(depth: depth - 1, &generator)
      }
      return .object(object)
    case 4: return .string(Self.names[generator.index(below: Self.names.count)])
    default: return Self.scalars[generator.index(below: Self.scalars.count)]
    }
  }

  private func document(_ generator: inout SeededGenerator) -> JSONValue {
    var object = JSONObject()
    for _ in 0..<generator.index(below: 8) {
      let name = Self.names[generator.index(below: Self.names.count)]
      object[name] = value(depth: 4, &generator)
    }
    return .object(object)
  }

  @Test(arguments: DevicePlatform.allCases) func configurationsAreReadWithoutTrapping(platform: DevicePlatform) throws {
    var generator = SeededGenerator(seed: 31)
    var configuration = Configuration(platform: platform)
    for round in 0..<600 {
      let document = document(&generator)
      let before = configuration
      let change = configuration.apply(document)
      #expect((configuration == before) == change.changedKeys.isEmpty, "seed 31 round \(round)")
      #expect(configuration.changedKeys(since: before) == change.changedKeys, "seed 31 round \(round)")
      if round % 50 == 0 {
        var again = Configuration(platform: platform)
        again.isMoving = configuration.isMoving
        _ = again.apply(.object(configuration.groups))
        let lost = again.changedKeys(since: configuration)
        let foreign = ConfigurationTable.all.filter { $0.platform != nil && $0.platform != platform }.map(\.path)
        #expect(lost.filter { !foreign.contains($0) } == [], "seed 31 round \(round)")
        configuration = Configuration(platform: platform)
      }
    }
  }

  /// After any document every value lies within its limits: writing it once more changes and says nothing.
  @Test func whatWasTakenIsWithinItsLimits() {
    var generator = SeededGenerator(seed: 32)
    for round in 0..<300 {
      var configuration = Configuration(platform: .android)
      _ = configuration.apply(document(&generator))
      let before = configuration
      #expect(configuration.clamp(since: Configuration(platform: .android)) == [], "seed 32 round \(round)")
      #expect(configuration == before, "seed 32 round \(round)")
    }
  }

  @Test func readyNeverTraps() {
    var generator = SeededGenerator(seed: 33)
    var persisted: Configuration?
    for round in 0..<500 {
      let document = generator.chance(0.1) ? value(depth: 3, &generator) : document(&generator)
      let result = Configuration.ready(platform: .ios, persisted: persisted, document: document)
      let before = persisted ?? Configuration(platform: .ios)
      #expect(result.configuration.changedKeys(since: before) == result.change.changedKeys, "seed 33 round \(round)")
      persisted = generator.chance(0.2) ? nil : result.configuration
    }
  }

  @Test func commandsTokensAndGeofencesAreReadWithoutTrapping() {
    var generator = SeededGenerator(seed: 34)
    for round in 0..<1_200 {
      let value = value(depth: 4, &generator)
      let received = ReceivedCommands(value)
      #expect(ReceivedCommands(Command.list(received.commands)).commands == received.commands, "seed 34 round \(round)")
      _ = FoundTokens(searching: value)
      _ = RefreshFields.refreshToken(in: NameValuePair.list(value))
      for strict in [false, true] {
        do throws(CommandError) {
          let request = try CommandRequest(.object(["commands": value]), strict: strict)
          #expect(ReceivedCommands(Command.list(request.commands)).commands == request.commands)
        } catch {
          #expect(!error.description.isEmpty)
        }
      }
      do throws(FieldError) {
        let fence = try Geofence(definition: value)
        #expect(try Geofence(definition: fence.json) == fence, "seed 34 round \(round)")
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  @Test func damagedBodiesAreReadWithoutTrapping() {
    let corpus = [
      #"{"success":true,"background_geolocation":[["setConfig",{"http":{"url":"https://a"}}],["stop"]]}"#,
      #"{"background_geolocation":["addGeofence",{"identifier":"a","vertices":[[1,2],[3,4],[5,6]]}]}"#,
    ].map { Array($0.utf8) }
    let mutator = Mutator(
      corpus: corpus, tokens: ["[", "]", "null", #""stop""#, "\\u0000", "1e999"].map { Array($0.utf8) })
    var generator = SeededGenerator(seed: 35)
    for _ in 0..<3_000 {
      let bytes = mutator.next(using: &generator)
      let received = GuardedBytes(bytes).withSpan { ReceivedCommands(inBody: $0) }
      #expect(received == ReceivedCommands(inBody: bytes.span))
    }
  }
}
