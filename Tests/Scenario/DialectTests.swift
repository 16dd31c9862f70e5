import Base
import JSON
import Testing

@testable import Scenario

/// Dialect files.
@Suite struct DialectTests {
  private func problems(of text: String) -> [String] {
    do throws(ScenarioErrors) {
      _ = try DialectReader().read(text)
      return []
    } catch { return error.all.map { $0.text(sources: ["d.json5"]) } }
  }

  @Test func aDialectIsRead() throws {
    let reader = DialectReader { $0 == "TOKEN" ? "secret" : nil }
    let dialect = try reader.read(
      """
      {
        version: 1, name: "mine", path: "/points",
        app: { http: { params: { device_id: "${device.id}" }, headers: { "X-Key": "${TOKEN}" } } },
        login: { url: "/login", body: '{"device":"${device.id}"}' }, refresh: "/token",
        commands: { url: "/devices/{device}/commands", body: '{"list":{commands}}' },
        verify: { url: "/points?device={device}", records: "$.points[*]", fields: { "coords.latitude": "$.y" }, readDelay: "2s" },
        promises: { tokens: "required", keeps: ["event", "extras"], roots: ["."], accessTokenTtl: "5s" },
        restart: "kill -s $SIGNAL 1",
      }
      """)
    #expect(dialect.uploadPath == "/points" && dialect.restart == "kill -s $SIGNAL 1")
    #expect(dialect.login?.body == #"{"device":"${device.id}"}"# && dialect.login?.method == "POST")
    #expect(dialect.verification.fields["coords.latitude"] == "$.y")
    #expect(dialect.verification.readDelay == .seconds(2))
    #expect(dialect.promises.tokens == .required && dialect.promises.kept == [.event, .extras])
    #expect(dialect.app.document["http"]?["headers"]?["X-Key"] == .string("secret"))
  }

  /// What columns there are, only the database knows.
  @Test func aQueryForAllColumnsMayNameTheDevice() throws {
    #expect(problems(of: "{ version: 1, verify: { database: 'a.db', query: 'SELECT * FROM p' } }") == [])
  }

  @Test(arguments: [
    ("{ version: 1, verfy: {} }", "no key 'verfy'; did you mean 'verify'?"),
    ("{ version: 1, verify: { url: '/a', file: 'b' } }", "verify: there are 2 places to read from"),
    ("{ version: 1, verify: { database: 'a.db' } }", "verify: database and query belong together"),
    ("{ version: 1, verify: { database: 'a.db', query: 'SELECT 1' } }", "the query does not ask for :device"),
    ("{ version: 1, promises: { keeps: ['evnt'] } }", "no value 'evnt'; did you mean 'event'?"),
    (
      "{ version: 1, verify: { url: '/p?d={device}', fields: { 'coords.latitud': '$.y' } } }",
      "no field of a record 'coords.latitud'; did you mean 'coords.latitude'?"
    ),
    ("{ version: 1, promises: { deviceByToken: true } }", "deviceByToken without a login"),
    ("{ version: 1, refresh: '/${device.id}' }", "${device.id} cannot be used here"),
    ("{ version: 1, path: '/{device}/points' }", "unknown name {device}; write ${device.id}"),
    ("{ version: 1, path: '/{device.id}/points' }", "unknown name {device.id}; write ${device.id}"),
    ("{ version: 1, login: { url: '/login/{id}' } }", "login: unknown name {id}"),
    (
      "{ version: 1, login: { body: '{}' } }", "login: one request or one command gives the tokens; give url or command"
    ),
    ("{ version: 1, login: { url: '/login', command: 'true' } }", "login: one request or one command gives the tokens"),
    (
      "{ version: 1, devices: { url: '/d', command: 'true' } }",
      "devices: one request or one command creates a device; give url or command"
    ),
    ("{ version: 1, devices: { url: '/${device.id}' } }", "devices"),
    ("{ version: 1, devices: { url: '/{dev}' } }", "devices: unknown name {dev}; write {device}"),
    ("{ version: 1, devices: { names: 'imei' } }", "devices.names"),
    ("{ version: 1, commands: { url: '/c', kinds: ['go'] } }", "commands.kinds"),
    ("{ version: 1, commands: { url: '/{dev}/commands' } }", "commands: unknown name {dev}; write {device}"),
    ("{ version: 1, verify: { url: '/points?d={dev}' } }", "verify: unknown name {dev}"),
    ("{ version: 1, verify: { url: '/points' } }", "verify: the url does not ask for {device}"),
    (
      "{ version: 1, verify: { url: '/points?d={device}&after={cursor}' } }",
      "verify.url: without 'next' nothing is filled in for {cursor}; add next, the path of the cursor in an answer"
    ),
    (
      "{ version: 1, app: { http: { params: { id: '{device}' } } } }",
      "app: unknown name {device}; write ${device.id}"
    ),
    (
      "{ version: 1, app: { http: { headers: { A: '${device.id}', B: '${device.id}/{device_id}' } } } }",
      "app: unknown name {device_id}"
    ),
    ("{ version: 1, app: { http: { url: '/points' } } }", "app: 'path' sets the URL of uploads"),
  ])
  func aMistakeIsNamedWithItsPlace(text: String, words: String) {
    let problems = problems(of: text)
    #expect(problems.contains { $0.hasPrefix("d.json5:1:") && $0.contains(words) }, "\(problems)")
  }

