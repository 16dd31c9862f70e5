import Base
import Database
import IngestServer
import Network
import Store
import TLS

extension Subcommand {
  static let serve = Subcommand(
    name: "serve",
    summary: "run the server that devices upload to",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value(
        "listen", "ADDRESS", "address and port to listen on; port 0 picks a free port", standard: "127.0.0.1:8080"),
      .values(
        "tls-cert", "FILE",
        "TLS certificate in PEM form, followed by its chain [no TLS]; reloaded when it changes; with several certificates, a client gets the first that matches the name it asks for, or else the first"
      ),
      .value(
        "tls", "MODE",
        "development: make an authority and a certificate in the data folder; 'rollingroad trust' makes clients trust it"
      ),
      .value("tls-names", "NAMES", "names and addresses of that certificate, beside localhost, separated by commas"),
      .values(
        "tls-key", "FILE",
        "private key of --tls-cert in PEM form, without a password; of several, in the order of the certificates"),
      .value(
        "tls-listen", "ADDRESS", "address and port for TLS, beside the plain one of --listen [127.0.0.1:8443]"),
      .value("client-ca", "FILE", "authorities whose certificates clients may show, in PEM form [none]"),
      .value(
        "client-cert-for", "PART", "what needs a client certificate: admin, uploads or all, on both ports [nothing]"),
      .value(
        "data", "DIR|URI",
        "folder for all data, :memory: to keep the data in memory only, or postgres://… for a database that several servers share",
        standard: "./rollingroad-data", isSecret: true),
      .value(
        "node-data", "DIR",
        "with a database: folder for the journal and the certificate of --tls development [journal in memory]"),
      ServerFlags.adminToken,
      .value("log-key", "KEY", "secret required as ?key= in uploads of device logs [none]", isSecret: true),
      .value(
        "auth", "MODE", "check access tokens of uploads: off, optional (only when sent) or required", standard: "off"),
      .value(
        "jwks", "URL|FILE",
        "key set of a foreign issuer (RFC 7517), whose tokens uploads may carry too; needs --auth [none]"),
      .value("jwks-ca", "FILE", "authorities to trust for --jwks https://…, in PEM form [those of the system]"),
      .value("issuer", "TEXT", "iss of the foreign issuer's tokens [any]"),
      .value("audience", "TEXT", "aud of the foreign issuer's tokens, or client_id where they have no aud [any]"),
      .value(
        "device-claim", "NAME",
        "claim of the foreign issuer's tokens that names the device; none: the request names it [sub]"),
      .value("leeway", "TIME", "allowed clock difference when the times of a token are checked", standard: "5s"),
      .value(
        "identity", "PROVIDER",
        "identity provider to pose as: keycloak, cognito, auth0, firebase, supabase or own (this server's routes, with public keys) [none]"
      ),
      .value(
        "identity-clock", "±TIME", "offset of the identity provider's clock from this server's, such as -90s [none]"),
      .value("identity-keys", "TIME", "time after which the identity provider signs with a new key [on request]"),
      .value("identity-url", "URL", "address that its tokens name as issuer [that of the request]"),
      .value(
        "identity-audience", "TEXT", "aud of its access tokens; a request to auth0 may name another [the provider's]"),
      .value("access-ttl", "TIME", "lifetime of an access token [1h, or the identity provider's]"),
      .value("refresh-ttl", "TIME", "lifetime of an unused refresh token [90d, or the identity provider's]"),
      .value(
        "refresh-rotation", "on|off",
        "on: a refresh token can be used once; off: it stays valid after use [on, or the identity provider's]"),
      .value(
        "refresh-grace", "TIME",
        "time after its first use in which a refresh token still returns the same successor, such as 0s [30s, or the identity provider's]"
      ),
      .value(
        "policy", "POLICY", "lenient quarantines a bad record, strict refuses the whole request", standard: "lenient"),
      ServerFlags.loops,
      ServerFlags.root,
      ServerFlags.locationTemplate,
      ServerFlags.geofenceTemplate,
      .value("max-body", "SIZE", "largest request body", standard: "10MiB"),
      .value(
        "body-memory", "SIZE", "total memory for request bodies larger than 64 KiB, at least --max-body",
        standard: "12MiB"),
      .value("max-connections", "N", "maximum number of open connections [limit of the process]"),
      .value("idle-timeout", "TIME", "close a connection after this time without a request", standard: "60s"),
      .value("head-timeout", "TIME", "timeout for receiving the head of a request", standard: "10s"),
      .value("body-timeout", "TIME", "timeout for receiving a body of any size", standard: "15m"),
      .value("body-rate", "SIZE", "minimum average transfer rate of a body, per second", standard: "1KiB"),
      .value("body-grace", "TIME", "time before --body-rate applies", standard: "10s"),
      .value("write-timeout", "TIME", "timeout for a client that does not read its answer", standard: "30s"),
      .value("retain-days", "N", "days of records to keep [all]"),
      .value(
        "retain-size", "SIZE", "maximum size of the data; the oldest days are deleted, never the newest [no limit]"),
      ServerFlags.journal("share of the requests to write into the journal"),
      .value(
        "tiles", "URL",
        "map tiles for the live page, such as https://host/{z}/{x}/{y}.png [none: no other host is contacted]"),
      .value("tiles-credit", "TEXT", "attribution of the tiles, shown on the map"),
    ] + ForwardFlags.all,
    details: """
      Accepts what the SDK uploads and answers 2xx only when the records are on disk. The live page is at /, the
      contract at /openapi.json, the administration under /admin/v1. Prints "listening URL" on standard output when
      it is ready. SIGTERM or Ctrl-C lets requests finish and then stops; a second one stops at once.

      exit code: 0 after such a signal, 1 when it cannot serve, 2 when the command line has a mistake, 106 when an address to
      listen on is taken. The reason is the last line on standard error.
      """,
    examples: [
      "rollingroad serve",
      "rollingroad serve --listen 127.0.0.1:0 --data :memory:",
      "rollingroad serve --auth required --admin-token secret",
      "rollingroad serve --data postgres://rollingroad@db.example/rollingroad",
      "rollingroad serve --forward orders=https://example.org/hook",
      "rollingroad serve --tls-cert chain.pem --tls-key key.pem --tls-listen 0.0.0.0:8443",
      "rollingroad serve --auth required --identity keycloak --access-ttl 60s",
      "rollingroad serve --auth required --jwks https://login.example/keys --issuer https://login.example --audience phones",
    ],
    run: { (invocation) throws(UsageError) in
      let configuration = try ServerConfiguration(invocation.values)
      let process = invocation.process
      try SecurityFlags.checkFiles(["forward-ca", "jwks-ca"].map { ("--\($0)", invocation.values.text($0)) }, process)
      let log = Log(of: process)
      return process.serve(as: "serve", log, failure: "cannot serve") { () throws(ServerError) in
        try IngestServer.run(configuration, notify: { log.tell($0) }) { server in
          for url in [server.url] + (server.secureURL.map { [$0] } ?? []) {
            log.info("listening", ["url": .string(url), "data": .string(configuration.shownData)])
            process.writeOutput("listening \(url)")
          }
        }
      }
    })
}

