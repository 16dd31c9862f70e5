import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import JSON
import Scenario
import Shell
import Threads
import Upload

/// Many clients, misbehaving clients, and restarts.
extension ConformanceClause {
  static let trouble: [ConformanceClause] = [
    ConformanceClause(
      "slow-client-beside-others", .trouble, .must, .repeat,
      "While three clients hold half a request, another upload is answered within three seconds",
      because: "phones in tunnels hold connections for minutes", phase: .alone
    ) { run in
      let raw = try plain(run).request
      let slow = connections(3, run)
      for connection in slow { connection.send(raw.head + raw.body.prefix(10)) }
      try prompt(run, after: "while three clients hold half a request")
      withExtendedLifetime(slow) {}
    },
    ConformanceClause(
      "idle-connections-beside-others", .trouble, .must, .repeat,
      "While fifty connections are kept open behind their uploads, another upload is answered within three seconds",
      because: "phones keep their connections", phase: .alone,
      presumes: ["slow-client-beside-others"]
    ) { run in
      let idle = try usedConnections(run.facts.isSlow ? 20 : 50, run)
      try prompt(run, after: "while \(idle.count) connections are kept open behind their uploads")
      withExtendedLifetime(idle) {}
    },
    ConformanceClause(
      "silent-connections-beside-others", .trouble, .should, .repeat,
      "While fifty connections are open without a byte, an upload is answered within three seconds",
      because:
        "scanners, proxies and browsers open connections that they do not use: a server with a thread for each has none left",
      phase: .alone, presumes: ["slow-client-beside-others", "idle-connections-beside-others"]
    ) { run in
      let silent = connections(50, run)
      try prompt(run, after: "while fifty connections are open without a byte")
      withExtendedLifetime(silent) {}
    },
    ConformanceClause(
      "hundred-at-once", .trouble, .must, .drain,
      "A hundred uploads at once are all acknowledged, after three repetitions at most, and stored once",
      because: "a network that comes back brings all phones at once (SDK §9.3)", phase: .alone,
      presumes: ["many-devices-at-once", "right-device"], hundred),
    ConformanceClause(
      "reset-after-request", .trouble, .must, .repeat,
      "After a connection is reset right after its request, the backend goes on, and the record is stored once",
      because: "phones change their network in the middle of a request", needs: [.store],
      phase: .risky, presumes: ["same-record-at-once", "many-devices-at-once", "resend-after-cut-answer"]
    ) { run in
      let phone = try run.phone()
      let record = run.fix(phone)
      let request = try run.request(phone, [record])
      let connection = try run.connect()
      connection.send(RawRequest(request).bytes)
      connection.resetAtTheEnd()
      run.lose(request, of: phone)
      try run.deliver(phone, as: "the repetition after a reset")
      try run.expectOnce([record], of: phone.name, among: " after a reset and a repetition")
    },
    ConformanceClause(
      "good-beside-bad", .trouble, .must, .lose,
      "Good uploads are stored when bad bodies, bad records and known records arrive at the same time",
      because:
        "a transaction that several requests share is rolled back for all of them, and one phone's bad record loses another's (SDK §9.1)",
      phase: .risky,
      presumes: [
        "many-devices-at-once", "same-record-at-once", "alive-after-bad-record", "unreadable-not-acknowledged",
      ], goodBesideBad),
    ConformanceClause(
      "alive-after-garbage", .trouble, .must, .repeat,
      "Garbage, a TLS greeting and impossible headers are refused, and the next upload works",
      because: "scanners send them all day", phase: .risky,
      presumes: ["good-record-acknowledged", "answer-waits-for-body"], garbage),
  ]

  /// Opens as many connections as the backend accepts; the next upload shows whether it still serves others. A server without
  /// free workers does not answer a TLS handshake.
  private static func connections(_ count: Int, _ run: ClauseRun) -> [RawConnection] {
    var connections: [RawConnection] = []
    while connections.count < count {
      do { connections.append(try run.connect()) } catch { break }
    }
    return connections
  }

  /// Opens connections that have each carried an upload. It stops at the first one without an answer; the next upload shows
  /// whether the backend still serves others.
  private static func usedConnections(_ count: Int, _ run: ClauseRun) throws -> [RawConnection] {
    let phone = try run.phone()
    var used: [RawConnection] = []
    for _ in 0..<count {
      guard let connection = connections(1, run).first else { break }
      let request = try run.request(phone, [run.fix(phone)])
      connection.send(RawRequest(request).bytes)
      used.append(connection)
      guard case .answer(let answer) = connection.reply(within: .seconds(3)) else {
        run.lose(request, of: phone)
        break
      }
      phone.answer(request, .answered(status: answer.status, reason: "", body: answer.body))
      if !(200..<300 ~= answer.status) { break }
    }
    return used
  }

