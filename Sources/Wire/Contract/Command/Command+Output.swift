package import JSON

extension Command {
  /// `["name"]` or `["name", argument]`.
  package var json: JSONValue {
    .array([.string(name.rawValue)] + (argument.map { [$0] } ?? []))
  }

  /// The value of `background_geolocation` in an answer: always a list of lists, which no version of the SDK
  /// misunderstands (SDK §10.1).
  package static func list(_ commands: [Command]) -> JSONValue {
    .array(commands.map(\.json))
  }
}
