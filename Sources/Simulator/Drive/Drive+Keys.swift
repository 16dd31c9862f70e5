import Base
import Contract
package import Database
import Engine
import Host
package import Vocabulary
import World

extension Drive {
  /// What is only shown, and the end, are the caller's.
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
    if isRunning { host.receive(.battery(battery), at: now) }
  }

  /// Of the phone, whether the app runs or not.
  private mutating func changeScreen(at now: Moment) {
    isScreenOn.toggle()
    lines.append(.note(isScreenOn ? "the screen lights up" : "the screen goes dark"))
    if isRunning { host.receive(.screen(isOn: isScreenOn), at: now) }
  }

  /// What only an app that runs can do.
  private mutating func ask(_ key: DriveKey, at now: Moment) {
    guard isOpen else { return lines.append(.note("the app is closed; l opens it")) }
    let state = host.engine.state
    switch key {
    case .home:
      isInBackground.toggle()
      lines.append(.note(isInBackground ? "the app goes to the background" : "the app comes to the foreground"))
      host.receive(isInBackground ? .background : .foreground, at: now)
    case .track:
      lines.append(.note(state.isEnabled ? "stop()" : "start()"))
      host.receive(.call(state.isEnabled ? .stop : .start), at: now)
    case .pace:
      lines.append(.note("changePace(\(!state.isMoving))"))
      host.receive(.call(.changePace(isMoving: !state.isMoving)), at: now)
    case .sync:
      lines.append(.note("sync()"))
      host.sync(completion: 0, at: now)
    default: addFence(at: now)
    }
  }

  private mutating func addFence(at now: Moment) {
    geofences += 1
    let place = body.position(at: now.monotonic)
    let center = Geofence.Vertex(latitude: place.latitude, longitude: place.longitude)
    let fence = Geofence(identifier: "here-\(geofences)", shape: .circle(center: center, radiusMetres: 200))
    lines.append(.note("geofence here-\(geofences), 200 m around here"))
    host.receive(.call(.addGeofences([fence])), at: now)
  }
}