  private static func prompt(_ run: ClauseRun, after what: String) throws {
    let phone = try run.phone { $0.http.timeoutMilliseconds = 6_000 }
    phone.put([run.fix(phone)])
    guard let upload = phone.upload().last else { throw ClauseStop.notJudged("the phone did not upload") }
    if upload.status == 0 || upload.duration > .seconds(3) {
      throw run.fail(
        "\(what), an upload took \(upload.duration.wholeMilliseconds) ms: \(upload.outcome.text.shortened(80))", upload)
    }
    if !upload.isSuccess { throw run.refusal(upload, of: "an upload \(what)") }
  }

  private static func hundred(_ run: ClauseRun) throws {
    let phones = try (0..<100).map { _ in try run.phone() }
    let records = phones.map { run.fix($0) }
    for (phone, record) in zip(phones, records) { phone.put([record]) }
    var (repetitions, isLimited) = (0, false)
    var refused: [ConformancePhone.Upload] = []
    // A limit is not a failure: an attempt with such an answer is not counted, and the phones send again later.
    for _ in 0..<30 where repetitions <= 3 {
      let waiting = phones.filter { $0.queuedCount > 0 }
      if waiting.isEmpty { break }
      try run.keepTime()
      let requests = waiting.compactMap { phone in phone.takeRequest().map { (phone, $0) } }
      let uploads = try run.line().exchangeAll(requests.map { ($0.1, $0.0.number) })
      for (phone, request) in requests {
        guard let upload = uploads.first(where: { $0.request === request }) else { continue }
        phone.answer(request, upload.outcome)
        let isBusy = RateLimit.isThrottling(upload.status) || upload.status == 0 && repetitions < 3
        if !upload.isSuccess, !isBusy { throw run.refusal(upload, of: "one of a hundred uploads at once") }
      }
      isLimited = uploads.contains(where: ClauseRun.isLimit)
      refused = uploads.filter { RateLimit.isThrottling($0.status) }
      if !isLimited { repetitions += 1 }
      if phones.contains(where: { $0.queuedCount > 0 }) { run.pause(isLimited ? 600 : 300) }
    }
    let left = phones.count { $0.queuedCount > 0 }
    if left > 0, isLimited {
      throw ClauseStop.partly("the backend limits uploads: \(left) of a hundred were told to retry until the end")
    }
    if left > 0 {
      throw run.refusedToTheEnd(
        refused, of: 100, "\(left) of a hundred phones still have their record after three repetitions")
    }
    try run.expectOnce(
      ofEach: zip(phones, records).map { ($0, [$1]) }, among: " of one of a hundred phones at once")
  }

  private static func garbage(_ run: ClauseRun) throws {
    let raw = try plain(run).request
    let address = TargetAddress(raw.url)
    let (path, host) = (address?.path ?? "/", address?.authority ?? "")
    // A long head is possible, and what an empty body is answered is another clause.
    let cases: [(String, [UInt8], isPossible: Bool)] = [
      ("garbage", Array("GARBAGE\r\n\r\n".utf8), false),
      ("a TLS greeting", [0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00], false),
      (
        "a Content-Length of -1",
        Array("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: -1\r\n\r\n".utf8), false
      ),
      (
        "two Content-Lengths",
        Array("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef".utf8),
        false
      ),
      (
        "a head of 70 KB",
        Array("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nX-Long: ".utf8) + [UInt8](repeating: 0x61, count: 70_000)
          + Array("\r\n\r\n".utf8), true
      ),
    ]
    for (what, bytes, isPossible) in cases {
      let connection = try run.connect()
      connection.send(bytes)
      connection.endOutput()
      run.preface = address?.command(sending: bytes)
      let reply = connection.reply(within: .seconds(3))
      if reply.isSuccess, !isPossible {
        throw run.fail("\(what) was answered with \(reply.text)", harm: .lose, sent: bytes)
      }
      try run.expectAlive(after: what)
    }
  }
}

