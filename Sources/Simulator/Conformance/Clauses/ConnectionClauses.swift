import AnswerCheck
import BackendStore
import Base
import Contract
import HTTP1
import Scenario
import Upload

/// The backend's handling of connections and of requests in pieces.
extension ConformanceClause {
  static let connections: [ConformanceClause] = [
    ConformanceClause(
      "keep-alive", .http, .must, .drain, "Twenty uploads over one connection are all answered",
      because:
        "phones keep their connection between uploads; a backend that closes it has to say so (SDK §8.1; RFC 9112 §9.3)",
      presumes: ["answer-length-true"], keepAlive),
    ConformanceClause(
      "idle-then-upload", .http, .must, .repeat,
      "An upload after seven and a half idle seconds is answered, or the connection was closed before",
      because:
        "a request on a connection that ends without an answer counts as status 0, and is sent again (SDK §9.1); clients leave a connection for which the time is over that Keep-Alive states (RFC 9112 §9.5)",
      threads: ["flutter#602"], presumes: ["keep-alive"], idle),
    ConformanceClause(
      "close-honoured", .http, .must, .drain,
      "With Connection: close the answer is whole, and then the connection ends",
      because: "a client that waits for the end would wait for its time limit (RFC 9112 §9.6)",
      presumes: ["answer-length-true"]
    ) { run in
      var request = try plain(run).request
      request.setHeader(HeaderName.connection, "close")
      let connection = try run.connect()
      connection.send(request.bytes)
      let reply = connection.reply(within: ClauseRun.answerTime)
      guard reply.isSuccess else { throw run.fail("a request with Connection: close: \(reply.text)", harm: .repeat) }
      if !connection.ends(within: .seconds(3)) {
        throw run.fail("three seconds after the answer the connection is still open")
      }
    },
    ConformanceClause(
      "answer-length-true", .http, .must, .repeat, "An answer is as long as it says",
      because:
        "too long a Content-Length leaves the phone waiting until its time limit, too short a one spoils the next answer (RFC 9112 §6.3)",
      presumes: ["no-body-with-204"], answerLength),
    ConformanceClause(
      "no-body-with-204", .http, .must, .repeat, "Answers to HEAD, and with status 204, have no body",
      because: "bytes of a body are taken for the next answer (RFC 9110 §15.3.5, §9.3.2)",
      phase: .last
    ) { run in
      let raw = try plain(run).request
      var is204 = false
      // An answer to what is known already is another one.
      for _ in 0..<2 {
        let connection = try run.connect()
        connection.send(raw.bytes)
        guard case .answer(let answer) = connection.reply(within: ClauseRun.answerTime), answer.status == 204 else {
          continue
        }
        is204 = true
        if connection.isReadable(within: .milliseconds(200)), !connection.surplus.isEmpty {
          throw run.fail("status 204 is followed by \(connection.surplus.count) bytes")
        }
      }
      let head = RawRequest("HEAD", raw.url, headers: raw.headers)
      let other = try run.connect()
      other.send(head.bytes)
      guard case .answer = other.reply(to: .head, within: ClauseRun.answerTime) else {
        if is204 { return }
        throw ClauseStop.notJudged("HEAD was not answered, and no answer had status 204")
      }
      if other.isReadable(within: .milliseconds(200)), !other.surplus.isEmpty {
        run.lastSent = head
        throw run.fail("the answer to HEAD is followed by \(other.surplus.count) bytes")
      }
    },
    ConformanceClause(
      "answer-type-true", .http, .should, .deaf, "What is declared as JSON is JSON, and JSON is not declared as HTML",
      because: "an SDK that fails to parse an answer finds no command in it (SDK §10.1)", needs: [], phase: .last,
      presumes: ["answer-length-true", "command-body-is-json"]
    ) { run in
      if let seen = run.watch.seen.wrongType { throw run.fail(seen: seen) }
      guard run.watch.seen.uploads > 0 else { throw ClauseStop.notJudged("no answer was seen") }
    },
    ConformanceClause(
      "no-page-with-200", .http, .must, .lose, "No upload to the app's URL is acknowledged with an HTML page",
      because:
        "a login page, or the error page of a proxy, with 200 makes the SDK delete records that are not stored (SDK §9.1)",
      threads: ["cordova#374"], needs: [], phase: .last
    ) { run in
      if let seen = run.watch.seen.page {
        throw run.fail(seen: seen, "an upload was acknowledged with \(seen.words)")
      }
      guard run.watch.seen.successes > 0 else { throw ClauseStop.notJudged("no success was seen") }
    },
    ConformanceClause(
      "head-options-get", .http, .should, .others,
      "HEAD, OPTIONS and GET at the upload path are answered with a status below 500",
      because: "browsers, monitors and proxies ask so, and must not end a worker"
    ) { run in
      let raw = try plain(run).request
      for (name, method) in [("HEAD", HTTPMethod.head), ("OPTIONS", .options), ("GET", .get)] {
        let connection = try run.connect()
        run.lastSent = RawRequest(name, raw.url, headers: raw.headers)
        connection.send(RawRequest(name, raw.url, headers: raw.headers).bytes)
        let reply = connection.reply(to: method, within: ClauseRun.answerTime)
        guard case .answer(let answer) = reply, answer.status < 500 || answer.status == 501 else {
          throw run.fail("\(name): \(reply.text)")
        }
      }
      try run.expectAlive(after: "HEAD, OPTIONS and GET")
    },
    ConformanceClause(
      "unknown-path-refused", .http, .should, .lose, "An upload to a path that does not exist is not acknowledged",
      because: "a mistyped URL in an app loses every record"
    ) { run in
      let (phone, record, raw) = try plain(run)
      var request = raw
      let parts = URLParts(raw.url)
      request.url = parts.origin + "/rollingroad-conform/no-such-path"
      let reply = try run.exchange(request)
      guard reply.isSuccess else { return }
      // A backend that accepts uploads on any path has no invalid one.
      if try run.look(for: [record], of: phone.name).missing.isEmpty {
        return run.note = "an upload to a path of no meaning is acknowledged and stored"
      }
      throw run.fail("an upload to /rollingroad-conform/no-such-path was answered with \(reply.text)")
    },
  ]

