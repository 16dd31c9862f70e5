import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// What becomes of fences that are not watched (SDK §15.4, §15.7): every shape, mode and restart, from either side of the
/// fence to either side, whatever the fence wants to be told of.
@Suite struct GeofenceRestartTests {
  enum Restart: CaseIterable {
    case kill, terminate, reboot, stop
  }

  struct Case: Sendable {
    let platform: DevicePlatform
    let restart: Restart
    let mode: TrackingMode
    let isPolygon: Bool
  }

  static let cases: [Case] = DevicePlatform.allCases.flatMap { platform in
    Restart.allCases.flatMap { restart in
      TrackingMode.allCases.flatMap { mode in
        [false, true].map { Case(platform: platform, restart: restart, mode: mode, isPolygon: $0) }
      }
    }
  }

  /// A circle of 200 metres, or a square in a circle of 285.
  private static func fence(_ isPolygon: Bool, _ change: (inout Geofence) -> Void = { _ in }) -> Geofence {
    let (dy, dx) = (200 / 111_147.0, 200 / 78_100.0)
    let corners = [(-dy, -dx), (-dy, dx), (dy, dx), (dy, -dx)]
    var fence = Geofence(
      identifier: "home",
      shape: isPolygon
        ? .polygon(corners.map { Geofence.Vertex(latitude: 45.5 + $0.0, longitude: -116.3 + $0.1) })
        : .circle(center: Geofence.Vertex(latitude: 45.5, longitude: -116.3), radiusMetres: 200))
    change(&fence)
    return fence
  }

  /// A device with what it keeps.
  private struct Phone {
    let platform: DevicePlatform
    var rig: EngineRig
    var kept: [String: Geofence] = [:]
    var told: [String] = []

    init(_ platform: DevicePlatform, _ fence: Geofence, _ mode: TrackingMode, north metres: Double) {
      self.platform = platform
      rig = EngineRig(platform, configure: Phone.configure)
      rig.send(.ready(Launch()))
      rig.send(.call(.addGeofences([fence])))
      rig.send(.call(mode == .location ? .start : .startGeofences))
      rig.sample(north: metres)
      look()
    }

    private static func configure(_ configuration: inout Configuration) {
      configuration.app.stopOnTerminate = false
      configuration.app.startOnBoot = true
    }

    mutating func look() {
      for effect in rig.take() {
        switch effect {
        case .saveGeofence(let fence): kept[fence.identifier] = fence
        case .event(.geofence(let record, _)): told.append(record.geofence?.action.rawValue ?? "")
        default: break
        }
      }
    }

    /// Down, or stopped, for so many seconds.
    mutating func restart(_ restart: Restart, secondsDown: Double) {
      let mode = rig.engine.state.trackingMode
      if restart == .stop {
        rig.send(.call(.stop))
        rig.wait(secondsDown)
        rig.send(.call(mode == .location ? .start : .startGeofences))
        look()
        return
      }
      if restart == .terminate { rig.send(.terminate) }
      look()
      rig = EngineRig(
        platform, state: rig.engine.state, geofences: Array(kept.values),
        at: rig.now.wall.advanced(byMilliseconds: Int64(secondsDown * 1_000)), configure: Phone.configure)
      rig.send(.ready(Launch(isInBackground: restart != .kill, didReboot: restart == .reboot)))
      look()
    }
  }

  @Test(arguments: cases)
  func everyCrossingBetweenIsTold(of: Case) {
    for flags in 0..<4 {
      let fence = Self.fence(of.isPolygon) { ($0.notifyOnEntry, $0.notifyOnExit) = (flags & 1 != 0, flags & 2 != 0) }
      // 250 metres north is in the circle of the square and not in the square, 295 metres on the rim of the circle.
      for (before, after) in [
        (0.0, 0.0), (0, 1_000), (1_000, 0), (1_000, 1_000), (0, 250), (250, 0), (0, 295), (0, 9_000),
      ] {
        var phone = Phone(of.platform, fence, of.mode, north: before)
        let (wasInside, isInside) = (before < 200, after < 200)
        var expected = wasInside && fence.notifyOnEntry ? ["ENTER"] : []
        #expect(phone.told == expected, "\(of) \(flags) \(before)")
        phone.restart(of.restart, secondsDown: 600)
        phone.rig.sample(north: after)
        phone.rig.wait(1)
        phone.rig.sample(north: after)
        phone.look()
        if wasInside && !isInside && fence.notifyOnExit { expected.append("EXIT") }
        if !wasInside && isInside && fence.notifyOnEntry { expected.append("ENTER") }
        let status = phone.rig.engine.geofence("home")?.status
        #expect(phone.told == expected, "\(of) \(flags) from \(before) to \(after)")
        #expect(status?.isInside == isInside && status?.hits == expected.count, "\(of) \(flags) \(before) \(after)")
        #expect(phone.kept["home"]?.status == status, "kept as it is")
      }
    }
  }