/// Restarts of the backend.
extension ConformanceClause {
  static let restarts: [ConformanceClause] = [
    ConformanceClause(
      "back-after-restart", .trouble, .must, .repeat,
      "Within twenty seconds after the restart command the backend answers again, after SIGTERM and after SIGKILL",
      because: "until it does, no phone can upload, and what is stored cannot be read", needs: [.restart],
      phase: .restart
    ) { run in
      for signal in ["TERM", "KILL"] { _ = try run.restart(signal) }
    },
    ConformanceClause(
      "ack-survives-stop", .trouble, .must, .lose,
      "What was acknowledged before SIGTERM, or during the stop, is there after the restart",
      because: "the phone has deleted it; a deployment must not lose it (SDK §9.5)", needs: [.store, .restart],
      phase: .restart, presumes: ["same-before-and-after-restart"]
    ) { try survive($0, "TERM", among: " before SIGTERM") },
    ConformanceClause(
      "ack-survives-kill", .trouble, .must, .lose, "What was acknowledged before SIGKILL is there after the restart",
      because: "2xx means on disk: the phone has deleted its copy (SDK §9.5)", needs: [.store, .restart],
      phase: .restart,
      presumes: ["same-before-and-after-restart", "ack-survives-stop"]
    ) { try survive($0, "KILL", among: " before SIGKILL") },
    ConformanceClause(
      "ack-survives-kill-in-flight", .trouble, .must, .lose,
      "Batches of eight phones that are under way at a SIGKILL are stored once after they are repeated",
      because: "some are acknowledged, some are not, and the phones know which (SDK §9.4)", needs: [.store, .restart],
      phase: .restart,
      presumes: [
        "ack-survives-stop", "ack-survives-kill", "resend-batch-after-cut-answer", "batch-all-stored",
        "resend-after-restart", "many-devices-at-once", "good-beside-bad",
      ], inFlight),
    ConformanceClause(
      "resend-after-restart", .trouble, .must, .wrong, "A record that comes again after a restart is stored once",
      because: "what a process remembered is gone with it (SDK §9.4)", needs: [.store, .restart], phase: .restart,
      presumes: [
        "resend-after-cut-answer", "resend-acknowledged-again", "ack-survives-stop", "same-before-and-after-restart",
      ]
    ) { run in
      let phone = try run.phone()
      let record = run.fix(phone)
      try run.deliver(phone, [record])
      _ = try run.restart("TERM")
      phone.put([record])
      try run.deliver(afterRestart: phone, as: "a record that comes again after a restart")
      try run.expectOnce([record], of: phone.name, among: " after it came before and after a restart")
    },
    ConformanceClause(
      "same-before-and-after-restart", .trouble, .must, .lose, "What is listed before a restart is listed after it",
      because: "the store is the only copy (SDK §9.5)", needs: [.store, .restart], phase: .restart
    ) { run in
      let phone = try run.phone { draft in
        draft.persistence.maxDaysToPersist = 1_000
        if run.hasFreeParams { draft.addParam("trip", .string("T 1")) }
      }
      let records = run.fixes(phone, 12)
      try run.deliver(phone, records)
      try run.expectOnce(records, of: phone.name)
      // Whether an old record is taken is tested by another clause; one that is listed may not go with the old ones at a start.
      phone.put([run.fix(phone, at: run.instant(0).advanced(byMilliseconds: -100 * 86_400_000))])
      _ = run.uploadWithRetries(phone)
      // A second look later, after delayed writes.
      run.pause(1_500)
      let before = try run.stored(phone.name)
      _ = try run.restart("TERM")
      // For as long as the dialect allows them to be invisible.
      _ = try run.look(for: records, of: phone.name)
      let after = try run.stored(phone.name)
      if let change = ListingChange.words(from: before, to: after) {
        let isLoss = !Set(before.compactMap(\.uuid)).isSubset(of: after.compactMap(\.uuid))
        throw run.fail(
          "\(before.count) entries were listed before the restart, and \(after.count) after it: \(change)",
          harm: isLoss ? .lose : .wrong, stored: "\(after.count) entries")
      }
    },
    ConformanceClause(
      "ready-after-kill", .trouble, .should, .repeat,
      "Five seconds after a restart behind a SIGKILL uploads are acknowledged",
      because: "after an outage, phones retry with every new record", needs: [.restart], phase: .restart
    ) { run in
      let seconds = try run.restart("KILL")
      let phone = try run.phone()
      try run.deliver(phone, [run.fix(phone)])
      if seconds > 5 { throw run.fail("the backend was away for \(Int(seconds)) s") }
      run.note = "\(Int((seconds * 1_000).rounded())) ms"
    },
    ConformanceClause(
      "tokens-survive-restart", .trouble, .should, .block,
      "After a restart a device uploads with its tokens from before it, and refreshes them",
      because: "a fleet that has to log in again stays silent until its users open the app (SDK §11.6)",
      needs: [.tokens, .restart], phase: .restart
    ) { run in
      let name = try run.phone(signsIn: false).name
      let tokens = try run.signIn(name)
      let phone = try run.phone(exactly: name, tokens: tokens)
      try run.deliver(phone, [run.fix(phone)])
      _ = try run.restart("TERM")
      try run.deliver(phone, [run.fix(phone)], as: "an upload with a token from before the restart")
      // An access token that is valid without the store says nothing of the refresh token, unless the phone has used that.
      guard run.target.refreshURL != nil, let refresh = tokens.refresh,
        phone.configuration.authorization.refreshToken == refresh
      else { return }
      _ = try run.refresh(tokens, in: phone, as: "a refresh with a token from before the restart")
    },
  ]

