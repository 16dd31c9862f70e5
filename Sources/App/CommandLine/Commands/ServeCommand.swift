import Base
import IngestServer
import Network

extension Command {
  static let serve = Command(
    name: "serve",
    summary: "run the ingestion server",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("listen", "ADDRESS", "where to listen; port 0 picks a free one", standard: "127.0.0.1:8080"),
      .value("data", "DIR", "the data folder, or :memory:", standard: "./rollingroad-data"),
      .value("admin-token", "TOKEN", "who shows it may use /admin; without one only this machine may", isSecret: true),
      .value("log-key", "KEY", "what ?key= of a device log has to say [nothing]", isSecret: true),
      .value("auth", "MODE", "access tokens of uploads: off, optional or required", standard: "off"),
      .value("access-ttl", "TIME", "how long an access token is good", standard: "3600s"),
      .value("refresh-ttl", "TIME", "how long an unused refresh token is good", standard: "90d"),
      .value("policy", "POLICY", "lenient sets bad records aside, strict refuses their batch", standard: "lenient"),
      .value("loops", "N", "event loops, each a thread [one per processor]"),
      .value("root", "KEY", "the key that holds the records, besides those that are found anyway"),
      .value("location-template", "TEXT", "the locationTemplate of the app, word for word"),
      .value("geofence-template", "TEXT", "the geofenceTemplate of the app"),
      .value("max-body", "SIZE", "the longest body", standard: "8MiB"),
      .value("body-memory", "SIZE", "what bodies above 64 KiB may take together", standard: "12MiB"),
      .value("max-connections", "N", "open connections [what the process may open]"),
      .value("idle-timeout", "TIME", "how long a connection may be silent between requests", standard: "60s"),
      .value("head-timeout", "TIME", "how long the head of a request may take", standard: "10s"),
      .value("body-timeout", "TIME", "how long a body may take, however long it is", standard: "15m"),
      .value("body-rate", "SIZE", "what a body has to keep up per second, on average", standard: "1KiB"),
      .value("body-grace", "TIME", "how long a body may be slower than that", standard: "10s"),
      .value("write-timeout", "TIME", "how long a client may take nothing of its answer", standard: "30s"),
      .value("retain-days", "N", "days of recorded time that are kept [all]"),
      .value(
        "retain-size", "SIZE", "data above which the oldest day is given up, the youngest never [no limit]"),
      .value("journal", "on|off|N%", "the part of the requests that is written into the journal", standard: "on"),
      .value(
        "tiles", "URL", "tiles for the page's map, as https://host/{z}/{x}/{y}.png [none: no other host is asked]"),
      .value("tiles-credit", "TEXT", "whom the map names as the source of its tiles"),
    ],
    details: """
      Takes the uploads of the SDK and answers 2xx when they are on disk. Prints "listening URL" on the
      standard output when it is ready. SIGTERM and Ctrl-C finish what was begun; a second one stops at once.
      """,
    run: { (invocation) throws(UsageError) in
      let configuration = try ServerConfiguration(invocation.values)
      let process = invocation.process
      let log = Log(of: process)
      do throws(ServerError) {
        try IngestServer.run(configuration) { url in
          log.info("listening", ["url": .string(url), "data": .string(configuration.data)])
          process.writeOutput("listening \(url)")
        }
        log.info("stopped")
        return .ok
      } catch {
        log.error("cannot serve", ["reason": .string(error.description)])
        return error.code == .cannotBind ? .cannotBind : .runtimeFailure
      }
    })
}

extension ServerConfiguration {
  init(_ values: FlagValues) throws(UsageError) {
    self.init()
    listen = values.text("listen") ?? listen
    do throws(NetworkError) { _ = try ListenAddress(parsing: listen) } catch { throw UsageError(error.description) }
    data = try values.read("data", expected: "a folder or :memory:") { $0.isEmpty ? nil : $0 } ?? data
    adminToken = try values.read("admin-token", expected: "a secret") { $0.isEmpty ? nil : $0 }
    logKey = try values.read("log-key", expected: "a secret") { $0.isEmpty ? nil : $0 }
    authentication =
      try values.read("auth", expected: "off, optional or required", Authentication.init(rawValue:)) ?? authentication
    accessSeconds = try values.seconds("access-ttl") ?? accessSeconds
    refreshSeconds = try values.seconds("refresh-ttl") ?? refreshSeconds
    policy = try values.read("policy", expected: "lenient or strict", Policy.init(rawValue:)) ?? policy
    loops = try values.positive("loops")
    rootProperty = values.text("root")
    locationTemplate = values.text("location-template")
    geofenceTemplate = values.text("geofence-template")
    if let problem = templateProblem { throw UsageError(problem) }
    bodyBytesMax = try values.read("max-body", expected: "a size, as 8MiB", Quantities.byteCount) ?? bodyBytesMax
    bodyMemoryMax = try values.read("body-memory", expected: "a size, as 12MiB", Quantities.byteCount) ?? bodyMemoryMax
    connectionsMax = try values.positive("max-connections")
    try readTimeLimits(values)
    journalShare =
      try values.read("journal", expected: "on, off or a percentage, as 10%", Quantities.share) ?? journalShare
    tiles = try values.read("tiles", expected: "a URL with {z}, {x} and {y}, as https://host/{z}/{x}/{y}.png") {
      MapTiles(url: $0, credit: values.text("tiles-credit") ?? "")
    }
    retainDays = try values.positive("retain-days")
    retainBytes = try values.read("retain-size", expected: "a size, as 20GiB", Quantities.byteCount).map(Int64.init)
  }

  private mutating func readTimeLimits(_ values: FlagValues) throws(UsageError) {
    idleSeconds = try values.seconds("idle-timeout") ?? idleSeconds
    headSeconds = try values.seconds("head-timeout") ?? headSeconds
    bodySeconds = try values.seconds("body-timeout") ?? bodySeconds
    bodyGraceSeconds = try values.seconds("body-grace") ?? bodyGraceSeconds
    bodyBytesPerSecond =
      try values.read("body-rate", expected: "a size above 0, as 1KiB") { text in
        Quantities.byteCount(text).flatMap { $0 > 0 ? $0 : nil }
      } ?? bodyBytesPerSecond
    writeSeconds = try values.seconds("write-timeout") ?? writeSeconds
  }
}

extension FlagValues {
  /// A duration of at least a second, in whole seconds.
  fileprivate func seconds(_ name: String) throws(UsageError) -> Int? {
    try read(name, expected: "a time of a second or more, as 90s or 10m") { text in
      Nanoseconds(text: text).map { Int($0.wholeMilliseconds / 1_000) }.flatMap { $0 > 0 ? $0 : nil }
    }
  }

  fileprivate func positive(_ name: String) throws(UsageError) -> Int? {
    try read(name, expected: "a whole number above 0") { Quantities.count($0).flatMap { $0 > 0 ? $0 : nil } }
  }
}
