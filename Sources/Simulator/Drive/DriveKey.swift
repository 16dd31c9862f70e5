import Base
import Contract
package import Database
import Engine
import Host
package import Vocabulary
import World

/// The actions of the person at the phone.
package enum DriveKey: String, CaseIterable, Sendable {
  case walk, cycle, drive, stop, tunnel
  case airplane, wifi, cellular
  case kill, launch, reboot, home, screen
  case track, pace, sync, geofence, battery
  case expand, clauses, help, quit

  /// The letter on the keyboard.
  package var letter: Character {
    switch self {
    case .walk: "w"
    case .cycle: "c"
    case .drive: "d"
    case .stop: "s"
    case .tunnel: "t"
    case .airplane: "a"
    case .wifi: "i"
    case .cellular: "m"
    case .kill: "k"
    case .launch: "l"
    case .reboot: "r"
    case .home: "h"
    case .screen: "z"
    case .track: "o"
    case .pace: "p"
    case .sync: "y"
    case .geofence: "g"
    case .battery: "b"
    case .expand: "e"
    case .clauses: "v"
    case .help: "?"
    case .quit: "q"
    }
  }

  /// A short description.
  package var help: String {
    switch self {
    case .walk: "walk along streets"
    case .cycle: "take the bicycle"
    case .drive: "drive a car through a town"
    case .stop: "stop here"
    case .tunnel: "enter a tunnel without GPS and network, or leave it"
    case .airplane: "airplane mode on or off"
    case .wifi: "a wireless network"
    case .cellular: "the mobile network"
    case .kill: "swipe the app away"
    case .launch: "open the app again"
    case .reboot: "restart the phone"
    case .home: "the app goes to the background, or comes back"
    case .screen: "the screen goes dark, or lights up"
    case .track: "stop or start tracking"
    case .pace: "changePace: say that the phone moves, or that it does not"
    case .sync: "upload now"
    case .geofence: "a geofence of 200 m around here"
    case .battery: "discharge the battery by 10 %; when empty, charge"
    case .expand: "show the last request and its answer in full"
    case .clauses: "list the rules kept and broken so far"
    case .help: "list the keys"
    case .quit: "quit, with a summary"
    }
  }

  package init?(letter: Character) {
    guard let key = DriveKey.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = key
  }

  /// Parses a letter or a word.
  init?(word: String) {
    if let letter = word.first, word.count == 1 { self.init(letter: letter) } else { self.init(rawValue: word) }
  }

  /// The table for the help of the command and of the terminal.
  package static var table: String {
    allCases.map { key in
      "  \(key.letter)  \(key.rawValue)\(String(repeating: " ", count: 10 - key.rawValue.count))\(key.help)"
    }.joined(separator: "\n")
  }
}

extension Drive {
  /// Performs an action. Actions that only display something, and the end, are left to the caller.
  package mutating func press(_ key: DriveKey, at now: Moment) throws(DatabaseError) {
    switch key {
    case .walk: setOff(by: .foot, "you walk", at: now)
    case .cycle: setOff(by: .bicycle, "you cycle", at: now)
    case .drive: setOff(by: DrivenWay.car, "you drive", at: now)
    case .stop: stop(at: now)
    case .tunnel: enterOrLeaveTunnel(at: now)
    case .airplane, .wifi, .cellular: changeRadio(key, at: now)
    case .kill: closeApp(at: now)
    case .launch: try openApp(at: now)
    case .reboot: reboot(at: now)
    case .screen: changeScreen(at: now)
    case .home, .track, .pace, .sync, .geofence: ask(key, at: now)
    case .battery: drain(at: now)
    case .expand, .clauses, .help, .quit: return
    }
    settle(at: now)
    try commit()
  }

  private mutating func setOff(by transport: Transport, _ note: String, at now: Moment) {
    body.advance(to: now.monotonic)
    let place = body.position(at: now.monotonic)
    ways += 1
    body = DrivenWay.body(by: transport, from: place, seed: settings.seed, number: ways, at: now.monotonic)
    self.transport = transport
    lines.append(.note(note))
  }

  private mutating func stop(at now: Moment) {
    body.advance(to: now.monotonic)
    body = DrivenWay.body(restingAt: body.position(at: now.monotonic), at: now.monotonic)
    transport = nil
    lines.append(.note("you stop"))
  }

  private mutating func enterOrLeaveTunnel(at now: Moment) {
    isInTunnel.toggle()
    lines.append(.note(isInTunnel ? "into the tunnel: no GPS, no network" : "out of the tunnel"))
    changeNetwork(at: now)
  }

  private mutating func changeRadio(_ key: DriveKey, at now: Moment) {
    switch key {
    case .airplane:
      isInAirplaneMode.toggle()
      lines.append(.note("airplane mode \(isInAirplaneMode ? "on" : "off")"))
    default:
      radio = key == .wifi ? .wifi : .cellular
      let isCovered = isInTunnel || isInAirplaneMode
      lines.append(
        .note("\(key == .wifi ? "Wi-Fi" : "the mobile network")\(isCovered ? ", as soon as there is one" : "")"))
    }
    changeNetwork(at: now)
  }

  private mutating func drain(at now: Moment) {
    let level = battery.level ?? 1
    battery =
      level < 0.15 ? Battery(level: 1, isCharging: true) : Battery(level: level - 0.1, isCharging: false)
    let percent = Int(((battery.level ?? 0) * 100).rounded())
    lines.append(.note("battery \(percent) %\(battery.isCharging ? ", charging" : "")"))
    if isRunning { give(.battery(battery), at: now) }
  }

  /// Changes the screen, whether the app runs or not.
  private mutating func changeScreen(at now: Moment) {
    isScreenOn.toggle()
    lines.append(.note(isScreenOn ? "the screen lights up" : "the screen goes dark"))
    if isRunning { give(.screen(isOn: isScreenOn), at: now) }
  }

  /// Performs an action that requires a running app.
  private mutating func ask(_ key: DriveKey, at now: Moment) {
    guard isOpen else { return lines.append(.note("the app is closed; l opens it")) }
    let state = host.engine.state
    switch key {
    case .home:
      isInBackground.toggle()
      lines.append(.note(isInBackground ? "the app goes to the background" : "the app comes to the foreground"))
      give(isInBackground ? .background : .foreground, at: now)
    case .track:
      lines.append(.note(state.isEnabled ? "stop()" : "start()"))
      give(.call(state.isEnabled ? .stop : .start), at: now)
    case .pace:
      lines.append(.note("changePace(\(!state.isMoving))"))
      give(.call(.changePace(isMoving: !state.isMoving)), at: now)
    case .sync:
      lines.append(.note("sync()"))
      host.sync(completion: 0, at: now)
      applyEffects(at: now)
    default: addFence(at: now)
    }
  }

  private mutating func addFence(at now: Moment) {
    geofences += 1
    let place = body.position(at: now.monotonic)
    let center = Geofence.Vertex(latitude: place.latitude, longitude: place.longitude)
    let fence = Geofence(identifier: "here-\(geofences)", shape: .circle(center: center, radiusMetres: 200))
    lines.append(.note("geofence here-\(geofences), 200 m around here"))
    give(.call(.addGeofences([fence])), at: now)
  }
}
