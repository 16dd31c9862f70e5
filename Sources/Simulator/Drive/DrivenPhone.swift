import Base
import Contract
import DeviceLog
import Engine
import Formats
import Gzip
import Host
import Upload
import Vocabulary
import World

/// The phone without its app: its sensors and the demands on them outlive the app.
struct DrivenPhone {
  var sensors = PhoneSensors()
  var outbox: [OutgoingRequest] = []
  var lines: [DriveLine] = []
  /// The log for a server that requests it: as much as is shown.
  let recentLog: RecentLog
  private let text: LogText
  private var scratch: [UInt8] = []

  private static let entriesKept = 20_000

  init(_ platform: DevicePlatform) {
    text = LogText(platform: platform)
    recentLog = RecentLog(capacity: DrivenPhone.entriesKept, platform: platform)
  }

  var compressedLog: [UInt8] { GzipFile.pack(recentLog.content) }

  /// Performs an effect of the host, which performs `uploadLog` itself, with `compressedLog`.
  mutating func perform(_ effect: HostEffect, at now: Moment) {
    switch effect {
    case .demand(let demand): sensors.apply(demand, at: now.monotonic)
    case .send(let request): outbox.append(request)
    case .deliver(let event): deliver(event)
    case .log(let entry, let wall): log(entry, at: wall)
    case .destroyLog:
      recentLog.removeAll()
      lines.append(.note("the device has destroyed its log"))
    case .uploadLog, .backgroundTask: break
    }
  }

  private mutating func log(_ entry: LogEntry, at wall: WallInstant) {
    recentLog.append(entry, at: wall)
    scratch.removeAll(keepingCapacity: true)
    text.append(entry, at: wall, to: &scratch)
    lines += String(decoding: scratch, as: UTF8.self).split(whereSeparator: \.isNewline).map { .log(String($0)) }
  }

  private mutating func deliver(_ event: HostEvent) {
    switch event {
    case .authorization(let event):
      lines.append(.note(event.isSuccess ? "new tokens" : "no new tokens: \(event.error ?? "status \(event.status)")"))
    case .synced(_, let result):
      switch result {
      case .success(let rows): lines.append(.note("sync: \(rows.count.of("record")) uploaded"))
      case .failure(let error): lines.append(.note("sync: \(error)"))
      }
    case .engine(.geofence(let record, let fence)):
      let action = record.geofence.map { $0.action.rawValue } ?? ""
      lines.append(.note("geofence \(fence.identifier): \(action)"))
    case .engine(.motionChange(let record)): lines.append(.note(record.isMoving ? "moving" : "stationary"))
    case .discarded(let uuids, let reason): lines.append(.note("\(uuids.count.of("record")) \(reason.rawValue)"))
    case .commanded(let command): lines.append(.note("executed \(command.name.rawValue)"))
    case .engine, .http, .position, .logUploaded, .configured: break
    }
  }
}

/// The path of a trip without a destination: along streets that begin at the door and turn at random, block by block.
enum DrivenWay {
  private static let blocks = 400
  private static let concern: UInt64 = 1 << 40

  /// Returns a body on a trip; `number` counts the trips of a device.
  static func body(
    by transport: Transport, from place: Coordinate, seed: UInt64, number: UInt64, at instant: MonotonicInstant
  ) -> Body {
    var stream = RandomStream(seed: seed, device: 0, concern: concern, n: number << 16)
    var bearing = Double(stream.index(below: 4)) * 90 + 10
    var places = [place]
    for _ in 0..<blocks {
      places.append(
        places[places.count - 1].destination(bearingDegrees: bearing, distanceMetres: 80 + 160 * stream.uniform()))
      // No U-turn.
      if stream.chance(0.4) { bearing += stream.chance(0.5) ? 90 : 270 }
      bearing = bearing.truncatingRemainder(dividingBy: 360)
    }
    let route = TimedRoute(modelled: RouteRecording(places: places), transport: transport, speedLimit: townLimit)
    return body(along: route, .pingPong, seed: seed, number: number, at: instant)
  }

  /// Returns a body at rest.
  static func body(restingAt place: Coordinate, at instant: MonotonicInstant) -> Body {
    let route = TimedRoute(modelled: RouteRecording(places: [place]), transport: .foot)
    return body(along: route, .once, seed: 0, number: 0, at: instant)
  }

  private static func body(
    along route: TimedRoute, _ repetition: RouteRepetition, seed: UInt64, number: UInt64, at instant: MonotonicInstant
  ) -> Body {
    Body(
      along: RouteSet([route], pick: .sequence), repetition: repetition, seed: seed, device: number, index: 0,
      start: instant)
  }

  /// 50 km/h.
  private static let townLimit = 13.9
  /// The speed is reduced by red lights and traffic.
  static let car = Transport(
    mover: .car, stops: Transport.Stops(perKilometre: 1, duration: .exponential(mean: 12)), activity: .inVehicle)
}
