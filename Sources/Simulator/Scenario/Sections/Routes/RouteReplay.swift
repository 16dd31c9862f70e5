/// One recorded route.
package struct RouteReplay: Equatable, Sendable {
  package var file = ""
  package var format: RouteFormat?
  package var timing = ReplayTiming.recorded
  package var speed = 1.0
  package var loop = ReplayLoop.none

  package init() {}
}

extension RouteReplay: ScenarioSection {
  static let table = Table<RouteReplay>(
    "route-replay", "One recorded route, for every device.",
    [
      .required("file", \.file, .text, "The file; relative to the scenario."),
      .optional("format", \.format, .choice, "How it is written, when its name does not say."),
      .key("timing", \.timing, .choice, "As fast as recorded, or as fast as the motion says."),
      .key("speed", \.speed, .number(0.01...100), "Faster or slower than recorded."),
      .key("loop", \.loop, .choice, "What follows the end."),
    ])
}