extension Log {
  func tell(_ notice: ServerNotice) {
    let fields: LogFields = ["detail": .string(notice.message)]
    switch notice {
    case .outage(.began, _): error("outage", fields)
    case .outage(.ended, _): info("outage ended", fields)
    case .journalSetAside: warning("journal set aside", fields)
    case .storeIsNew: error("store is new", fields)
    case .keyIsNew: error("key is new", fields)
    case .sink(_, .stuck), .sink(_, .lost): error("sink", fields)
    case .sink(_, .refused): warning("sink", fields)
    case .sink(_, .resumed): info("sink", fields)
    case .tls(.renewed): info("certificate renewed", fields)
    case .tls(.newAuthority): info("authority made", fields)
    case .tls(.notRenewed): error("certificate not renewed", fields)
    case .tls(.expired): warning("certificate expired", fields)
    case .tls(.notYetValid): warning("certificate not valid yet", fields)
    case .issuerKeys(.renewed): info("issuer's keys read", fields)
    case .unknownCommand: warning("unknown command", fields)
    case .evictedFromQuarantine: warning("quarantined records deleted", fields)
    case .issuerKeys(.notRenewed): error("issuer's keys not read", fields)
    }
  }
}

extension ServerConfiguration {
  init(_ values: FlagValues) throws(UsageError) {
    self.init()
    listen = values.text("listen") ?? listen
    do throws(NetworkError) { _ = try ListenAddress(parsing: listen) } catch { throw UsageError(error.description) }
    tls = try TLSSettings(values)
    try readPlace(values)
    logKey = try values.read("log-key", expected: "a secret") { $0.isEmpty ? nil : $0 }
    authentication =
      try values.read("auth", expected: "off, optional or required", Authentication.init(rawValue:)) ?? authentication
    foreignIssuer = try ForeignIssuerSettings(values)
    if foreignIssuer != nil, authentication == .off {
      throw UsageError("--jwks needs --auth optional or --auth required: with off no token is checked")
    }
    clockSkewSeconds =
      try values.read("leeway", expected: "a time of at most 10m, as 5s") { text in
        Nanoseconds(text: text).map { Int($0.wholeMilliseconds / 1_000) }.flatMap { (0...600).contains($0) ? $0 : nil }
      } ?? clockSkewSeconds
    identity = try IdentitySettings(values)
    accessSeconds = try values.seconds("access-ttl")
    refreshSeconds = try values.seconds("refresh-ttl")
    rotatesRefreshTokens = try values.read("refresh-rotation", expected: "on or off") {
      ["on": true, "off": false][$0]
    }
    refreshGraceSeconds = try values.read("refresh-grace", expected: "a time, as 10s or 0s") { text in
      Nanoseconds(text: text).map { Int($0.wholeMilliseconds / 1_000) }.flatMap { $0 >= 0 ? $0 : nil }
    }
    policy = try values.read("policy", expected: "lenient or strict", Policy.init(rawValue:)) ?? policy
    try ServerFlags.read(values, into: &self)
    bodyBytesMax = try values.size("max-body", such: "8MiB") ?? bodyBytesMax
    if let memory = try values.size("body-memory", such: "12MiB") {
      guard memory >= bodyBytesMax else {
        let least = values.text("max-body") ?? "10MiB"
        throw UsageError("--body-memory must be at least \(least): a body of --max-body has to fit")
      }
      bodyMemoryMax = memory
    }
    connectionsMax = try values.positive("max-connections")
    try readTimeLimits(values)
    tiles = try values.read("tiles", expected: "a URL with {z}, {x} and {y}, such as https://host/{z}/{x}/{y}.png") {
      MapTiles(url: $0, credit: values.text("tiles-credit") ?? "")
    }
    forwards = try ForwardFlags.targets(values)
    forwardsFromStart =
      try values.read("forward-from", expected: "now or start") {
        ["now": false, "start": true][$0]
      } ?? false
    retainDays = try values.positive("retain-days")
    retainBytes =
      try values.read("retain-size", expected: "a size above 0 with its unit, such as 20GiB") { text in
        Quantities.unitedByteCount(text).flatMap { $0 > 0 ? Int64($0) : nil }
      }
  }

