import JSON
import Support
import Testing
import Threaded

/// Widths, names and contrast of the control room.
@Suite(.serialized, .waits, .enabled(if: Browser.isWanted, Browser.remedy))
final class RoomLookTests: RoomPageStage {
  private func withOpenForms(_ look: BrowserPage.Look, _ body: (BrowserPage) throws -> Void) throws {
    try withRoom(look) { page, _ in
      try page.wait(until: "document.getElementById('phase').textContent === 'paused'")
      try page.evaluate("document.querySelectorAll('details').forEach(node => { node.name = ''; node.open = true })")
      try body(page)
    }
  }

  @Test(arguments: [390, 820, 1_440, 1_920])
  func nothingIsCutOff(width: Int64) throws {
    let look = BrowserPage.Look(width: width, height: width < 500 ? 844 : 900, isPhone: width < 500)
    try withOpenForms(look) { page in
      for view in ["map", "fleet", "charts", "side"] {
        try page.evaluate("document.body.dataset.view = '\(view)'")
        #expect(try page.evaluate("document.documentElement.scrollWidth <= innerWidth") == .bool(true), "\(view)")
      }
    }
  }

  @Test func everythingThatCanBeUsedHasAName() throws {
    try withOpenForms(BrowserPage.Look()) { page in
      let nameless = try page.text(
        """
        [...document.querySelectorAll('button, input, select, a, canvas[tabindex], [role=tab], [role=region]')]
          .filter(node => !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length || node.getAttribute('aria-labelledby')))
          .map(node => node.outerHTML).join()
        """)
      #expect(nameless == "")
    }
  }

  /// Of now, at an instant, and after the run is lost.
  @Test(arguments: [false, true])
  func textCanBeRead(isDark: Bool) throws {
    try withRoom(BrowserPage.Look(isDark: isDark)) { page, port in
      try page.wait(until: "document.getElementById('phase').textContent === 'paused'")
      try page.evaluate("document.querySelectorAll('details').forEach(node => { node.name = ''; node.open = true })")
      for tab in ["errors", "fleets", "log", "phone"] {
        try page.click("#tab-\(tab)")
        #expect(try page.text(Contrast.faint) == "", "\(tab)")
      }
      _ = try Self.act(#"{"resume":{}}"#, port)
      try page.wait(until: "Number(document.getElementById('slider').max) > 3600")
      _ = try Self.act(#"{"pause":{}}"#, port)
      try page.press(",")
      try page.wait(until: "document.querySelector('.of-now') !== null")
      for tab in ["errors", "fleets", "log", "phone"] {
        try page.click("#tab-\(tab)")
        #expect(try page.text(Contrast.faint) == "", "\(tab) at an instant")
      }
    }
  }

  /// On a phone too nothing that a load tester looks for is beside the screen.
  @Test func aPhoneShowsEveryFigure() throws {
    try withRoom(.phone) { page, _ in
      try page.wait(until: "document.getElementById('phase').textContent === 'paused'")
      let beside = try page.text(
        """
        [...document.querySelectorAll('.figures div:not([hidden])')].filter(node => {
          const { left, right, width } = node.getBoundingClientRect()
          return width === 0 || left < 0 || right > innerWidth
        }).map(node => node.textContent).join(' ')
        """)
      #expect(beside == "")
      #expect(try page.text("document.getElementById('figures').textContent").contains("errors"))
    }
  }
}