  /// Returns a good upload as the SDK would send it, to be sent in another way.
  static func plain(_ run: ClauseRun) throws -> (phone: ConformancePhone, record: SentRecord, request: RawRequest) {
    let phone = try run.phone()
    let record = run.fix(phone)
    return (phone, record, RawRequest(try run.request(phone, [record])))
  }

  private static func keepAlive(_ run: ClauseRun) throws {
    let phone = try run.phone()
    var connection = try run.connect()
    var (opened, records) = (1, [SentRecord]())
    // One request alone shows nothing.
    run.hasNoCommandLine = true
    for number in 1...20 {
      let record = run.fix(phone)
      records.append(record)
      let request = try run.request(phone, [record])
      connection.send(RawRequest(request).bytes)
      let reply = connection.reply(within: run.settings.answerTime)
      try run.expectTokenAlive(reply.status)
      guard case .answer(let answer) = reply, reply.isSuccess else {
        let sign: BreachSign? =
          switch reply {
          case .timeout: .unanswered
          case _ where reply.status >= 400: .refused(isBatch: request.payload?.isBatch ?? false)
          default: nil
          }
        throw run.fail("upload \(number) over one connection: \(reply.text)", harm: .repeat, sign: sign)
      }
      phone.answer(request, .answered(status: answer.status, reason: "", body: answer.body))
      if !answer.keepsAlive {
        connection = try run.connect()
        opened += 1
      } else if connection.ends(within: .zero) {
        throw run.fail("the connection ends after an answer that did not say so (Connection: close)")
      }
    }
    if run.target.store != nil { try run.expectOnce(records, of: phone.name, among: " of uploads behind each other") }
    run.note = opened == 1 ? "one connection" : "\(opened) connections, each closed as announced"
  }

  private static func answerLength(_ run: ClauseRun) throws {
    for isBatch in run.facts.forms {
      let phone = try run.phone { $0.http.batchSync = isBatch }
      if isBatch, run.target.commands != nil { try run.queueAny(for: phone) }
      let request = try run.request(phone, [run.fix(phone)])
      let connection = try run.connect()
      connection.send(RawRequest(request).bytes)
      let reply = connection.reply(within: min(.seconds(4), run.settings.answerTime))
      switch reply {
      case .answer(let answer):
        if answer.keepsAlive, connection.isReadable(within: .milliseconds(300)), !connection.surplus.isEmpty {
          // curl does not show them.
          run.hasNoCommandLine = true
          throw run.fail(
            "\(connection.surplus.count) bytes follow behind an answer whose length was \(answer.body.count)")
        }
      case .timeout(let partial) where partial > 0:
        throw run.fail(
          "after \(partial) bytes the answer does not go on: it is shorter than its Content-Length, or its last chunk is missing",
          sign: .unanswered)
      case .notHTTP(let reason): throw run.fail("an answer that is not whole: \(reason)")
      case .closed, .reset, .timeout: throw ClauseStop.notJudged(reply.text)
      }
    }
  }
}

