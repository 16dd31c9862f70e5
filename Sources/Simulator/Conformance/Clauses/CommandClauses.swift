import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Upload

/// Commands in answers.
extension ConformanceClause {
  static let remoteControl: [ConformanceClause] = [
    ConformanceClause(
      "command-form", .commands, .must, .deaf,
      "Commands are a list of lists under background_geolocation, at the top of a JSON object",
      because: "the SDK looks nowhere else, and reads no other form (HttpConfig, remote control; SDK §10.1)",
      threads: ["flutter#1325", "react-native#2651", "cordova#1007"], needs: [], phase: .last,
      presumes: ["answer-length-true", "command-body-is-json"]
    ) { run in
      if run.watch.seen.commandAnswers == 0, run.target.commands != nil {
        let phone = try run.phone()
        try run.queueAny(for: phone)
        for _ in 0..<3 where !run.isOutOfTime {
          phone.put([run.fix(phone)])
          _ = phone.upload()
        }
      }
      let seen = run.watch.seen
      if let form = seen.commandForm { throw run.fail(seen: form) }
      guard seen.commandAnswers > 0 else { throw ClauseStop.notApplicable("no answer has brought a command") }
      run.note = seen.commandAnswers.of("answer") + " with commands"
    },
    ConformanceClause(
      "no-commands-unasked", .commands, .must, .wrong,
      "A phone for which nothing is queued gets no command, except a setConfig with its first answer",
      because: "the SDK obeys whatever comes; a new phone may be configured (SDK §10.1)", needs: [],
      phase: .beforeParallel
    ) { run in
      let phone = try run.phone()
      var problem: CommandProblem?
      var greeting: [Command] = []
      for number in 0..<3 {
        let uploads = try run.deliver(phone, [run.fix(phone)])
        problem = problem ?? uploads.lazy.compactMap { commandProblem(in: $0) }.first
        if number == 0 { greeting = phone.executed }
      }
      if greeting.map(\.name) == [.setConfig], phone.executed.count == 1 {
        run.facts.noteGreeting()
        run.note = "setConfig comes with the first answer"
        return
      }
      if let command = phone.executed.first {
        throw run.fail("\(command.name.rawValue) came unasked, \(phone.executed.count) commands with three answers")
      }
      if let problem { throw run.fail("a command came unasked: \(problem)") }
    },
    ConformanceClause(
      "command-right-device", .commands, .must, .wrong, "A command reaches its own device and no other",
      because: "a stop for one phone must not stop the fleet", needs: [.commands], phase: .beforeParallel,
      presumes: ["command-form", "no-commands-unasked"], commandsOfOneDevice),
    ConformanceClause(
      "command-kinds", .commands, .must, .deaf, "Each kind of command reaches the phone under its own name",
      because: "an unknown name is logged and passed over (SDK §10.2)", needs: [.commands],
      presumes: ["command-right-device", "command-form", "command-needs-body", "command-once"], kinds),
    ConformanceClause(
      "command-argument-types", .commands, .must, .deaf, "Arguments of commands reach the phone with their types",
      because: "a wrong type is logged as an error, and nothing is done (SDK §10.2)", needs: [.commands],
      presumes: ["command-right-device", "command-form", "command-kinds", "command-needs-body"], arguments),
    ConformanceClause(
      "command-once", .commands, .must, .drain, "A command that was read does not come again",
      because: "a setConfig with every answer keeps the phone busy without end (SDK §10.2)", needs: [.commands],
      presumes: ["command-right-device", "command-form", "command-needs-body", "no-commands-unasked"], once),
    ConformanceClause(
      "command-order", .commands, .must, .wrong, "Commands come in the order in which they were queued",
      because: "stop and start are not start and stop (SDK §10.2)", needs: [.commands],
      presumes: ["command-right-device", "command-form", "command-needs-body", "command-argument-types"], order),
    ConformanceClause(
      "command-needs-body", .commands, .must, .deaf, "A queued command comes within three uploads",
      because: "204 and an empty body bring none (SDK §10.1)", needs: [.commands],
      presumes: [
        "command-right-device", "command-in-batch-answer", "command-form", "no-commands-unasked", "no-page-with-200",
        "answer-waits-for-body",
        "answer-length-true", "no-body-with-204",
      ]
    ) { run in
      let phone = try run.phone()
      try run.queueAny(for: phone)
      switch try arrival(run, phone) {
      case .understood: break
      case .misunderstood: run.note = "it came in a form that the SDK does not understand"
      case .none: throw run.fail("a queued command has not come with three answers")
      }
    },
    ConformanceClause(
      "command-body-is-json", .commands, .must, .deaf, "An answer with a command is valid JSON",
      because: "a BOM, single quotes or a comma too many hide every command in it (RFC 8259)", needs: [.commands],
      presumes: ["answer-length-true"]
    ) { run in
      let phone = try run.phone()
      try run.queueAny(
        preferring: .setConfig(.object(["geolocation": .object(["distanceFilter": .integer(50)])])), for: phone)
      var hasCome = false
      for _ in 0..<3 where !hasCome {
        for upload in try run.deliver(phone, [run.fix(phone)]) {
          guard String(decoding: upload.body, as: UTF8.self).contains("background_geolocation") else { continue }
          hasCome = true
          if JSONValue(answerOf: upload.outcome) == nil {
            throw run.fail("an answer with a command is not JSON: \(upload.outcome.text.shortened(120))", upload)
          }
        }
      }
      if !hasCome { throw ClauseStop.notJudged("the command has not come") }
    },
    ConformanceClause(
      "command-in-batch-answer", .commands, .must, .deaf,
      "Commands come with the answers to batches and to single records",
      because: "an app has the one or the other (SDK §10.1)", needs: [.commands],
      presumes: [
        "command-right-device", "command-form", "root-object", "batch-all-stored", "no-page-with-200",
        "answer-waits-for-body", "answer-length-true", "no-body-with-204",
      ], inBatchAnswer),
    ConformanceClause(
      "command-survives-restart", .commands, .should, .deaf,
      "A command that waits for its phone comes after a restart too",
      because:
        "a phone without network gets it days later, and the caller that queued it was told that it waits (SDK §10.1)",
      needs: [.commands, .restart], phase: .restart,
      presumes: ["command-right-device", "command-form", "command-needs-body", "command-in-batch-answer"], afterRestart),
  ]

