/// Where devices move.
package enum Route: Equatable, Sendable {
  case collection(RouteCollection)
  case replay(RouteReplay)
  case city(GridCity)
  case walk(GaussMarkovWalk)
}

extension Form where Value == Route {
  static var route: Form {
    let generated = variants(
      tag: "model", standard: "grid-city",
      [
        Variant("grid-city") { .city($0) },
        Variant("gauss-markov") { .walk($0) },
      ])
    return variants(
      tag: "type",
      [
        Variant("collection") { .collection($0) },
        Variant("replay") { .replay($0) },
        Variant("generate", of: generated) { $0 },
      ])
  }
}