  @Test(arguments: cases)
  func aDwellComesAtItsTimeWhateverHappensMeanwhile(of: Case) {
    let fence = Self.fence(of.isPolygon) { ($0.notifyOnDwell, $0.loiteringDelayMilliseconds) = (true, 300_000) }
    for (secondsDown, isThere) in [(100.0, true), (400, true), (100, false)] {
      var phone = Phone(of.platform, fence, of.mode, north: 0)
      phone.rig.wait(50)
      phone.restart(of.restart, secondsDown: secondsDown)
      #expect(phone.told == ["ENTER"])
      phone.rig.sample(north: isThere ? 10 : 2_000)
      phone.look()
      #expect(phone.told == ["ENTER"] + (isThere ? secondsDown > 250 ? ["DWELL"] : [] : ["EXIT"]), "\(of)")
      phone.rig.wait(149)
      phone.look()
      #expect(phone.told.count == (secondsDown > 250 || !isThere ? 2 : 1), "\(of) \(secondsDown)")
      // The position of the record may take half a minute.
      phone.rig.wait(40)
      phone.look()
      #expect(phone.told == ["ENTER", isThere ? "DWELL" : "EXIT"], "\(of) \(secondsDown)")
    }
  }

  /// No position comes, and no exit is told: the visit goes on (SDK §15.3.4, §15.4).
  @Test(arguments: cases.filter { !$0.isPolygon && $0.restart != .stop }, [true, false])
  func aDwellGoesOnWhereNoPositionSaysThatItIsOver(of: Case, isThere: Bool) {
    let fence = Self.fence(false) { ($0.notifyOnDwell, $0.loiteringDelayMilliseconds) = (true, 300_000) }
    for secondsDown in [100.0, 400] {
      var phone = Phone(of.platform, fence, of.mode, north: 0)
      phone.restart(of.restart, secondsDown: secondsDown)
      phone.rig.wait(10)
      if !isThere { phone.rig.send(.geofenceCrossing(identifier: "home", isEntry: false, nil)) }
      phone.rig.wait(1_000)
      let isDwelling = phone.rig.engine.requests.contains { $0.label.contains("DWELL") }
      #expect(isDwelling == isThere, "\(of) \(secondsDown)")
      phone.rig.sample(north: isThere ? 10 : 2_000)
      phone.look()
      #expect(phone.told == ["ENTER", isThere ? "DWELL" : "EXIT"], "\(of) \(secondsDown)")
    }
  }

  /// A process that ends while the position of a crossing is looked for has not told of it.
  @Test(arguments: DevicePlatform.allCases)
  func aCrossingWhoseRecordWasNotMadeIsFoundAgain(platform: DevicePlatform) {
    var phone = Phone(platform, Self.fence(false), .location, north: 1_000)
    phone.rig.wait(60)
    phone.rig.send(.geofenceCrossing(identifier: "home", isEntry: true, nil))
    phone.look()
    #expect(phone.told.isEmpty && phone.rig.engine.geofence("home")?.status.isInside == true)
    phone.restart(.kill, secondsDown: 60)
    phone.rig.sample(north: 0)
    phone.look()
    #expect(phone.told == ["ENTER"])
    phone.restart(.kill, secondsDown: 60)
    phone.rig.sample(north: 0)
    phone.look()
    #expect(phone.told == ["ENTER"], "once")
  }
}