  /// Arguments that a backend may alter or lose: false, also inside, 0, fractions, an empty object, a text of digits, and a long
  /// list.
  private static let odd: [Command] = [
    .addGeofence(cornered), .addGeofences((1...24).map { fence("stop \($0)") }), .changePace(isMoving: false),
    .setOdometer(metres: 0), .setConfig(.object(["persistence": .object(["extras": .emptyObject])])),
    .removeGeofence(identifier: "007"), .setOdometer(metres: 1_234.5),
    .setConfig(.object(["app": .object(["stopOnTerminate": .bool(false), "startOnBoot": .bool(true)])])),
  ]

  /// A polygon whose name has letters of several scripts.
  private static let cornered = Geofence(
    identifier: "Zürich 東京 🚗 <A&B>",
    shape: .polygon(
      [(45.5, -116.3), (45.5, -116.25), (45.53, -116.27)].map { Geofence.Vertex(latitude: $0, longitude: $1) }))

  /// Returns a fence as an app would add it.
  private static func fence(_ name: String) -> Geofence {
    Geofence(
      identifier: name,
      shape: .circle(center: Geofence.Vertex(latitude: 45.52, longitude: -116.3), radiusMetres: 200))
  }

  static let everyCommand: [Command] = [
    .start, .changePace(isMoving: true),
    .setConfig(.object(["geolocation": .object(["distanceFilter": .integer(50)])])),
    .addGeofence(fence("one")), .addGeofences([fence("two"), fence("three")]), .removeGeofence(identifier: "one"),
    .removeGeofences(identifiers: nil), .destroyLog, .startSchedule, .stopSchedule,
    .setOdometer(metres: 1_000), .resetOdometer, .startGeofences, .stop,
  ]

