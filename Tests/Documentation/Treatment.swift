/// What is done with a documented command that is not simply run and has to succeed. A line here that no page needs any
/// more fails a test, and so does a command that is neither run nor named here.
enum Treatment {
  /// It cannot run inside a test of seconds; the words say why, and what runs it instead.
  case leftOut(String)
  /// A server: it has to say where it listens, and to end well when it is told to.
  case serves
  /// It needs something to be there first, or ends with another exit code.
  case prepared(by: String = "", exitCode: Int32 = 0)

  /// By the beginning of the command.
  static let special: [(beginning: String, treatment: Treatment)] = [
    ("scripts/run", .leftOut("builds the release and goes on until it is stopped; loadtest/page/run starts the same")),
    ("scripts/test", .leftOut("runs these tests")),
    ("docker compose ", .leftOut("needs an engine for containers; loadtest/container/compose does the same")),
    ("rollingroad serve --data postgres://", .leftOut("needs a database; RecipeTests has one")),
    ("psql postgres://", .leftOut("needs a database; tests of the store look at the view")),
    ("rollingroad serve --data 'postgresql://", .leftOut("needs a database; RecipeTests has one")),
    ("rollingroad serve --forward nats://", .leftOut("needs a server of NATS; tests of the sinks have one")),
    ("rollingroad serve", .serves),
    ("rollingroad proxy", .serves),
    (
      "rollingroad simulate commuters --duration 400d --dashboard",
      .leftOut("goes on for minutes; the reader begins it for the commands that follow")
    ),
    (
      "rollingroad drive --target https://my.server/points",
      .leftOut("needs a backend that lists what it has stored; StrictStorageTests has several")
    ),
    (
      "rollingroad conform --target http://127.0.0.1:8000",
      .leftOut("needs a backend of the reader's; loadtest/conform has some")
    ),
    // The app under test, which the page tells to upload meanwhile.
    (
      "curl -sS --fail-with-body http://127.0.0.1:8080/admin/v1/await",
      .prepared(
        by: """
          for n in 0 1 2 3 4 5 6 7 8 9; do
            curl -s http://127.0.0.1:8080/locations/phone-1 -d '{"lat":1,"lng":'$n'}' >/dev/null
          done
          """)
    ),
    // The page's recordings, of a simulated phone.
    (
      "rollingroad trace ",
      .prepared(
        by: """
          [ -d phone ] || rollingroad simulate first-drive --duration 6m --quiet --out phone \\
            --set "outputs=[{type: 'sdk-log', dir: 'sdk', devices: 'all'}]" >/dev/null
          gzip -c phone/sdk/*.log >phone.log.gz
          rollingroad trace phone.log.gz --to gpx --out drive.gpx
          """)
    ),
    // The log of such a phone, at the time that the page asks for, and a record that the server has.
    (
      "rollingroad explain ",
      .prepared(
        by: """
          [ -d phone ] || rollingroad simulate first-drive --duration 6m --quiet --out phone \\
            --set "clock.start='2026-07-28T15:10:00Z'" \\
            --set "outputs=[{type: 'sdk-log', dir: 'sdk', devices: 'all'}]" >/dev/null
          cat phone/sdk/*.log >phone.log
          gzip -c phone.log >phone.log.gz
          curl -s http://127.0.0.1:8080/locations/phone-1 -H 'Content-Type: application/json' -d '
            {"location":{"uuid":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","timestamp":"2026-07-28T18:34:22.563Z",
             "coords":{"latitude":48.137,"longitude":11.575,"accuracy":5}},"device_id":"phone-1"}' >/dev/null
          """)
    ),
    // Two equal runs.
    (
      "rollingroad compare before",
      .prepared(
        by: """
          for folder in before after; do
            [ -d $folder ] || rollingroad simulate first-drive --duration 6m --quiet --out $folder >/dev/null
          done
          """)
    ),
    (
      "rollingroad simulate first-drive --target http://127.0.0.1:8080/locations --preset rollingroad --mode accelerated",
      .leftOut("needs a server of NATS; StreamVerificationTests has one")
    ),
    ("sqlite3 ", .prepared(by: "ln -sfn data DIR")),
    // Phones that never have a network, under the name of the run on the page.
    (
      "rollingroad replay ",
      .prepared(
        by: """
          cat >failing.json5 <<'END'
          {version: 1, name: "deploy-503", seed: 1, clock: {duration: "10m", settle: "80ms"},
           sdk: {config: {http: {autoSyncThreshold: 5}}}, fleets: {cars: {devices: 2, network: "none"}}}
          END
          rollingroad simulate failing.json5 --quiet --out out >/dev/null || [ $? = 98 ]
          """, exitCode: 98)
    ),
  ]

  /// The same commands with fewer phones and less time: a debug build is slow.
  static let shorter: [(words: String, instead: String)] = [
    ("--devices 500", "--devices 4"), ("--devices 200", "--devices 4"), ("--devices 50", "--devices 8"),
    ("--devices 40", "--devices 4"), ("--duration 2h", "--duration 2m"),
    // Of the rules the one that those phones break.
    ("I3-acked-is-durable", "I13-drain"),
    ("https://my.server/points", "http://127.0.0.1:8080/points"),
    // A certificate that the page's reader has.
    (
      "--tls-cert chain.pem --tls-key key.pem --tls-listen 0.0.0.0:8443",
      "--tls development --tls-listen 127.0.0.1:0 --data secure"
    ),
    (
      "--tls-cert api.pem --tls-key api.key --tls-cert phones.pem --tls-key phones.key",
      "--tls development --tls-listen 127.0.0.1:0 --data secure"
    ),
  ]

  /// By their beginnings, commands that take long and need nothing of their page: they run on the first page that has them.
  static let once = ["rollingroad conform --target http://127.0.0.1:8080"]

  static func isRepeated(_ command: String, on page: Document) -> Bool {
    guard once.contains(where: { command.hasPrefix($0) }) else { return false }
    return (Document.all + Document.help).first { $0.commands.contains(command) }?.path != page.path
  }

  static func of(_ command: String) -> Treatment {
    special.first { command.hasPrefix($0.beginning) }?.treatment ?? .prepared()
  }

  static func shortened(_ command: String) -> String {
    shorter.reduce(command) { $0.replacing($1.words, with: $1.instead) }
  }
}
