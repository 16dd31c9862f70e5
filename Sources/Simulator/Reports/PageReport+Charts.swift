import Base
import FleetSimulator

extension PageReport {
  /// The timeline with the marks of faults within the run's duration.
  private var timeline: Timeline {
    var timeline = summary.timeline
    timeline.marks = timeline.marks.filter { mark in
      // A settle phase that ended at once is not shown.
      mark.name == Timeline.settling ? span - mark.from >= .seconds(1) : mark.from < span || mark.from == mark.until
    }
    for index in timeline.marks.indices { timeline.marks[index].until = min(timeline.marks[index].until, span) }
    return timeline
  }
  private var span: Nanoseconds { max(summary.ended, .seconds(1)) }

  var charts: [String] {
    let charts = [
      latency,
      spread("Uploads by their duration", "From the request to the whole answer, or to the timeout.", \.uploadDuration),
      backlog,
      inFlight,
      throughput, bytes, errors, delivery,
      spread("Delivery latency", "From the creation of a record to its acknowledgement.", \.deliveryLatency),
      devices, connections, processor,
    ]
    return [Chart.overTime(charts, after: [faults], timeline: timeline, span: span)]
  }

  /// One row for each fault that was active.
  private var faults: String {
    guard !timeline.marks.isEmpty else { return "" }
    let rows = timeline.marks.prefix(40).map { mark in
      let start = 1_000 * min(mark.from.seconds / span.seconds, 1)
      let end = 1_000 * min(mark.until.seconds / span.seconds, 1)
      let bar =
        "<rect class=\"mark\" x=\"\(SVG.number(start))\" y=\"0\" width=\"\(SVG.number(max(end - start, 4)))\" height=\"10\"/>"
      return HTML.element("span", "", [HTML.text(mark.name)])
        + HTML.element("svg", "viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"", [bar])
        + HTML.element(
          "span", "class=\"soft\"", [HTML.text("\(ClockText.text(mark.from)) – \(ClockText.text(mark.until))")])
    }
    return HTML.element(
      "figure", "",
      [
        HTML.element(
          "figcaption", "",
          [
            HTML.element("h3", "", [HTML.text("Faults over time")]),
            HTML.element(
              "p", "",
              [
                HTML.text(
                  "The faults of the scenario, and the phase in which queues empty. The charts shade the same times.")
              ]),
          ]), HTML.element("div", "class=\"faults gap\"", rows),
      ]) + "<div class=\"gap\"></div>"
  }

  private func spread(_ title: String, _ note: String, _ path: KeyPath<Timeline.Interval, StepSpread>) -> String {
    var all = StepSpread.coarse
    for interval in timeline.intervals { all.add(interval[keyPath: path]) }
    return Bars(title: title, note: note, spread: all).html
  }

  private func percentiles(_ path: KeyPath<Timeline.Interval, StepSpread>) -> [Chart.Line] {
    [("p99", "b", 99.0), ("p95", "d", 95), ("p50", "a", 50)].map { name, colour, share in
      Chart.Line(name: name, colour: colour, values: timeline.intervals.map { $0[keyPath: path].percentile(share) })
    }
  }

  private func perSecond(_ path: KeyPath<Timeline.Interval, Int>) -> [Double?] {
    timeline.intervals.map { Double($0[keyPath: path]) / timeline.width.seconds }
  }

  private func chart(
    _ title: String, _ note: String, _ lines: [Chart.Line], _ scale: ChartScale.Kind = .linear,
    _ format: @escaping (Double) -> String
  ) -> String {
    let scale = ChartScale(scale, of: lines.flatMap(\.values).compactMap(\.self))
    let cut = scale.cut.map { " Cut off at the top: the highest value is \(format($0))." } ?? ""
    return Chart(
      title: title, note: note + cut, lines: lines, scale: scale, timeline: timeline, span: span, format: format
    ).html
  }

  private var latency: String {
    chart(
      "Upload duration", "From the request to the whole answer, or to the timeout; logarithmic scale.",
      percentiles(\.uploadDuration), .logarithmic
    ) { NumberText.span(milliseconds: $0) }
  }

  private var delivery: String {
    chart(
      "Delivery latency over time",
      "Time from the creation of a record to its acknowledgement, plotted at the acknowledgement.",
      percentiles(\.deliveryLatency), .logarithmic
    ) { NumberText.span(milliseconds: $0) }
  }

  private var backlog: String {
    chart(
      "Backlog", "Records waiting in the queues of all devices.",
      [Chart.Line(name: "records", colour: "a", values: timeline.intervals.map { Double($0.backlog) }, isFilled: true)],
      .linear, NumberText.figure)
  }

  private var throughput: String {
    chart(
      "Throughput", "Records and uploads per second.",
      [
        Chart.Line(name: "records created", colour: "c", values: perSecond(\.created)),
        Chart.Line(name: "records delivered", colour: "a", values: perSecond(\.delivered)),
        Chart.Line(name: "uploads", colour: "b", values: perSecond(\.uploads)),
      ], .linear, NumberText.figure)
  }

  private var errors: String {
    chart(
      "Uploads without a 2xx", "Refused, lost, timed out or cut off, per second.",
      [Chart.Line(name: "failed", colour: "b", values: perSecond(\.failed), isFilled: true)], .linear,
      NumberText.figure)
  }

  private var inFlight: String {
    chart(
      "Uploads in flight", "Sent and not yet answered, at the end of each interval.",
      [
        Chart.Line(name: "uploads", colour: "b", values: timeline.intervals.map { Double($0.inFlight) }, isFilled: true)
      ],
      .linear, NumberText.figure)
  }

  private var bytes: String {
    chart(
      "Bytes per second", "The bodies of uploads.",
      [Chart.Line(name: "bytes", colour: "c", values: perSecond(\.bytes), isFilled: true)], .linear
    ) { NumberText.bytes($0) + "/s" }
  }

  /// For a run against a real server.
  private var connections: String {
    guard case .gauge(let series)? = summary.figure("connections_open"), series.levels.count > 1 else { return "" }
    return chart(
      "Open connections", "To the server, at the end of each interval.",
      [Chart.Line(name: "connections", colour: "b", values: series.levels.map { Double($0) }, isFilled: true)], .linear,
      NumberText.figure)
  }

  /// For a run against a real server.
  private var processor: String {
    guard case .gauge(let series)? = summary.figure("generator_cpu"), series.levels.count > 1 else { return "" }
    return chart(
      "Processor time of the generator", "All threads of the simulator, as a share of one core.",
      [
        Chart.Line(
          name: "share", colour: "d", values: series.levels.map { Double($0) / series.resolution }, isFilled: true)
      ], .linear, NumberText.percent)
  }

  private var devices: String {
    chart(
      "Devices", "Devices with a running app, and devices in motion.",
      [
        Chart.Line(name: "running", colour: "a", values: timeline.intervals.map { Double($0.active) }),
        Chart.Line(name: "moving", colour: "c", values: timeline.intervals.map { Double($0.moving) }),
      ], .linear, NumberText.figure)
  }
}

/// A distribution as bars over a logarithmic time axis.
struct Bars {
  let title: String
  let note: String
  let spread: StepSpread

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
    let name = Chart.identifier(of: title)
    let labels = (0...8).map { eighth in
      let slot = slots.lowerBound + (slots.count - 1) * eighth / 8
      return HTML.element("span", eighth % 2 == 1 ? "class=\"minor\"" : "", [HTML.text(label(slot))])
    }
    return HTML.element(
      "figure", "class=\"chart\"",
      [
        Chart.enlarging(title),
        HTML.element(
          "figcaption", "id=\"\(name)\"",
          [HTML.element("h3", "", [HTML.text(title)]), HTML.element("p", "", [HTML.text(note)])]),
        HTML.element("p", "class=\"legend\"", []),
        HTML.element(
          "div", "class=\"plot\"",
          [
            SVG.levels([0, 0.5, 1].map { (share: $0, text: NumberText.figure(($0 * greatest).rounded())) }),
            HTML.element(
              "svg",
              "viewBox=\"0 0 \(Int(Bars.width)) \(Int(Bars.height))\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"\(name)\"",
              bars),
          ]),
        HTML.element("div", "class=\"x\" aria-hidden=\"true\"", labels),
      ])
  }

  private func label(_ slot: Int) -> String { NumberText.span(milliseconds: spread.middle(of: slot)) }
}