/// Requests in other framing, in pieces, or pipelined.
extension ConformanceClause {
  static let framing: [ConformanceClause] = [
    ConformanceClause(
      "expect-continue", .http, .must, .block,
      "A request with Expect: 100-continue is understood, or refused with 417 and understood without it",
      because:
        "libcurl and proxies send it with larger bodies, and wait for the 100 or for a second; after 417 a client repeats the request without it (RFC 9110 §10.1.1)",
      needs: [.store], expectContinue),
    ConformanceClause(
      "chunked-body", .http, .must, .lose, "A chunked body is understood, or refused; it is not acknowledged unread",
      because:
        "proxies and other clients send it when they do not know the length, and a server may ask for one with 411 (RFC 9112 §6.3, §7.1)",
      needs: [.store],
      presumes: ["batch-all-stored", "text-all-scripts"], chunked),
    ConformanceClause(
      "gzip-body", .http, .must, .lose, "A gzip body is understood, or refused; it is not acknowledged unread",
      because: "proxies and other clients compress bodies (RFC 9110 §8.4)", needs: [.store], phase: .risky,
      presumes: ["text-all-scripts"], gzip),
    ConformanceClause(
      "slow-body", .http, .must, .repeat, "A body that takes three seconds is answered",
      because: "a phone at the edge of its network is so slow", needs: [.store],
      presumes: ["split-request"], slow),
    ConformanceClause(
      "split-request", .http, .must, .repeat,
      "A request that comes in pieces, cut within a name and within a letter, is read as it is",
      because: "TCP has no messages; what one read returns is not a request", needs: [.store],
      presumes: ["extras-every-kind", "text-all-scripts"], split),
    ConformanceClause(
      "pipelined", .http, .should, .lose,
      "Of two requests that come at once both are answered, or the second neither answered nor acknowledged",
      because:
        "a proxy may send the next one before the answer, though the SDK and most proxies never do (RFC 9112 §9.3.2)",
      needs: [.store],
      presumes: ["answer-length-true", "device-per-request", "keep-alive"]
    ) { try pipelined($0, closes: false) },
    ConformanceClause(
      "pipelined-close", .http, .should, .lose,
      "Of two requests at once, the second with Connection: close, both are answered before the end",
      because: "a connection that ends too early takes an answer with it (RFC 9112 §9.6)", needs: [.store],
      presumes: ["pipelined", "close-honoured"]
    ) { try pipelined($0, closes: true) },
  ]

  private static func expectContinue(_ run: ClauseRun) throws {
    let (phone, record, plain) = try plain(run)
    var raw = plain
    raw.setHeader(HeaderName.expect, "100-continue")
    run.lastSent = raw
    let connection = try run.connect()
    connection.send(raw.head)
    _ = connection.isReadable(within: .seconds(1))
    connection.send(raw.body)
    let reply = connection.reply(within: .seconds(5))
    if reply.status == 417 {
      let again = try run.exchange(plain)
      guard again.isSuccess else { throw run.fail("after 417, the request without Expect: \(again.text)") }
      run.note = "refused with 417"
    } else if !reply.isSuccess {
      throw run.fail("a request with Expect: 100-continue: \(reply.text)")
    }
    try run.expectOnce([record], of: phone.name, among: " of a request with Expect: 100-continue")
  }

  /// Extras that show how a body was decoded.
  private static let placeName = #"{"place":"Zürich 東京 🚗"}"#

  private static func chunked(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = run.record(phone, extras: placeName)
    var raw = RawRequest(try run.request(phone, [record]))
    raw.isChunked = true
    let reply = try run.exchange(raw)
    guard reply.isSuccess else {
      if case .timeout = reply { throw run.fail("a chunked body: \(reply.text)", harm: .repeat) }
      // A rejection before the end of the body may close the connection; the rest of the body then resets it.
      run.note = "refused: \(reply.text)"
      return
    }
    let look = try run.expectOnce([record], of: phone.name, among: " of a chunked body")
    if run.facts.shows("extras") { try run.expectSame(["extras"], of: record, in: look) }
  }

