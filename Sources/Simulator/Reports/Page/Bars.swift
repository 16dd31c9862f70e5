import Base
import FleetSimulator

/// How values spread, as bars over a logarithmic axis of time.
struct Bars {
  let title: String
  let note: String
  let spread: CoarseSpread

  private static let (width, height) = (720.0, 160.0)

  var html: String {
    guard let first = spread.counts.firstIndex(where: { $0 > 0 }), let last = spread.counts.lastIndex(where: { $0 > 0 })
    else { return "" }
    let slots = max(first - 2, 0)...(last + 2)
    let greatest = Double(spread.counts.max() ?? 1)
    let total = Double(spread.counts.reduce(0, +))
    let step = Bars.width / Double(slots.count)
    var bars: [String] = []
    for (place, slot) in slots.enumerated() where slot < spread.counts.count && spread.counts[slot] > 0 {
      let count = spread.counts[slot]
      let height = max(Bars.height * Double(count) / greatest, 1)
      let tip = "\(label(slot)): \(NumberText.count(count)) (\(NumberText.percent(Double(count) / total)))"
      bars.append(
        HTML.element(
          "rect",
          "class=\"bar\" x=\"\(SVG.number(Double(place) * step))\" y=\"\(SVG.number(Bars.height - height))\" width=\"\(SVG.number(step * 0.86))\" height=\"\(SVG.number(height))\"",
          [HTML.element("title", "", [HTML.text(tip)])]))
    }
    let labels = (0...4).map { quarter in
      let slot = slots.lowerBound + (slots.count - 1) * quarter / 4
      return HTML.element("span", "", [HTML.text(label(slot))])
    }
    return HTML.element(
      "figure", "class=\"chart\"",
      [
        HTML.element(
          "figcaption", "id=\"chart-spread\"",
          [HTML.element("h3", "", [HTML.text(title)]), HTML.element("p", "", [HTML.text(note)])]),
        HTML.element("p", "class=\"legend\"", []),
        HTML.element(
          "div", "class=\"plot\"",
          [
            SVG.levels([0, 0.5, 1].map { (share: $0, text: NumberText.figure(($0 * greatest).rounded())) }),
            HTML.element(
              "svg",
              "viewBox=\"0 0 \(Int(Bars.width)) \(Int(Bars.height))\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"chart-spread\"",
              bars),
          ]),
        HTML.element("div", "class=\"x\" aria-hidden=\"true\"", labels),
      ])
  }

  private func label(_ slot: Int) -> String { NumberText.span(milliseconds: CoarseSpread.middle(of: slot)) }
}
