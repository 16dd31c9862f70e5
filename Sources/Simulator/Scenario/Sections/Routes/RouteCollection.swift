/// Many recorded routes.
package struct RouteCollection: Equatable, Sendable {
  /// A pattern of file names.
  package var files = ""
  package var format = RouteFormat.polyline
  package var pick = RoutePick.shuffle

  package init() {}
}

extension RouteCollection: ScenarioSection {
  static let table = Table<RouteCollection>(
    "route-collection", "Many recorded routes; each trip takes one.",
    [
      .required("files", \.files, .text, "The files, with `*` for any letters; relative to the scenario."),
      .key("format", \.format, .choice, "How they are written."),
      .key("pick", \.pick, .choice, "Which one a trip takes."),
    ])
}