  private mutating func readPlace(_ values: FlagValues) throws(UsageError) {
    let expected = "a folder, :memory: or postgres://…"
    data = try values.read("data", expected: expected) { $0.isEmpty ? nil : $0 } ?? data
    let database = PostgresURI(data)
    // It may contain a password, so it is not shown.
    if data.contains("://"), database == nil { throw UsageError("--data: expected \(expected)") }
    nodeData = try values.read("node-data", expected: "a folder") { $0.isEmpty ? nil : $0 }
    if nodeData != nil, database == nil {
      throw UsageError("--node-data belongs to a database; with a folder in --data everything is in that folder")
    }
  }

  private mutating func readTimeLimits(_ values: FlagValues) throws(UsageError) {
    idleSeconds = try values.seconds("idle-timeout") ?? idleSeconds
    headSeconds = try values.seconds("head-timeout") ?? headSeconds
    bodySeconds = try values.seconds("body-timeout") ?? bodySeconds
    bodyGraceSeconds = try values.seconds("body-grace") ?? bodyGraceSeconds
    bodyBytesPerSecond = try values.size("body-rate", such: "1KiB") ?? bodyBytesPerSecond
    writeSeconds = try values.seconds("write-timeout") ?? writeSeconds
  }
}

extension FlagValues {
  /// Reads a duration of at least a second, in whole seconds.
  fileprivate func seconds(_ name: String) throws(UsageError) -> Int? {
    try read(name, expected: "a time from 1s to 100000d, such as 90s or 10m") { text in
      Nanoseconds(text: text).map { Int($0.wholeMilliseconds / 1_000) }.flatMap {
        1...100_000 * 86_400 ~= $0 ? $0 : nil
      }
    }
  }

