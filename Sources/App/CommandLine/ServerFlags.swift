import IngestServer

/// The common flags of `serve` and `proxy`, which includes a server.
enum ServerFlags {
  static let adminToken = Flag.value(
    "admin-token", "TOKEN",
    "bearer token required for /admin; without it, /admin accepts requests from this machine only",
    isSecret: true)
  static let loops = Flag.value("loops", "N", "number of event loops, each on its own thread [one per processor]")
  static let root = Flag.value("root", "KEY", "the app's httpRootProperty, if it is not a common one")
  static let locationTemplate = Flag.value(
    "location-template", "TEXT", "the app's locationTemplate, word for word")
  static let geofenceTemplate = Flag.value(
    "geofence-template", "TEXT", "the app's geofenceTemplate, word for word")

  static func journal(_ help: String) -> Flag { .value("journal", "on|off|N%", help, standard: "on") }

  static func read(_ values: FlagValues, into configuration: inout ServerConfiguration) throws(UsageError) {
    configuration.adminToken = try values.read("admin-token", expected: "a secret") { $0.isEmpty ? nil : $0 }
    // Each loop has a thread and descriptors of its own.
    configuration.loops = try values.read("loops", expected: "a whole number from 1 to 1024") { text in
      Quantities.count(text).flatMap { 1...1_024 ~= $0 ? $0 : nil }
    }
    configuration.rootProperty = values.text("root")
    configuration.locationTemplate = values.text("location-template")
    configuration.geofenceTemplate = values.text("geofence-template")
    if let problem = configuration.templateProblem { throw UsageError(problem) }
    configuration.journalShare =
      try values.read("journal", expected: "on, off or a percentage, such as 10%", Quantities.share)
      ?? configuration.journalShare
  }
}
