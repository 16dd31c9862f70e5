package import Contract
package import JSON

/// The SDK of the devices, and its configuration by their app.
package struct SDK: Equatable, Sendable {
  /// Nil: Android, or the value for all fleets.
  package var profile: SDKProfile?
  /// Nil: observed, or the value for all fleets.
  package var behaviour: SDKBehaviour?
  package var configuration = SDKConfiguration()

  package init() {}
}

extension SDK: ScenarioSection {
  static let table = Table<SDK>(
    "sdk", "SDK that the devices run. The value of a fleet overrides that of the scenario.",
    [
      .optional("profile", \.profile, .choice, "The SDK's platform and version; Android by default."),
      .optional(
        "behaviour", \.behaviour, .choice,
        "SDK behaviour as observed in logs of real devices, or as documented; observed by default."),
      .key("config", \.configuration, .configuration, "The app's configuration under the SDK's own names."),
    ])
}

/// The platform of the SDK.
package enum SDKProfile: String, CaseIterable, Sendable {
  case android5 = "android-5.1"
  case ios5 = "ios-5.1"

  package var platform: DevicePlatform {
    switch self {
    case .android5: .android
    case .ios5: .ios
    }
  }
}

/// Whether devices show observed but undocumented behaviour (SDK §14.1.3, §17.8).
package enum SDKBehaviour: String, CaseIterable, Sendable {
  case observed
  case documented
}

/// A configuration document as an app would pass it to the SDK.
package struct SDKConfiguration: Equatable, Sendable {
  /// Always an object.
  package var document = JSONValue.emptyObject

  package init() {}
}

extension ValueCodec where Value == SDKConfiguration {
  /// Validated by the table of the SDK's own keys.
  static var configuration: ValueCodec {
    ValueCodec(.configuration, show: { $0.document == .emptyObject ? .emptyObject : nil }) { value, context in
      guard case .object = value.content else {
        context.refuse(value, expected: "an object")
        return nil
      }
      var result = SDKConfiguration()
      result.document = value.withAccuracyNumbers.json
      // The limits differ between the platforms; Android has every key that iOS has.
      var device = Configuration(platform: .android)
      for warning in device.apply(DevicePlaceholders.example.fill(result.document)).warnings {
        context.take(warning, about: value)
      }
      return result
    }
  }
}

extension JSON5Value {
  /// The document with the names of `desiredAccuracy` classes replaced by the SDK's numbers.
  var withAccuracyNumbers: JSON5Value {
    guard case .object(var members) = content else { return self }
    for index in members.indices {
      let member = members[index]
      if member.key == "geolocation" {
        members[index].value = member.value.withAccuracyNumbers
      } else if member.key == "desiredAccuracy", case .string(let name) = member.value.content,
        let accuracy = DesiredAccuracy.allCases.first(where: { "\($0)" == name })
      {
        members[index].value.content = .integer(Int64(accuracy.rawValue))
      }
    }
    var result = self
    result.content = .object(members)
    return result
  }
}

extension DecodingContext {
  /// Rejects what a device would only warn about, if the device would not apply the value as written.
  fileprivate mutating func take(_ warning: ConfigurationWarning, about document: JSON5Value) {
    guard let key = warning.key else {
      refuse(.wrongType, document.position, warning.description, remedy: "write an object")
      return
    }
    let position = document.position(of: key)
    inside(key) { context in
      switch warning {
      case .notAnObject: break
      case .unknownKey(_, let nearest):
        let remedy = nearest.map { "did you mean '\($0)'?" } ?? "remove it"
        context.refuse(.unknown, position, "the SDK has no such key", remedy: remedy)
      case .wrongType(_, let expected, _), .notAllowed(_, let expected, _):
        context.refuse(.wrongType, position, warning.description, remedy: "write \(expected)")
      case .incomplete(_, let missing):
        context.refuse(.missing, position, warning.description, remedy: "add \(missing.joined(separator: ", "))")
      case .readyOnly, .unusableURL, .unusableToken:
        context.refuse(.contradiction, position, warning.description, remedy: "remove it")
      case .clamped, .spaceInURL, .withoutEffect, .refreshTokenNotSent:
        context.note(position, warning.description, remedy: "the SDK does the same")
      }
    }
  }
}

extension JSON5Value {
  /// Returns the position of `group.key` or `group.key[1]`, or of its flat name; that of the document if it has neither.
  fileprivate func position(of path: String) -> SourcePosition {
    let steps = path.prefix { $0 != "[" }.split(separator: ".").map(String.init)
    var value = self
    for step in steps {
      guard let next = value[step] else { return steps.last.flatMap { self[$0] }?.position ?? value.position }
      value = next
    }
    return value.position
  }
}

extension ConfigurationWarning {
  /// `group.key`; nil for a warning about the whole document.
  fileprivate var key: String? {
    switch self {
    case .notAnObject: nil
    case .unknownKey(let key, _), .wrongType(let key, _, _), .notAllowed(let key, _, _), .clamped(let key, _),
      .incomplete(let key, _), .readyOnly(let key), .unusableURL(let key), .spaceInURL(let key),
      .withoutEffect(let key, _):
      key
    case .refreshTokenNotSent: "authorization.refreshPayload"
    case .unusableToken: ReadyKey.transistorAuthorizationToken
    }
  }
}