  /// The arrival of a queued command.
  private enum Arrival {
    case understood(Command)
    case misunderstood(CommandProblem)
    case none
  }

  /// Waits for a queued command during three uploads of `records` each.
  private static func arrival(_ run: ClauseRun, _ phone: ConformancePhone, records: Int = 1) throws -> Arrival {
    let before = phone.executed.count
    for _ in 0..<3 {
      let uploads = try run.deliver(phone, run.fixes(phone, records))
      if phone.executed.count > before { return .understood(phone.executed[before]) }
      for upload in uploads {
        if let problem = ReceivedCommands(inBody: upload.body.span).problems.first { return .misunderstood(problem) }
      }
    }
    return .none
  }

  /// Returns why the SDK does not obey a command. A malformed list is the subject of `command-form`.
  private static func commandProblem(in upload: ConformancePhone.Upload) -> CommandProblem? {
    ReceivedCommands(inBody: upload.body.span).problems.first { !$0.isOfForm }
  }

  /// Uploads until `count` commands were executed, or three uploads brought none.
  private static func collect(_ run: ClauseRun, _ phone: ConformancePhone, count: Int) throws {
    var idle = 0
    while phone.executed.count < count, idle < 3 {
      let before = phone.executed.count
      try run.deliver(phone, [run.fix(phone)])
      idle = phone.executed.count == before ? idle + 1 : 0
    }
  }

  private static func inBatchAnswer(_ run: ClauseRun) throws {
    func comes(_ isBatch: Bool) throws -> Bool {
      let phone = try run.phone { $0.http.batchSync = isBatch }
      try run.queueAny(for: phone)
      if case .none = try arrival(run, phone, records: isBatch ? 3 : 1) { return false }
      return true
    }
    let silent = try run.facts.forms.filter { try !comes($0) }
    // Whether it arrives at all is tested by another clause.
    if silent.count == run.facts.forms.count { throw ClauseStop.notJudged("no command arrived") }
    if silent.contains(true) { throw run.fail("a command does not come with the answers to batches") }
    if silent.contains(false) { throw run.fail("a command does not come with the answers to single records") }
  }

  private static func afterRestart(_ run: ClauseRun) throws {
    let phone = try run.phone()
    // The device is known, and reads what may wait for it.
    try run.deliver(phone, [run.fix(phone)])
    let before = phone.executed.count
    try run.queueAny(for: phone)
    _ = try run.restart("TERM")
    for _ in 0..<3 where phone.executed.count == before {
      phone.put([run.fix(phone)])
      try run.deliver(afterRestart: phone, as: "an upload after the restart")
    }
    if phone.executed.count == before {
      throw run.fail("a command that was queued before the restart has not come with three answers after it")
    }
  }

  private static func kinds(_ run: ClauseRun) throws {
    let phone = try run.phone()
    // One by one, because a later command may replace an earlier one of its kind.
    let commands = try run.queueable(everyCommand)
    for command in commands {
      try run.queue(command, for: phone)
      switch try arrival(run, phone) {
      case .none: throw run.fail("\(command.name.rawValue) was queued and has not come")
      case .misunderstood(let problem):
        // A wrong argument is tested by another clause.
        if problem.isOfForm || problem.isOfName { throw run.fail("\(command.name.rawValue): \(problem)") }
      case .understood(let last):
        if last.name != command.name {
          throw run.fail("\(command.name.rawValue) was queued, and \(last.name.rawValue) came")
        }
      }
    }
    run.note = "\(commands.count) kinds"
  }

  private static func arguments(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let having = (everyCommand + odd).filter { $0.argument != nil }
    for command in try run.queueable(having) {
      try run.queue(command, for: phone)
      switch try arrival(run, phone) {
      case .none:
        let argument = command.argument.flatMap { StoredValue($0.serialized) }?.shown.shortened(80) ?? ""
        throw run.fail("\(command.name.rawValue) with \(argument) was queued and has not come")
      case .misunderstood(let problem): throw run.fail("\(command.name.rawValue): \(problem)")
      case .understood(let last):
        let sent = command.argument.flatMap { StoredValue($0.serialized) }
        let came = last.argument.flatMap { StoredValue($0.serialized) }
        if let sent, let came, !came.equals(sent) {
          throw run.fail("\(command.name.rawValue): \(came.shown.shortened(80)) instead of \(sent.shown.shortened(80))")
        }
      }
    }
  }

