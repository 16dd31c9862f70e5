package import Base
package import Contract

/// The form of requests to a backend, and its promises: a file in the language of scenarios, for `rollingroad conform`.
package struct Dialect: Equatable, Sendable {
  package var name = ""
  package var preset: TargetPreset?
  /// Relative to the target; nil: the target itself, or the path of the preset.
  package var uploadPath: String?
  package var app = SDKConfiguration()
  package var devices = DialectDevices()
  package var login: DialectLogin?
  /// Relative to the target.
  package var refreshURL: String?
  package var commands: DialectCommands?
  package var verification = DialectVerification()
  package var promises = DialectPromises()
  /// A shell command that stops the backend with the signal in `SIGNAL` and starts it again.
  package var restart: String?
  private var version = 1

  package init() {}
}

extension Dialect: ScenarioSection {
  static let table = Table<Dialect>(
    "dialect", "How to call a backend, and what it guarantees.",
    [
      .optional("$schema", \.schema, .text, "The schema, for editors; `rollingroad schema --dialect` prints it."),
      .key("version", \.version, .integer(1...1), "The version of this language: 1."),
      .key("name", \.name, .text, "Name of the backend in reports."),
      .optional("preset", \.preset, .choice, "Dialect of a known server, which the other keys add to."),
      .optional("path", \.uploadPath, .text, "URL of uploads, relative to `--target`."),
      .key(
        "app", \.app, .configuration,
        "The app's configuration under the SDK's own names: root, template, params, headers. `${device.id}` stands for the device."
      ),
      .key("devices", \.devices, .section(), "How devices are named and created."),
      .optional("login", \.login, .section(), "How a device gets its first tokens."),
      .optional("refresh", \.refreshURL, .text, "Where tokens are refreshed, relative to `--target`."),
      .optional("commands", \.commands, .section(), "How a command is queued for a device."),
      .key("verify", \.verification, .section(), "How the records that the backend has stored are read."),
      .key("promises", \.promises, .section(), "What the backend promises beyond the clauses that hold for all."),
      .optional(
        "restart", \.restart, .text,
        "Command of the shell that ends the backend with the signal in `$SIGNAL` (TERM or KILL), waits for its end and starts it again."
      ),
    ])

  /// For editors; has no effect.
  private var schema: String? {
    get { nil }
    set {}
  }
}

/// How a device gets its first tokens.
package struct DialectLogin: Equatable, Sendable {
  /// Nil where a command makes the requests.
  package var url: String?
  package var method = "POST"
  package var headers: [Named<String>] = []
  /// A JSON document as text, with the placeholder `${device.id}`.
  package var body = "{}"
  package var command: String?

  package init() {}
}

extension DialectLogin: ScenarioSection {
  static let table = Table<DialectLogin>(
    "login",
    "How a device gets its first tokens. They are read from the answer as the SDK reads refreshed ones.",
    [
      .optional("url", \.url, .text, "The URL, relative to `--target`."),
      .key("method", \.method, .text, "The method of the request."),
      .key(
        "headers", \.headers, .map(of: .text),
        "Headers of the request; `Content-Type` is `application/json` unless it is given."),
      .key("body", \.body, .text, "The body as text; `${device.id}` stands for the device."),
      .optional(
        "command", \.command, .text,
        "Instead of a URL, where the way to the tokens takes more than one request: command of the shell that prints the JSON with the tokens of `$DEVICE`."
      ),
    ])
}

/// The request that queues a command for a device.
package struct DialectCommands: Equatable, Sendable {
  package var url = ""
  package var method = "POST"
  package var headers: [Named<String>] = []
  package var body = "{commands}"
  /// Nil: all of the SDK.
  package var kinds: [CommandName]?

  package init() {}
}

extension DialectCommands: ScenarioSection {
  static let table = Table<DialectCommands>(
    "commands", "How a command is queued for a device.",
    [
      .required("url", \.url, .text, "The URL, relative to `--target`; `{device}` is filled in."),
      .key("method", \.method, .text, "The method of the request."),
      .key(
        "headers", \.headers, .map(of: .text),
        "Headers of the request; `Content-Type` is `application/json` unless it is given."),
      .key(
        "body", \.body, .text,
        "The body as text; `{device}` is filled in, and `{commands}` stands for a list as `[[\"changePace\",true]]`, `{command}` for its only element, `{name}` for its name without quotes, `{argument}` for its argument as JSON, or `null`."
      ),
      .optional("kinds", \.kinds, .list(of: .choice), "The commands that can be queued; by default, all of the SDK."),
    ])
}

/// Access to the stored records of a backend.
package struct DialectVerification: Equatable, Sendable {
  package var url: String?
  package var headers: [Named<String>] = []
  /// The path to the entries of a page.
  package var records = "$[*]"
  /// The path to the cursor or the URL of the next page.
  package var next: String?
  /// The paths of fields in an entry, by the record's own names, as `coords.latitude`.
  package var fields: [Named<String>] = []
  package var place = StorePlace()
  /// How long a record may be invisible after its acknowledgement.
  package var readDelay = Nanoseconds.zero
  /// Whether entries are listed in order of arrival.
  package var isInArrivalOrder = false

  package init() {}
}

extension DialectVerification: ScenarioSection {
  static let table = Table<DialectVerification>(
    "verify",
    "How the records that a backend has stored are read: over HTTP (url), from SQLite or PostgreSQL (database, query), from a command, from a file of lines or from a stream. Without any, a Rolling Road server is asked through its administration; other servers are not verified.",
    [
      .optional(
        "url", \.url, .text,
        "Lists the records of one device; relative to `--target`, with `{device}`. JSON or NDJSON. Further pages: `Link: <…>; rel=\"next\"`, `next`, or `{page}`, `{page:0}` or `{offset}` in the URL, which count them from 1, from 0, or in entries, up to an empty one."
      ),
      .key("headers", \.headers, .map(of: .text), "Headers of these requests."),
      .key("records", \.records, .jsonPath, "Path of the entries in a page of JSON."),
      .optional(
        "next", \.next, .jsonPath,
        "Path of what leads to the next page: a URL, or a cursor that goes where `{cursor}` stands in `url`. For the first page a parameter that is nothing but the cursor is left out, as `after={cursor}`; elsewhere it is empty."
      ),
      .key("fields", \.fields, .recordPlaces, TargetVerification.fieldsText),
    ] + StorePlace.keys(at: \.place) + [
      .key("readDelay", \.readDelay, .duration, "How long after its acknowledgement a record may be missing there."),
      .key("inArrivalOrder", \.isInArrivalOrder, .boolean, "The records are listed in the order in which they came."),
    ])
}