  fileprivate func size(_ name: String, such example: String) throws(UsageError) -> Int? {
    try read(name, expected: "a size above 0, such as \(example)") { text in
      Quantities.byteCount(text).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  fileprivate func positive(_ name: String) throws(UsageError) -> Int? {
    try read(name, expected: "a whole number above 0") { Quantities.count($0).flatMap { $0 > 0 ? $0 : nil } }
  }
}

extension TLSSettings {
  /// Nil when none of its flags is set.
  fileprivate init?(_ values: FlagValues) throws(UsageError) {
    guard let certificate = try TLSSettings.certificate(values) else { return nil }
    self.init(certificate)
    listen = values.text("tls-listen") ?? listen
    do throws(NetworkError) { _ = try ListenAddress(parsing: listen) } catch { throw UsageError(error.description) }
    clientAuthorities = values.text("client-ca")
    certificatesFor = try values.read("client-cert-for", expected: "admin, uploads or all") {
      CertificateScope(rawValue: $0)
    }
    if certificatesFor != nil, clientAuthorities == nil {
      throw UsageError("--client-cert-for needs --client-ca, the authorities of the clients")
    }
  }

  private static func certificate(_ values: FlagValues) throws(UsageError) -> Certificate? {
    let mode = try values.read("tls", expected: "development; for your own certificate, use --tls-cert and --tls-key") {
      $0 == "development" ? $0 : nil
    }
    let (certificates, keys) = (values.texts("tls-cert"), values.texts("tls-key"))
    switch (mode, certificates.isEmpty && keys.isEmpty) {
    case (nil, true):
      for name in ["tls-listen", "client-ca", "client-cert-for", "tls-names"] where values.text(name) != nil {
        throw UsageError("--\(name) needs TLS: --tls development, or --tls-cert and --tls-key")
      }
      return nil
    case (nil, false):
      guard certificates.count == keys.count else {
        throw UsageError(
          "--tls-cert and --tls-key must be given together, the first key for the first certificate and so on; "
            + "they are given \(certificates.count) and \(keys.count) times")
      }
      guard values.text("tls-names") == nil else { throw UsageError("--tls-names needs --tls development") }
      return .files(zip(certificates, keys).map { KeyPair(certificate: $0, key: $1) })
    case (_?, true):
      let names = (values.text("tls-names") ?? "").split(separator: ",").map(String.init)
      if let problem = names.lazy.compactMap(DevelopmentAuthority.problem).first {
        throw UsageError("--tls-names: \(problem)")
      }
      return .development(names: names)
    case (_?, false): throw UsageError("--tls development and --tls-cert cannot be used together")
    }
  }
}