  /// Templates and refresh payloads of an app are in braces themselves.
  @Test func anAppMayHaveBracesOfItsOwn() throws {
    let app = try DialectReader().read(
      #"{ version: 1, app: { authorization: { refreshPayload: { t: '{refreshToken}' } }, persistence: { locationTemplate: '{"lat":<%= latitude %>}' } } }"#
    ).app.document
    #expect(app["authorization"]?["refreshPayload"] == .object(["t": .string("{refreshToken}")]))
    #expect(app["persistence"]?["locationTemplate"] == .string(#"{"lat":<%= latitude %>}"#))
  }

  /// Devices may be part of the path.
  @Test func aPathMayNameTheDevice() throws {
    #expect(try DialectReader().read("{ version: 1, path: '/p/${device.id}' }").uploadPath == "/p/${device.id}")
  }

  @Test func schemaAndReferenceNameEveryKey() {
    let schema = ScenarioSchema.dialect.pretty
    for key in ["verify", "login", "promises", "restart", "inArrivalOrder", "accessTokenTtl"] {
      #expect(schema.contains("\"\(key)\""), "\(key)")
      #expect(ScenarioReference.dialect.contains("| `\(key)` |"), "\(key)")
    }
  }

  /// By such a template the SDK writes no record (SDK §7.5.1).
  @Test(arguments: [
    (#"{"t":<%= timestamp %>,"la":<%= latitude %>}"#, "write \"<%= timestamp %>\", or set persistence.timestampFormat"),
    (#"{"i":<%= uuid %>}"#, "the value of <%= uuid %> is a text"), (#"{"la":<%= lat %>}"#, "unknown tag <%= lat %>"),
    (#"{"lat":<%= longitude %>}"#, "'lat' gets the longitude"),
    (#"{"la":<%= latitude %>"#, "gives no JSON"), (#"<%= latitude %>"#, "gives no JSON"),
  ])
  func aTemplateThatGivesNoJSONIsAMistake(template: String, words: String) {
    let found = problems(of: "{ version: 1, app: { persistence: { locationTemplate: '\(template)' } } }")
    #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
    #expect(
      found.first?.hasPrefix("d.json5:1:") == true && found.first?.contains("locationTemplate: ") == true, "\(found)")
  }

  @Test func aTimeThatIsANumberNeedsNoQuotes() {
    let template = #"{"t":<%= timestamp %>,"la":<%= latitude %>,"x":"<%= event %>","g":<%= extras %>}"#
    let app = "app: { persistence: { timestampFormat: 'epoch', locationTemplate: '\(template)' } }"
    #expect(problems(of: "{ version: 1, \(app) }").isEmpty)
  }

  /// What the app adds has names of its own.
  @Test func fieldsOfTheAppMayHaveAPlace() {
    let fields = ["extras.trip.id", "geofence.extras.zone", "params.user", "device", "provider.gps"]
    let places = fields.map { "'\($0)': '$.x'" }.joined(separator: ", ")
    #expect(problems(of: "{ version: 1, verify: { url: '/p?d={device}', fields: { \(places) } } }").isEmpty)
  }

  @Test func namesOfAnySortStandInPaths() throws {
    let dialect = try DialectReader().read(
      #"{ version: 1, verify: { url: "/p?d={device}", fields: { timestamp: "$.at.recorded-at", event: "$['recorded at'][0]['x.y']" } } }"#
    )
    #expect(
      JSONStep.steps(of: dialect.verification.fields["timestamp"] ?? "") == [.member("at"), .member("recorded-at")])
    let steps: [JSONStep] = [.member("recorded at"), .element(0), .member("x.y")]
    #expect(JSONStep.steps(of: dialect.verification.fields["event"] ?? "") == steps)
    #expect(JSONStep.path(of: steps) == "$['recorded at'][0]['x.y']")
    for place in ["$.a / 0", "$.a / -1", "$.a /100", "$.a in utc", "$.a in UTC / 2", "$.a / 99999999999"] {
      #expect(
        !problems(of: "{ version: 1, verify: { url: '/p?d={device}', fields: { event: '\(place)' } } }").isEmpty,
        "\(place)")
    }
    for path in ["$.-a", "$.a / 100", "$.a in UTC", "$['a", "$['']", "$.a b", "$['a'"] {
      #expect(!TargetVerification.isPath(path), "\(path)")
    }
  }
}
