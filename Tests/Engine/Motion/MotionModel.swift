import Contract

/// What SDK §12 says, once more and independently of the engine: whole seconds, plain flags, no effects.
struct MotionModel: Equatable {
  /// What may happen to a device, as few things as can reach every state.
  enum Step: CaseIterable {
    case still, unsureStill, vehicle, unsureVehicle, sampleHere, sampleAway, fastSample, regionExit, fixAway
    case paceMoving, paceStill, wait11, wait60, start, stop
  }

  let platform: DevicePlatform
  var isEnabled = false
  var isMoving = false
  /// The position of the last change of pace is still looked for.
  var isSettling = false
  var isQuerying = false
  /// Metres north; nil when the device does not rest anywhere.
  var place: Int?
  /// The last position, and how many seconds ago it was.
  var last: (metres: Int, isFast: Bool, age: Int)?
  /// Android: where it seemed to stop.
  var stopPlace: Int?
  var trigger: Int?
  var stopTimer: Int?
  var isLocating = false
  var queryLeft: Int?
  var settleLeft: Int?
  var triesLeft = 0
  var activity: (name: String, confidence: Int) = ("unknown", 0)

  static func == (left: MotionModel, right: MotionModel) -> Bool { left.summary == right.summary }

  /// What an observer can compare with the engine.
  var summary: MotionSummary {
    MotionSummary(
      isEnabled: isEnabled, isMoving: isMoving, isSettling: isSettling, isQuerying: isQuerying,
      hasPlace: place != nil, hasTrigger: trigger != nil, isStopping: stopTimer != nil, isLocating: isLocating)
  }

  /// Each step comes a second after the one before.
  mutating func take(_ step: Step) {
    pass(1)
    switch step {
    case .still: become("still", 100)
    case .unsureStill: become("still", 33)
    case .vehicle: become("in_vehicle", 100)
    case .unsureVehicle: become("in_vehicle", 33)
    case .sampleHere: sample(0, isFast: false)
    case .sampleAway: sample(500, isFast: false)
    case .fastSample: sample(0, isFast: true)
    case .fixAway: stream(1_000)
    case .regionExit: if isEnabled && !isMoving { pace(true) }
    case .paceMoving: ask(true)
    case .paceStill: ask(false)
    case .wait11: pass(11)
    case .wait60: pass(60)
    case .start:
      if !isEnabled {
        isEnabled = true
        pace(false)
      }
    case .stop: if isEnabled { end() }
    }
  }

  /// `changePace`: a device that has the pace keeps it, and forgets what spoke for the other one.
  private mutating func ask(_ moving: Bool) {
    guard isEnabled else { return }
    let isLost = !isMoving && place == nil && !isSettling
    if moving != isMoving || isLost { return pace(moving) }
    if moving { (stopTimer, stopPlace) = (nil, nil) } else { trigger = nil }
  }

  private mutating func end() {
    let last = last
    self = MotionModel(platform: platform)
    self.last = last
  }

  /// A position of the last five seconds is good enough at once.
  private mutating func pace(_ moving: Bool) {
    isMoving = moving
    (isSettling, settleLeft, triesLeft) = (true, 60, 3)
    (isQuerying, queryLeft) = (false, nil)
    (place, trigger, stopTimer, stopPlace) = (nil, nil, nil, nil)
    if let last, last.age <= 5 { settle(last.metres) }
  }

  private mutating func become(_ name: String, _ confidence: Int) {
    // What is said again is no change, and yet a device that is still begins to stop (SDK §12.6.6).
    guard activity != (name, confidence) || (isEnabled && isMoving && name == "still") else { return }
    activity = (name, confidence)
    guard isEnabled else { return }
    let isSure = confidence >= 75
    let isVehicle = name == "in_vehicle"
    if isMoving {
      if isVehicle && isSure { (stopTimer, stopPlace) = (nil, nil) }
      if !isVehicle && isSure && stopTimer == nil && !isSettling {
        stopTimer = 60
        if platform == .android { stopPlace = last?.metres }
      }
    } else {
      if isVehicle && isSure { armTrigger() }
      if !isVehicle { trigger = nil }
    }
  }

  private mutating func armTrigger() {
    if trigger == nil && !isQuerying { trigger = 11 }
  }

  /// One position may answer both questions.
  private mutating func sample(_ metres: Int, isFast: Bool) {
    let (wasSettling, wasQuerying) = (isSettling, isQuerying)
    last = (metres, isFast, 0)
    (isQuerying, queryLeft) = (false, nil)
    if wasSettling { settle(metres) }
    if wasQuerying {
      judge(metres, isFast: isFast)
    } else if !wasSettling && isEnabled && !isMoving {
      notice(metres)
    }
  }

  private mutating func stream(_ metres: Int) {
    guard isEnabled else { return }
    last = (metres, false, 0)
    if isMoving, let stopPlace, abs(stopPlace - metres) > 150 {
      let isStill = activity == ("still", 100) && !isSettling
      (stopTimer, self.stopPlace) = isStill ? (60, metres) : (nil, nil)
    }
    if !isMoving && !isSettling && !isQuerying { notice(metres) }
  }

  private mutating func notice(_ metres: Int) {
    guard let place else { return pace(false) }
    if abs(place - metres) > 150 { pace(true) }
  }

  private mutating func settle(_ metres: Int) {
    (isSettling, settleLeft, isLocating) = (false, nil, isMoving)
    if !isMoving { place = metres }
  }

  private mutating func judge(_ metres: Int, isFast: Bool) {
    let isSure = activity.name == "in_vehicle" && activity.confidence >= 100
    guard let place else { return pace(false) }
    if abs(place - metres) > 150 || (isFast && isSure) {
      pace(true)
    } else if isSure {
      armTrigger()
    }
  }

  private mutating func query() {
    if let last, last.age <= 3 {
      judge(last.metres, isFast: last.isFast)
    } else {
      (isQuerying, queryLeft) = (true, 30)
    }
  }

  /// A second after the other, so that timers that others begin run for what is left.
  private mutating func pass(_ seconds: Int) {
    var left = seconds
    while left > 0 {
      left -= 1
      last?.age += 1
      if let seconds = trigger { trigger = seconds - 1 }
      if let seconds = stopTimer { stopTimer = seconds - 1 }
      if let seconds = queryLeft { queryLeft = seconds - 1 }
      if let seconds = settleLeft { settleLeft = seconds - 1 }
      if stopTimer == 0 { pace(false) }
      if trigger == 0 {
        trigger = nil
        platform == .android ? pace(true) : query()
      }
      if queryLeft == 0 { (isQuerying, queryLeft) = (false, nil) }
      if settleLeft == 0 { retry() }
    }
  }

  private mutating func retry() {
    if triesLeft > 0 {
      (triesLeft, settleLeft) = (triesLeft - 1, 60)
    } else {
      (isSettling, settleLeft, isLocating) = (false, nil, isMoving)
    }
  }
}

/// What an observer sees of the motion machine.
struct MotionSummary: Equatable {
  let isEnabled, isMoving, isSettling, isQuerying, hasPlace, hasTrigger, isStopping, isLocating: Bool
}
