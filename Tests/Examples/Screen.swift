import BackgroundGeolocation

/// What an app shows. Its listeners change it where they stand: they run on the main actor, on which they were added.
@MainActor final class Screen {
  private(set) var speed = 0.0
  private(set) var lines: [String] = []
  private var subscriptions: Set<EventSubscription> = []
  private var watch: Int?
  private let bgGeo: BGGeo

  init(_ bgGeo: BGGeo) {
    self.bgGeo = bgGeo
    bgGeo.onLocation { [weak self] location in self?.speed = location.coords?.speed ?? 0 }.store(in: &subscriptions)
    bgGeo.onMotionChange { location in self.lines.append(location.isMoving ? "sets off" : "rests") }
      .store(in: &subscriptions)
  }

  func appear() {
    watch = bgGeo.watchPosition(
      interval: 1_000, extras: ["screen": 1],
      success: { location in self.lines.append(location.timestampString) },
      failure: { error in self.lines.append("\(error)") })
  }

  func disappear() {
    if let watch { bgGeo.stopWatchPosition(watch) }
    watch = nil
    subscriptions.removeAll()
  }
}

/// The same for an actor of the app.
actor Diary {
  private(set) var pages: [String] = []
  private var subscription: EventSubscription?

  func begin(_ bgGeo: BGGeo) {
    subscription = bgGeo.onMotionChange { location in self.pages.append(location.timestampString) }
  }

  func end() { subscription?.remove() }
}