  private static func gzip(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = run.record(phone, extras: placeName)
    var raw = RawRequest(try run.request(phone, [record]))
    raw.pack()
    let reply = try run.exchange(raw)
    guard reply.isSuccess else {
      if run.target.dialect.promises.takesGzip { throw run.fail("a gzip body: \(reply.text)", harm: .block) }
      if case .timeout = reply { throw run.fail("a gzip body: \(reply.text)", harm: .repeat) }
      run.note = "refused: \(reply.text)"
      return
    }
    let look = try run.expectOnce([record], of: phone.name, among: " of a gzip body")
    if run.facts.shows("extras") { try run.expectSame(["extras"], of: record, in: look) }
  }

  private static func slow(_ run: ClauseRun) throws {
    let (phone, record, raw) = try plain(run)
    let connection = try run.connect()
    connection.send(raw.head)
    let pieces = 30
    var start = 0
    for number in 1...pieces {
      let end = raw.body.count * number / pieces
      connection.send(Array(raw.body[start..<end]))
      start = end
      if number < pieces, connection.isAnswered(within: .milliseconds(100)) { break }
    }
    let reply = connection.reply(within: ClauseRun.answerTime)
    (run.lastSent, run.hasNoCommandLine) = (nil, true)
    try run.expectTokenAlive(reply.status)
    guard reply.isSuccess else { throw run.fail("a body that takes three seconds: \(reply.text)") }
    try run.expectOnce([record], of: phone.name, among: " of a slow body")
  }

  private static func split(_ run: ClauseRun) throws {
    let phone = try run.phone()
    let record = run.record(phone, extras: #"{"place":"🚗 東京"}"#)
    let raw = RawRequest(try run.request(phone, [record]))
    let bytes = raw.bytes
    let name = bytes.span.firstIndex(of: "ontent-".utf8.span) ?? 20
    let letter = bytes.span.firstIndex(of: "🚗".utf8.span).map { $0 + 2 } ?? bytes.count - 10
    let connection = try run.connect()
    var start = 0
    for end in [name, raw.head.count + 5, letter, bytes.count] {
      connection.send(Array(bytes[start..<end]))
      start = end
      // Each piece arrives separately.
      if end < bytes.count, connection.isAnswered(within: .milliseconds(150)) { break }
    }
    let reply = connection.reply(within: ClauseRun.answerTime)
    (run.lastSent, run.hasNoCommandLine) = (nil, true)
    guard reply.isSuccess else { throw run.fail("a request in four pieces: \(reply.text)") }
    let look = try run.expectOnce([record], of: phone.name, among: " of a request in four pieces")
    if run.facts.shows("extras") { try run.expectSame(["extras"], of: record, in: look) }
  }

  private static func pipelined(_ run: ClauseRun, closes: Bool) throws {
    let phones = [try run.phone(), try run.phone()]
    let records = phones.map { run.fix($0) }
    let requests = try zip(phones, records).map { try run.request($0, [$1]) }
    var last = RawRequest(requests[1])
    if closes { last.setHeader(HeaderName.connection, "close") }
    let connection = try run.connect()
    connection.send(RawRequest(requests[0]).bytes + last.bytes)
    run.hasNoCommandLine = true
    let first = connection.reply(within: ClauseRun.answerTime)
    guard case .answer(let answer) = first, first.isSuccess else {
      throw run.fail("the first of two requests at once: \(first.text)", harm: .repeat)
    }
    try run.expectOnce([records[0]], of: phones[0].name, among: ", the first of two at once,")
    if !answer.keepsAlive {
      run.note = "the connection is closed after the first answer, as announced"
      return
    }
    let second = connection.reply(within: .seconds(5))
    switch second {
    case .answer: break
    case .closed, .reset:
      throw run.fail(
        "the first answer keeps the connection open, and the second request has no answer: \(second.text)",
        harm: .repeat)
    case .timeout, .notHTTP: throw run.fail("the second of two requests at once: \(second.text)", harm: .repeat)
    }
    if second.isSuccess { try run.expectOnce([records[1]], of: phones[1].name, among: ", the second of two at once,") }
    if closes, !connection.ends(within: .seconds(3)) {
      throw run.fail("three seconds after the second answer the connection is still open", harm: .drain)
    }
  }
}
