import JSON
import Support
import Testing
import Threaded

/// Rules of faults as they are changed.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageRuleTests: PageStage {
  private let two = { (uploader: Uploader) throws in
    let rules =
      #"{"faults":[{"id":"a","fault":{"kind":"delay","from":"1ms","to":"9ms"},"match":{"device":"x","count":1}},{"id":"b","fault":{"kind":"status","headers":{"Retry-After":"9"}}}]}"#
    #expect(try uploader.send("PUT", "/admin/v1/faults", rules).status == 200)
  }
  private static let order =
    "[...document.querySelectorAll('#panel-faults .card')].map(card => card.dataset.rule).join()"

  private func rules(_ uploader: Uploader) throws -> [JSONValue] {
    try JSONValue(parsing: uploader.send("GET", "/admin/v1/faults").body.utf8.span)["faults"]?.elements ?? []
  }

  private func fill(_ page: BrowserPage, _ fields: [(String, String)]) throws {
    for (name, text) in fields {
      try page.evaluate("document.querySelector('#panel-faults [name=\(name)]').value = '\(text)'")
    }
  }

  @Test func everyConditionCanBeSaid() throws {
    try withPage(path: "/#tab=faults") { page, uploader in
      try page.wait(until: "document.getElementById('panels').disabled === false")
      try fill(
        page,
        [
          ("id", "mine"), ("device", "van-1"), ("tag", "vans"), ("operation", "uploadLocations"), ("share", "12.5"),
          ("count", "3"), ("skip", "2"), ("seed", "7"), ("match-from", "2026-07-28T18:00:00"),
          ("match-to", "2026-07-28T19:00:00"),
        ])
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('#panel-faults .card')?.dataset.rule === 'mine'")
      let rule = try #require(try rules(uploader).first)
      let match: [(String, JSONValue)] = [
        ("device", "van-1"), ("tag", "vans"), ("operation", "uploadLocations"), ("share", .double(0.125)),
        ("count", .integer(3)), ("skip", .integer(2)),
      ]
      for (name, value) in match { #expect(rule["match"]?[name] == value, "\(name)") }
      #expect(rule["seed"] == .integer(7) && rule["match"]?["from"] != nil && rule["match"]?["to"] != nil)
    }
  }

  @Test func aRuleIsChangedAndTheOtherKeepsItsCounts() throws {
    try withPage(path: "/#tab=faults", before: two) { page, uploader in
      #expect(try uploader.record(1, of: "x").status == 200)
      try page.click(".card[data-rule=b] .card-acts button:nth-of-type(2)")
      try page.wait(until: "document.querySelector('#panel-faults h3').textContent === 'Change b'")
      try fill(page, [("setting-status", "503"), ("share", "50")])
      try page.click("#panel-faults button[type=submit]")
      try page.wait(until: "document.querySelector('.card[data-rule=b]').textContent.includes('status 503')")
      let rules = try rules(uploader)
      #expect(rules[0]["hits"] == .integer(1), "its one time is over and does not begin anew")
      #expect(rules[1]["fault"]?["headers"]?["Retry-After"] == "9" && rules[1]["match"]?["share"] == .double(0.5))
      // A delay that is drawn keeps both of its times.
      try page.click(".card[data-rule=a] .card-acts button:nth-of-type(2)")
      try page.wait(until: "document.querySelector('[name=setting-from]')?.value === '1ms'")
      #expect(try page.text("document.querySelector('[name=setting-to]').value") == "9ms")
    }
  }

  @Test func aRuleIsDisabledMovedAndAllOfItUndone() throws {
    try withPage(path: "/#tab=faults", before: two) { page, uploader in
      try page.wait(until: "\(Self.order) === 'a,b'")
      try page.click(".card[data-rule=b] .card-acts button")
      try page.wait(until: "document.querySelector('.card[data-rule=b]').dataset.enabled === 'false'")
      #expect(try uploader.record(1, of: "y").status == 200)
      // The live stream may tell it before the answer, after which the focus is put back.
      try page.wait(until: "document.activeElement.closest('.card')?.dataset.rule === 'b'")
      try page.click(".card[data-rule=b] [title='Move up']")
      try page.wait(until: "\(Self.order) === 'b,a'")
      try page.click(".card[data-rule=a] button")
      try page.wait(until: "\(Self.order) === 'b'")
      let undo =
        "[...document.querySelectorAll('#panel-faults button')].find(button => button.textContent.startsWith('Undo'))"
      for (said, order) in [("removal of a", "b,a"), ("move of b", "a,b"), ("disabling of b", "a,b")] {
        try page.wait(until: "\(undo).textContent === 'Undo the \(said)'")
        try page.evaluate("\(undo).click()")
        try page.wait(until: "\(Self.order) === '\(order)'")
      }
      try page.wait(until: "document.querySelector('.card[data-rule=b]').dataset.enabled === 'true'")
      #expect(try uploader.record(2, of: "y").status == 500)
    }
  }
}
