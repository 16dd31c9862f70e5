import HTTP1
import Testing

private func head(_ text: String) throws -> RequestHead {
  var head = RequestHead()
  var parser = RequestParser()
  let bytes = Array(text.utf8)
  _ = try parser.next(bytes.span, into: &head)
  return head
}

/// Every combination of what can be said about one request, against the sentence of RFC 9112 §9.
@Test func theConnectionStaysOpenOnlyWhenBothSidesAgree() throws {
  for version in ["HTTP/1.0", "HTTP/1.1"] {
    for option in ["", "Connection: close\r\n", "Connection: keep-alive\r\n"] {
      for bodyComplete in [true, false] {
        for stopped in [true, false] {
          let head = try head("GET / \(version)\r\nHost: h\r\n\(option)\r\n")
          var rules = ConnectionRules()
          rules.requestBegan(head)
          if stopped { rules.stop() }
          let announcement = rules.announcement(for: head.version, bodyComplete: bodyComplete)
          let clientPersists = option.contains("keep-alive") || (option.isEmpty && version == "HTTP/1.1")
          let open = clientPersists && bodyComplete && !stopped
          #expect(announcement == (!open ? .close : version == "HTTP/1.0" ? .keepAlive : .nothing))
          #expect(rules.next == (open ? .readNextRequest : .closeAfterAnswer))
        }
      }
    }
  }
}

@Test func theLastRequestAllowedClosesTheConnection() throws {
  var limits = HTTPLimits()
  limits.requestsPerConnection = 3
  let head = try head("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
  var rules = ConnectionRules(limits: limits)
  for expected in [ConnectionRules.Announcement.nothing, .nothing, .close, .close] {
    rules.requestBegan(head)
    #expect(rules.announcement(for: head.version, bodyComplete: true) == expected)
  }
  #expect(rules.next == .closeAfterAnswer)
}

@Test func aRefusalIsTheLastAnswer() {
  var rules = ConnectionRules()
  rules.stop()
  #expect(rules.announcement(for: .http11, bodyComplete: true) == .close)
  #expect(rules.next == .closeAfterAnswer)
}
