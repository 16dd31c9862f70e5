import World

extension Movement {
  /// Nil when it goes on open ground or along given routes.
  var city: City? {
    switch self {
    case .plan(_, let city, _), .roam(_, let city, _), .errands(.city(let city, _), orders: _): city
    case .ride, .walk, .errands: nil
    }
  }
}
