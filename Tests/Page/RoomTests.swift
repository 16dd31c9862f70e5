import JSON
import Support
import Testing

/// What a person does in the control room.
@Suite(.serialized, .enabled(if: Browser.isWanted, Browser.remedy))
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
      try page.wait(until: "document.querySelector('.facts').textContent.includes('m away')")
      try page.reload()
      try page.wait(until: "document.getElementById('slider-live')?.getAttribute('aria-pressed') === 'false'")
      try page.wait(until: "document.querySelector('.device-head h2').textContent !== ''")
      try page.click("#slider-live")
      try page.wait(until: "!location.hash.includes('at=')")
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
    }
  }
}
