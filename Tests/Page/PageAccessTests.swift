import JSON
import Testing

/// Names, contrast and the keyboard.
@Suite(.serialized, .enabled(if: Browser.isWanted, Browser.remedy))
final class PageAccessTests: PageStage {
  /// The texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3).
  private static let weak = """
    (() => {
      const channels = text => text.match(/[\\d.]+/g).map(Number)
      const light = text => channels(text).slice(0, 3).map(value => value / 255)
        .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
      const behind = node => {
        const color = getComputedStyle(node).backgroundColor
        return channels(color)[3] === 0 ? behind(node.parentElement) : color
      }
      return [...document.querySelectorAll('.probe *')].filter(node => node.childElementCount === 0).map(node => {
        const [one, other] = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a)
        return [node.outerHTML, (one + 0.05) / (other + 0.05)]
      }).filter(([, ratio]) => ratio < 4.5).map(([html, ratio]) => `${html} ${ratio.toFixed(2)}`).join(' ')
    })()
    """

  @Test(arguments: [false, true])
  func everyPillCanBeRead(isDark: Bool) throws {
    var look = BrowserPage.Look()
    look.isDark = isDark
    try withPage(look) { page, _ in
      try page.evaluate(
        """
        (async () => {
          const [{ element }, { states }, { statusElement }] = await Promise.all(['dom', 'states', 'requests'].map(name => import(`/page/${name}.js`)))
          const orders = ['queued', 'sent', 'delivered', 'confirmed', 'expired']
          document.getElementById('panel-device').replaceChildren(element('div', { class: 'probe' },
            ...states.map(({ name }) => element('span', { class: 'state', 'data-state': name }, name)),
            ...[200, 302, 404, 503].map(statusElement),
            ...orders.map(name => element('span', { class: 'tag', 'data-order': name }, name)),
            element('span', { class: 'tag tag-fault' }, 'fault'), element('span', { class: 'badge' }, '1'),
            element('p', { class: 'quiet' }, 'quiet'), element('p', { class: 'problem' }, 'problem'),
            element('button', { class: 'asking' }, 'sure?'), element('button', { class: 'primary' }, 'go'), element('button', { class: 'link-button' }, 'link')))
        })()
        """)
      #expect(try page.text(Self.weak) == "")
    }
  }

  @Test func everythingThatCanBeUsedHasAName() throws {
    let before = { (uploader: Uploader) throws in
      try uploader.record(1, of: "van-1")
      #expect(try uploader.send("PUT", "/admin/v1/faults", PageFaultTests.rule(at: "van-1")).status == 200)
    }
    try withPage(path: "/#dock=log", before: before) { page, _ in
      try chooseFirst(page)
      for tab in ["runs", "faults", "checks", "tokens", "quarantine", "device"] { try page.click("#tab-\(tab)") }
      try page.wait(
        until: "document.querySelector('#log-rows .request') !== null && document.querySelector('.card') !== null")
      let nameless = try page.text(
        """
        [...document.querySelectorAll('button, input, select, textarea, canvas:not([aria-hidden]), [role=listbox], [role=tablist]')]
          .filter(node => !node.hidden && !(node.getAttribute('aria-label') || node.textContent.trim() && node.localName === 'button' || node.labels?.length > 0))
          .map(node => node.outerHTML).join(' ')
        """)
      #expect(nameless == "")
      let described = try page.text("document.getElementById('map').getAttribute('aria-describedby')")
      #expect(described.contains("map-summary"))
      try page.wait(until: "document.getElementById('map-summary').textContent.startsWith('1 devices: 1 ')")
    }
  }

  @Test func theNewTabsTakeArrowKeys() throws {
    try withPage(before: { try $0.record(1, of: "van-1") }) { page, _ in
      try page.evaluate("document.getElementById('dock-charts').focus()")
      try page.press("ArrowRight")
      #expect(try page.text("document.activeElement.id + document.body.dataset.dock") == "dock-loglog")
      try page.wait(until: "document.querySelector('#log-rows .request') !== null")
      try page.evaluate("document.querySelector('#log-rows .request summary').focus()")
      try page.press("Enter")
      try page.wait(until: "document.querySelector('#log-rows .request[open]') !== null")
    }
  }
}
