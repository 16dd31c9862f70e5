import JSON
import Support
import Testing

/// Widths, names and contrast of the control room.
@Suite(.serialized, .enabled(if: Browser.isWanted, Browser.remedy))
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

  /// WCAG 2.2 §1.4.3: text has a contrast of 4.5 to what is behind it.
  @Test(arguments: [false, true])
  func textCanBeRead(isDark: Bool) throws {
    try withOpenForms(BrowserPage.Look(isDark: isDark)) { page in
      let faint = try page.text(Self.faint)
      #expect(faint == "")
    }
  }

  private static let faint = """
    (() => {
      const parts = color => color.match(/[0-9.]+/g).map(Number)
      const channel = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
      const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
      const behind = node => {
        for (let at = node; at; at = at.parentElement) {
          const color = parts(getComputedStyle(at).backgroundColor)
          if (color.length < 4 || color[3] === 1) return color
        }
        return [255, 255, 255]
      }
      const faint = []
      for (const node of document.querySelectorAll('body *')) {
        const says = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())
        const box = node.getBoundingClientRect()
        if (!says || box.width < 2 || box.height < 2 || node.closest('.hidden, :disabled, [hidden], .skip, dialog:not([open]), fieldset:disabled')) continue
        const [one, other] = [light(parts(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a)
        const contrast = (one + 0.05) / (other + 0.05)
        if (contrast < 4.5) faint.push(`${node.tagName}.${node.className} ${contrast.toFixed(2)} ${node.textContent.slice(0, 20)}`)
      }
      return faint.join(' | ')
    })()
    """
}