  private static func commandsOfOneDevice(_ run: ClauseRun) throws {
    let (mine, other) = (try run.phone(), try run.phone())
    try run.queueAny(preferring: .setOdometer(metres: 77), for: mine)
    for _ in 0..<2 { try run.deliver(other, [run.fix(other)]) }
    if let command = other.executed.first {
      throw run.fail("\(command.name.rawValue) was queued for '\(mine.name)' and came to '\(other.name)'")
    }
    try collect(run, mine, count: 1)
    if mine.executed.isEmpty { throw ClauseStop.notJudged("the command has not come at all") }
    try commandsBesideOthers(run)
  }

  /// Uploads of several phones that come at once may share a transaction, and each has an answer of its own.
  private static func commandsBesideOthers(_ run: ClauseRun) throws {
    let phones = try (0..<6).map { _ in try run.phone() }
    for _ in 0..<(run.facts.isSlow ? 1 : 4) {
      let before = phones[0].executed.count
      try run.queueAny(preferring: .setOdometer(metres: 78), for: phones[0])
      for _ in 0..<3 where phones[0].executed.count == before {
        let requests = try phones.map { ($0, try run.request($0, [run.fix($0)])) }
        let uploads = try run.line().exchangeAll(requests.map { ($0.1, $0.0.number) })
        for (phone, request) in requests {
          guard let upload = uploads.first(where: { $0.request === request }) else { continue }
          phone.answer(request, upload.outcome)
        }
        guard let (stranger, request) = requests.dropFirst().first(where: { !$0.0.executed.isEmpty }) else { continue }
        throw run.fail(
          "\(stranger.executed[0].name.rawValue) was queued for '\(phones[0].name)' and came to '\(stranger.name)', which uploaded at the same time",
          uploads.first { $0.request === request })
      }
    }
  }

  private static func once(_ run: ClauseRun) throws {
    let phone = try run.phone()
    try run.queueAny(preferring: .changePace(isMoving: false), for: phone)
    try collect(run, phone, count: 1)
    guard !phone.executed.isEmpty else { throw ClauseStop.notJudged("the command has not come") }
    for _ in 0..<5 { try run.deliver(phone, [run.fix(phone)]) }
    if phone.executed.count > 1 {
      throw run.fail("a command came \(phone.executed.count) times with six answers that were all read")
    }
  }

  /// More than a handful: a phone without network has not had those of a day. Two fences, as a queue that keeps one command of
  /// each name loses the first.
  private static let waiting: [Command] = [
    .setOdometer(metres: 5), .addGeofence(fence("one")), .changePace(isMoving: true), .addGeofence(fence("two")),
    .destroyLog, .stopSchedule, .removeGeofence(identifier: "one"), .resetOdometer,
    .setConfig(.object(["geolocation": .object(["distanceFilter": .integer(60)])])), .startSchedule,
    .removeGeofences(identifiers: nil), .startGeofences,
  ]

  private static func order(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let waiting = try run.queueable(waiting, atLeast: 2)
    for command in waiting { try run.queue(command, for: phone) }
    try collect(run, phone, count: waiting.count)
    func list(_ commands: [Command]) -> String { commands.map(\.name.rawValue).joined(separator: ", ") }
    guard phone.executed.count >= waiting.count else {
      let missing = waiting.filter { !phone.executed.contains($0) }
      let few = missing.count < waiting.count ? ": \(list(missing)) did not come" : ""
      throw run.fail(
        "of \(waiting.count) commands that were queued one after the other, \(phone.executed.count) came\(few)")
    }
    if phone.executed.map(\.name) != waiting.map(\.name) {
      throw run.fail("queued as \(list(waiting)), came as \(list(phone.executed))")
    }
  }
}
