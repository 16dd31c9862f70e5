import JSON
import Support
import Testing

/// The control room in a real browser over a real run.
class RoomPageStage {
  private let browser: LentBrowser

  init() throws { browser = try LentBrowser() }

  /// A run in virtual time that stands still, the room of it before its user, and at the end nothing that the browser
  /// complained about; nil where that is not known, as of a room that goes away.
  func withRoom(
    _ look: BrowserPage.Look = BrowserPage.Look(), path: String = "", words: [String] = [], problemsExpected: Int? = 0,
    stays: Bool = true, isOpen: Bool = true, _ body: (BrowserPage, UInt16) throws -> Void
  ) throws {
    let child = try SpokenChild(
      [
        BuiltProgram.path(of: "rollingroad"), "simulate", "city-25", "--duration", "400d", "--quiet", "--dashboard",
        "127.0.0.1:0",
      ] + (stays ? ["--dashboard-wait"] : []) + words)
    defer {
      child.process.signal(9)
      _ = child.finish()
    }
    let url = try child.line(beginningWith: "control room ")
    let port = try #require(UInt16(url.dropLast().split(separator: ":").last ?? ""))
    if isOpen { #expect(try RoomPageStage.act(#"{"pause":{}}"#, port).status == 200) }
    try browser.withPage(url + path, look) { page in
      if isOpen { try page.wait(until: "document.getElementById('link').dataset.state === 'live'") }
      try body(page, port)
      guard let problemsExpected else { return }
      let problems = try page.problems()
      #expect(problems.count == problemsExpected, "\(problems)")
    }
  }

  static func act(_ body: String, _ port: UInt16) throws -> ContractAnswer {
    let head =
      "POST /run/v1/acts HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    return try ContractAnswer(to: Array((head + body).utf8), port: port)
  }

  func acts(_ port: UInt16) throws -> [JSONValue] {
    let request = "GET /run/v1/acts HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    return try ContractAnswer(to: Array(request.utf8), port: port).json()["acts"]?.elements ?? []
  }
}
