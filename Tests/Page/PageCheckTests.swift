import JSON
import Testing
import Threaded

/// Waiting and verifying from the page.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageCheckTests: PageStage {
  private static let last = "document.querySelector('.check')"

  private func set(_ page: BrowserPage, _ fields: [(String, String)]) throws {
    for (name, text) in fields {
      try page.evaluate("document.querySelector('[name=check-\(name)]').value = '\(text)'")
    }
  }

  @Test func aWaitEndsWithTheRecordItWaitsFor() throws {
    try withPage(path: "/#tab=checks", before: { try $0.record(1, of: "van-1") }) { page, uploader in
      try page.wait(until: "document.getElementById('panels').disabled === false")
      try set(page, [("number", "2"), ("device", "van-1")])
      try page.click("#panel-checks button[type=submit]")
      try page.wait(until: "\(Self.last)?.dataset.state === 'waiting'")
      try uploader.record(2, of: "van-1")
      try page.wait(until: "\(Self.last).dataset.state === 'good'")
      #expect(try page.text("\(Self.last).textContent").contains("There are 2"))
    }
  }

  @Test func aWaitThatFailsSaysWhy() throws {
    try withPage(path: "/#tab=checks", problemsExpected: 1, before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.getElementById('panels').disabled === false")
      try set(page, [("number", "1"), ("device", "van-2"), ("timeout", "1ms")])
      try page.click("#panel-checks button[type=submit]")
      try page.wait(until: "\(Self.last)?.dataset.state === 'bad'")
      let text = try page.text("\(Self.last).textContent")
      #expect(text.contains("0 records, expected at least 1") && text.contains("did you mean van-1?"), "\(text)")
    }
  }

  @Test func aVerificationCountsWhatIsStored() throws {
    try withPage(path: "/#tab=checks", problemsExpected: 1, before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.wait(until: "document.getElementById('panels').disabled === false")
      try set(page, [("number", "1"), ("comparison", "exactly")])
      let verify =
        "[...document.querySelectorAll('#panel-checks button')].find(button => button.textContent === 'Verify now').click()"
      try page.evaluate(verify)
      try page.wait(until: "\(Self.last)?.dataset.state === 'good'")
      #expect(try page.text("\(Self.last).querySelector('p').textContent") == "There is 1.")
      try set(page, [("number", "3")])
      try page.evaluate(verify)
      try page.wait(until: "\(Self.last).dataset.state === 'bad'")
    }
  }

  @Test func theWaitAsCurlIsTheWaitOfTheForm() throws {
    try withPage(path: "/#tab=checks") { page, _ in
      try page.wait(until: "document.getElementById('panels').disabled === false")
      try set(page, [("number", "4"), ("device", "it is"), ("run", "x")])
      try page.evaluate(
        "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }; document.querySelector('[aria-label=\"Copy the wait as curl\"]').click()"
      )
      try page.wait(until: "window.copied !== undefined")
      let line = try page.text("copied")
      #expect(line.contains("-X POST 'http://127.0.0.1") && line.contains("/admin/v1/await'"), "\(line)")
      #expect(
        line.contains(#"-d '{"atLeast":4,"device":"it is","run":"x","since":"start","timeout":"30s"}'"#), "\(line)")
    }
  }
}