  private static func survive(_ run: ClauseRun, _ signal: String, among: String) throws {
    let phone = try run.phone { $0.http.batchSync = false }
    var (acknowledged, isOver) = ([SentRecord](), false)
    var underWay: [UploadUnderWay] = []
    var end: RestartInProgress?
    defer { end?.join() }
    // Uploads one after the other until the backend goes away, so that the last acknowledged one is milliseconds old. Some
    // precede the command, which may be as fast.
    let first = run.facts.isSlow ? 4 : 20
    for number in 0..<uploadsMax where !isOver {
      if number == first {
        // A backend that waits for what is under way acknowledges it while it stops.
        if signal == "TERM" { underWay = try (0..<3).map { _ in try UploadUnderWay(run) } }
        end = run.beginRestart(signal)
      }
      // A restart command may take minutes.
      if number > uploadsAtOnce { run.pause(20) }
      let record = run.fix(phone)
      let request = try run.request(phone, [record])
      let upload = try run.line().exchange(request, of: phone.number)
      // A record that is rejected because of a limit is dropped: the next one serves as well.
      let isBusy = RateLimit.isThrottling(upload.status)
      phone.answer(request, isBusy ? .answered(status: 200, reason: "", body: []) : upload.outcome)
      _ = end?.witness.note(upload)
      if upload.isSuccess { acknowledged.append(record) }
      isOver = !upload.isSuccess && !isBusy || end?.hasEnded ?? false
    }
    let late = underWay.filter { $0.finish() }
    try end?.wait(run)
    if !isOver {
      throw ClauseStop.notJudged("the backend was still there after \(uploadsMax) uploads beside the restart command")
    }
    guard end != nil else { throw ClauseStop.notJudged("not even \(first) uploads in a row were acknowledged") }
    guard !acknowledged.isEmpty else { throw ClauseStop.notJudged("nothing was acknowledged before the signal") }
    try run.expectOnce(acknowledged, of: phone.name, among: among)
    for upload in late {
      try run.expectOnce(
        [upload.record], of: upload.phone.name,
        among: " whose upload began before SIGTERM and was acknowledged after it,")
    }
    run.note =
      "\(acknowledged.count + late.count) records" + (late.isEmpty ? "" : ", \(late.count) of them during the stop")
  }

  /// The most uploads before a backend goes away, and how many of them come one right after the other.
  private static let (uploadsMax, uploadsAtOnce) = (4_000, 1_000)

  private static func inFlight(_ run: ClauseRun) throws {
    let phones = try (0..<8).map { _ in try run.phone() }
    var sent: [[SentRecord]] = phones.map { _ in [] }
    let end = run.beginRestart("KILL")
    defer { end.join() }
    var (isDown, wasCut) = (false, false)
    for _ in 0..<1_000 where !isDown && !end.hasEnded {
      var requests: [(ConformancePhone, OutgoingRequest)] = []
      for (index, phone) in phones.enumerated() {
        let records = run.fixes(phone, run.facts.takesBatches ? 5 : 1)
        sent[index] += records
        requests.append((phone, try run.request(phone, records)))
      }
      let uploads = try run.line().exchangeAll(requests.map { ($0.1, $0.0.number) })
      for (phone, request) in requests {
        guard let upload = uploads.first(where: { $0.request === request }) else { continue }
        phone.answer(request, upload.outcome)
        if !upload.isSuccess { isDown = true }
        if end.witness.note(upload) { wasCut = true }
      }
    }
    try end.wait(run)
    guard wasCut else { throw ClauseStop.notJudged("no upload was under way when the backend went away") }
    for (index, phone) in phones.enumerated() {
      if phone.queuedCount > 0 { try run.deliver(afterRestart: phone, as: "what was under way at the SIGKILL") }
      try run.expectOnce(sent[index], of: phone.name, among: " around a SIGKILL")
    }
  }
}
