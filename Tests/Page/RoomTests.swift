import JSON
import Support
import Testing
import Threaded

/// What a person does in the control room.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class RoomTests: RoomPageStage {
  @Test func theRunIsShownWithItsPhones() throws {
    try withRoom { page, _ in
      try page.wait(until: "document.getElementById('phase').textContent === 'paused'")
      try page.wait(until: "/25 of|of 25/.test(document.querySelector('#figures').textContent)")
      // Phones come after the figures.
      try page.wait(
        until:
          "[...document.querySelectorAll('#legend li')].reduce((n, li) => n + (parseInt(li.lastElementChild.textContent) || 0), 0) === 25"
      )
      try page.press("n")
      try page.wait(until: "document.querySelector('.device-head h2').textContent !== ''")
      try page.wait(
        until:
          "document.querySelector('.facts').textContent.includes('lte') || document.querySelector('.facts dd').textContent !== '–'"
      )
      #expect(try page.text("location.hash").contains("phone="))
    }
  }

  /// Key, field, Enter: no pointer.
  @Test func anActIsDoneWithTheKeyboardAlone() throws {
    try withRoom { page, port in
      try page.wait(
        until:
          "document.querySelector('select[name=fleet]').options.length > 0 && !document.getElementById('acts').disabled"
      )
      try page.press("k")
      try page.wait(until: "document.querySelector('[data-act=killApps]').open")
      try page.press("Tab")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('act-said').dataset.state === 'good'")
      #expect(try page.text("document.getElementById('act-said').textContent").contains("took effect after"))
      #expect(try acts(port).last?["act"]?["killApps"]?["share"] == .double(0.1))
      try page.click("#tab-log")
      try page.wait(until: "document.querySelectorAll('.act-log li').length === 2")
    }
  }

  @Test func aNetworkIsDroppedInADrawnArea() throws {
    try withRoom { page, port in
      try page.press("d")
      try page.click("[data-act=dropNetwork] .row button")
      try page.wait(until: "!document.getElementById('drawing').hidden")
      let places = try page.evaluate(
        """
        (() => {
          const { left, top } = document.getElementById('map').getBoundingClientRect()
          return [[200, 160], [400, 160], [400, 310]].map(([across, down]) => [left + across, top + down])
        })()
        """)
      for place in places.elements { try page.click(place.elements[0], place.elements[1]) }
      // The fourth with the keyboard, in the middle of the map.
      try page.evaluate("document.getElementById('map').focus()")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('drawing-says').textContent === '4 corners'")
      try page.click("#drawing-done")
      try page.click("[data-act=dropNetwork] button[type=submit]")
      try page.wait(until: "document.getElementById('act-said').dataset.state === 'good'")
      let corners = try acts(port).last?["act"]?["dropNetwork"]?["place"]?.elements ?? []
      #expect(corners.count == 4)
    }
  }

  @Test func whatDestroysIsAskedForFirst() throws {
    try withRoom { page, port in
      try page.click("#abort")
      try page.wait(until: "document.getElementById('confirm').open")
      try page.click("#confirm button[value=no]")
      try page.wait(until: "!document.getElementById('confirm').open")
      #expect(try acts(port).count == 1)
      try page.click("#abort")
      try page.click("#confirm-yes")
      try page.wait(until: "document.getElementById('phase').textContent === 'ended'")
      #expect(
        try page.evaluate("document.getElementById('acts').disabled && document.getElementById('stop').disabled")
          == .bool(true))
    }
  }

  @Test func aRunThatHasEndedIsNoSilence() throws {
    let said = "document.getElementById('ended').textContent"
    try withRoom { page, port in
      _ = try Self.act(#"{"abort":{}}"#, port)
      try page.wait(until: "!document.getElementById('ended').hidden")
      #expect(try page.text(said).hasSuffix("What you see stays until Ctrl-C in its terminal."))
    }
    // The room goes with its run, and what became of it is told before.
    try withRoom(problemsExpected: nil, stays: false) { page, port in
      _ = try Self.act(#"{"abort":{}}"#, port)
      try page.wait(until: "document.getElementById('link').dataset.state === 'lost'")
      #expect(try page.text(said).contains("The run has ended: "))
      #expect(try page.text(said).hasSuffix("Its control room closes with it; this page keeps what it told last."))
      #expect(try page.evaluate("document.getElementById('lost').hidden") == .bool(true))
    }
  }

  /// What happened while the page was not looked at stands in its charts.
  @Test func theChartsAreFilledAfterAnAbsence() throws {
    try withRoom { page, port in
      try page.evaluate(
        """
        (async () => {
          const { Charts } = await import('/page/charts.js')
          const fill = Charts.prototype.fill
          Charts.prototype.fill = function (samples) { window.filled = samples; fill.call(this, samples) }
          dispatchEvent(new Event('pagehide'))
        })()
        """)
      _ = try Self.act(#"{"resume":{}}"#, port)
      let history = "GET /run/v1/history HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
      var samples: [JSONValue] = []
      while samples.count < 3 {
        samples = try ContractAnswer(to: Array(history.utf8), port: port).json()["samples"]?.elements ?? []
      }
      try page.evaluate("dispatchEvent(new Event('pageshow'))")
      try page.wait(until: "window.filled?.length >= 3")
      #expect(try page.evaluate("filled[0].at") == samples[0]["at"])
      #expect(try page.evaluate("filled.at(-1).uploads > 0") == .bool(true))
    }
  }

  @Test func theHeadTellsWhatRunsWhere() throws {
    try withRoom(words: ["--seed", "7"]) { page, _ in
      try page.wait(until: "!document.getElementById('origin').hidden")
      let text = try page.text("document.getElementById('origin').textContent")
      #expect(text.contains("rollingroad simulate city-25 --duration 400d") && text.hasSuffix("--seed 7"), "\(text)")
      #expect(text.contains("Linux") && text.hasPrefix("Rolling Road "), "\(text)")
    }
  }

  @Test func theSliderShowsAnInstantAndTheAddressKeepsIt() throws {
    try withRoom { page, port in
      _ = try Self.act(#"{"resume":{}}"#, port)
      try page.wait(until: "Number(document.getElementById('slider').max) > 3600")
      _ = try Self.act(#"{"pause":{}}"#, port)
      try page.press("n")
      try page.evaluate(
        "(() => { const slider = document.getElementById('slider'); slider.value = 1800; slider.dispatchEvent(new Event('input')) })()"
      )
      try page.wait(
        until: "document.getElementById('slider-says').textContent.startsWith('0:') && location.hash.includes('at=')")
      // Half an hour into the run the server knew each phone, and where it was then.
      try page.wait(until: "document.querySelector('.facts').textContent.includes('m behind')")
      try page.reload()
      try page.wait(until: "document.getElementById('slider-live')?.getAttribute('aria-pressed') === 'false'")
      // The thumb stands where the words say, and a key goes on from there.
      try page.wait(until: "document.getElementById('slider').value === '1800'")
      #expect(try page.text("document.getElementById('slider-says').textContent") == "0:30:00")
      try page.wait(until: "document.querySelector('.device-head h2').textContent !== ''")
      try page.click("#slider-live")
      try page.wait(until: "!location.hash.includes('at=')")
    }
  }

  /// Head and fleets are of the instant; what is of now all the same is told apart.
  @Test func anInstantHasFiguresOfItsOwn() throws {
    let figure = { (name: String) in
      "[...document.querySelectorAll('#figures div:not([hidden])')].find(node => node.firstChild.textContent === '\(name)')?.lastChild.textContent"
    }
    try withRoom { page, port in
      _ = try Self.act(#"{"resume":{}}"#, port)
      try page.wait(until: "Number(document.getElementById('slider').max) > 7200")
      _ = try Self.act(#"{"pause":{}}"#, port)
      try page.wait(until: "document.getElementById('phase').textContent === 'paused'")
      try page.evaluate(Self.slide(to: 0))
      try page.wait(until: "\(figure("uploads")) === '0' && \(figure("run time")) === '0:00:00'")
      try page.evaluate(Self.slide(to: 7_200))
      try page.wait(until: "\(figure("run time")) === '2:00:00'")
      #expect(try page.text(figure("records made")) != "0")
      let waiting =
        "[...document.querySelectorAll('#panel-fleets tbody td:nth-child(5)')].reduce((sum, { textContent }) => sum + Number(textContent), 0)"
      #expect(try page.evaluate("String(\(waiting)) === \(figure("waiting"))") == .bool(true))
      #expect(try page.evaluate("document.getElementById('charts').matches('.of-now')") == .bool(true))
      #expect(
        try page.text("document.getElementById('moment').textContent")
          == "This is the run at 2:00:00. Only charts, errors and acts are of now.")
      try page.click("#slider-live")
      try page.wait(until: "document.getElementById('moment').hidden && \(figure("uploads/s")) !== undefined")
      #expect(try page.evaluate("document.querySelector('.of-now') === null") == .bool(true))
    }
  }

  private static func slide(to seconds: Int) -> String {
    "(() => { const slider = document.getElementById('slider'); slider.value = \(seconds); slider.dispatchEvent(new Event('input')) })()"
  }

  /// A recording that is full keeps less of its beginning.
  @Test func anEarlierStateThanWasAskedForIsTold() throws {
    try withRoom { page, port in
      _ = try Self.act(#"{"resume":{}}"#, port)
      try page.wait(until: "Number(document.getElementById('slider').max) > 3600")
      _ = try Self.act(#"{"pause":{}}"#, port)
      try page.evaluate(
        """
        (() => {
          const ask = fetch
          window.fetch = async (...question) => {
            const answer = await ask(...question)
            if (!String(question[0]).includes('/at?')) return answer
            return new Response(JSON.stringify({ ...await answer.json(), isExact: false, atSeconds: 1200 }))
          }
        })()
        """)
      try page.evaluate(Self.slide(to: 1_800))
      try page.wait(
        until:
          "document.getElementById('moment').textContent.includes('around 0:30:00: this is 0:20:00, the nearest earlier state')"
      )
    }
  }

  /// The area of an act is drawn as long as the act lasts, at the instant that is shown.
  @Test func anAreaIsDrawnWhileItsNetworkIsDropped() throws {
    let areas = "document.getElementById('legend-areas')"
    try withRoom { page, port in
      let place = "[[40,-80],[50,-80],[50,20],[40,20]]"
      let answer = try Self.act(#"{"dropNetwork":{"for":"30m","place":\#(place)}}"#, port).json()
      let begin = Int(answer["atSeconds"]?.number ?? 0)
      try page.wait(until: "!\(areas).hidden && \(areas).textContent.endsWith('1')")
      _ = try Self.act(#"{"resume":{}}"#, port)
      try page.wait(until: "Number(document.getElementById('slider').max) > \(begin + 7_200)")
      _ = try Self.act(#"{"pause":{}}"#, port)
      try page.wait(until: "\(areas).hidden")
      try page.evaluate(Self.slide(to: begin + 900))
      try page.wait(until: "!\(areas).hidden")
      try page.evaluate(Self.slide(to: begin + 2_700))
      try page.wait(until: "\(areas).hidden")
    }
  }

  @Test func theTokenIsAskedFor() throws {
    try withRoom(words: ["--dashboard-token", "secret"], problemsExpected: 2, isOpen: false) { page, _ in
      try page.wait(until: "document.getElementById('ask-token').open")
      try page.type("wrong")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('ask-token-problem').textContent !== ''")
      try page.type("secret")
      try page.press("Enter")
      try page.wait(until: "document.getElementById('link').dataset.state === 'live'")
      #expect(try !page.text("document.getElementById('origin').textContent").contains("secret"))
    }
  }
}
