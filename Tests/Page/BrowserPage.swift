import Base
import JSON
import Support

/// One page of a browser, as a user sees and touches it.
final class BrowserPage {
  struct Look {
    var width: Int64 = 1_280
    var height: Int64 = 800
    var isDark = false
    var isPhone = false

    static let phone = Look(width: 390, height: 844, isPhone: true)
  }

  private let browser: Browser
  private let session: String
  private let url: String
  private let eventsBefore: Int

  /// The tab of the browser is used again: a new one has a process of its own, which takes a second of processor time.
  init(_ browser: Browser, _ url: String, _ look: Look = Look()) throws {
    self.browser = browser
    self.url = url
    session = try browser.tab()
    eventsBefore = browser.events.count
    try call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .integer(look.width), "height": .integer(look.height), "deviceScaleFactor": .integer(1),
        "mobile": .bool(look.isPhone),
      ])
    let scheme: JSONObject = ["name": "prefers-color-scheme", "value": .string(look.isDark ? "dark" : "light")]
    try call("Emulation.setEmulatedMedia", ["features": .array([.object(scheme)])])
    try call("Page.navigate", ["url": .string(url)])
  }

  /// Gives the page back, and leaves nothing behind for the next one; what it complained about until then stands in `problems`.
  func end() throws {
    try call("Input.dispatchMouseEvent", ["type": "mouseMoved", "x": .integer(0), "y": .integer(0)])
    try call("Page.navigate", ["url": "about:blank"])
    // A file has no origin of its own, and reports store nothing.
    if url.hasPrefix("http") {
      let origin = url.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
      try call("Storage.clearDataForOrigin", ["origin": .string(origin), "storageTypes": "all"])
    }
    try call("Network.clearBrowserCache")
  }

  @discardableResult
  private func call(_ method: String, _ parameters: JSONObject = [:]) throws -> JSONValue {
    try browser.call(method, parameters, session: session)
  }

  /// Errors of scripts, of the console and of what was loaded, and what the policy has blocked.
  func problems() throws -> [String] {
    let violations = try evaluate("violations").elements.map { $0.string ?? "" }
    return violations
      + browser.events[eventsBefore...].filter { $0["sessionId"]?.string == session }.compactMap { event in
        let details = event["params"]
        switch event["method"]?.string {
        case "Runtime.exceptionThrown": return details?["exceptionDetails"]?.text
        case "Runtime.consoleAPICalled" where details?["type"] == "error": return details?["args"]?.text
        case "Log.entryAdded" where details?["entry"]?["level"] == "error":
          return details?["entry"]?["text"]?.string
        default: return nil
        }
      }
  }

  @discardableResult
  func evaluate(_ script: String) throws -> JSONValue {
    let answer = try call(
      "Runtime.evaluate", ["expression": .string(script), "awaitPromise": .bool(true), "returnByValue": .bool(true)])
    if let details = answer["exceptionDetails"] {
      throw Browser.Failure(description: "\(script): \(details["exception"]?["description"]?.string ?? details.text)")
    }
    return answer["result"]?["value"] ?? .null
  }

  func text(_ script: String) throws -> String { try evaluate(script).string ?? "" }

  /// Until the expression is true. A look at every frame would have the browser make frames.
  func wait(until condition: String) throws {
    try evaluate(
      """
      new Promise((resolve, reject) => {
        const end = performance.now() + 120000
        const look = () => {
          let holds = false
          try { holds = \(condition) } catch {}
          if (holds) resolve(true)
          else if (performance.now() > end) reject(new Error(\(JSONValue.string("never: \(condition)").text)))
          else setTimeout(look, 10)
        }
        look()
      })
      """)
  }

  /// With the mouse, in the middle of the element, after it is there and stands still.
  func click(_ selector: String) throws {
    let found = "document.querySelector(\(JSONValue.string(selector).text))"
    try wait(until: "\(found).getBoundingClientRect().width > 0")
    // What comes from the server pushes things about: the place counts when it was the same for some frames.
    let place = try evaluate(
      """
      new Promise(resolve => {
        let [last, still] = ['', 0]
        const look = () => {
          const node = \(found)
          node.scrollIntoView({ block: 'center', behavior: 'instant' })
          const box = node.getBoundingClientRect()
          const place = [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]
          still = last === String(place) ? still + 1 : 0
          last = String(place)
          if (still > 6) resolve(place)
          else requestAnimationFrame(look)
        }
        look()
      })
      """)
    try click(place.elements[0], place.elements[1])
  }

  func click(_ left: JSONValue, _ top: JSONValue) throws {
    for type in ["mousePressed", "mouseReleased"] {
      try call(
        "Input.dispatchMouseEvent",
        ["type": .string(type), "x": left, "y": top, "button": "left", "clickCount": .integer(1)])
    }
  }

  /// With the mouse, over an element, between shares of its width.
  func drag(_ selector: String, from start: Double, to end: Double) throws {
    try mouse("mousePressed", selector, start)
    try mouse("mouseMoved", selector, (start + end) / 2)
    try mouse("mouseMoved", selector, end)
    try mouse("mouseReleased", selector, end)
  }

  /// The mouse above an element, at a share of its width, without a button.
  func point(at selector: String, _ share: Double) throws { try mouse("mouseMoved", selector, share, button: "none") }

  private func mouse(_ type: String, _ selector: String, _ share: Double, button: String = "left") throws {
    let place = try evaluate(
      """
      (() => {
        const node = document.querySelector(\(JSONValue.string(selector).text))
        node.scrollIntoView({ block: 'center', behavior: 'instant' })
        const { left, top, width, height } = node.getBoundingClientRect()
        return [left + \(share) * width, top + height / 2]
      })()
      """
    ).elements
    try call(
      "Input.dispatchMouseEvent",
      [
        "type": .string(type), "x": place[0], "y": place[1], "button": .string(button), "clickCount": .integer(1),
        "buttons": .integer(button == "left" ? 1 : 0),
      ])
  }

  /// Into what has the focus.
  func type(_ text: String) throws { try call("Input.insertText", ["text": .string(text)]) }

  /// Until the new page is there: a question that comes in between has no answer.
  func reload() throws {
    let clock = SystemClock()
    let end = clock.monotonicNow + .seconds(20)
    try evaluate("window.isOld = true; location.reload()")
    while true {
      do {
        if try evaluate("window.isOld !== true && document.readyState === 'complete'") == .bool(true) { return }
      } catch let failure as Browser.Failure {
        guard clock.monotonicNow < end else { throw failure }
      }
    }
  }

  func press(_ key: String) throws {
    for type in ["keyDown", "keyUp"] {
      var event: JSONObject = ["type": .string(type), "key": .string(key), "code": .string(key)]
      if key == "Enter" { event["text"] = "\r" }
      // Without it the focus stays where it is.
      if key == "Tab" { event["windowsVirtualKeyCode"] = .integer(9) }
      try call("Input.dispatchKeyEvent", event)
    }
  }
}

/// Messages of the protocol are full of words.
extension JSONValue: ExpressibleByStringLiteral {
  /// A text.
  public init(stringLiteral text: String) { self = .string(text) }
}
