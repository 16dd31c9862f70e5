import Base
import DeviceLog
import Engine
import Gzip
import Host
import Vocabulary

/// What the app wants of its phone, and what the phone keeps for it.
struct SimulatedPhone {
  private(set) var updates: LocationUpdates?
  private(set) var isSampling = false
  private(set) var wantsActivities = false
  private(set) var region: Circle?
  var regionIsNew = false
  /// What else is wanted, until the device has heeded it.
  var orders: [SensorDemand] = []
  /// Whether the watchers hear of what is logged.
  var isLogged = false
  /// For a server that asks for it; nil in runs in which none can.
  var recentLog: RecentLog?

  /// What the system watches on when the process is gone.
  init(watching region: Circle? = nil) { self.region = region }

  /// For the next process of the app.
  func launching(isLogged: Bool) -> SimulatedPhone {
    var phone = SimulatedPhone(watching: region)
    (phone.recentLog, phone.isLogged) = (recentLog, isLogged)
    return phone
  }

  mutating func heed(_ demand: SensorDemand) {
    switch demand {
    case .locationUpdates(let updates): self.updates = updates
    case .sampling(let accuracy): isSampling = accuracy != nil
    case .stationaryRegion(let region):
      self.region = region
      regionIsNew = true
    case .activityUpdates(let isOn): wantsActivities = isOn
    case .proximityRegion, .geofences, .significantChanges, .backgroundFetch: orders.append(demand)
    }
  }

  var compressedLog: [UInt8] {
    let none = "this phone keeps no log: the run has no server that can ask for it\n"
    return GzipFile.pack(recentLog?.content ?? Array(none.utf8))
  }
}

extension SimulatedDevice {
  mutating func give(_ input: EngineInput, at now: Moment, in site: Site) {
    host.receive(input, at: now)
    heed(at: now, in: site)
  }

  /// After each call of the host: does what it leaves to its phone. What the app says and sends waits for `settle` and
  /// `post`.
  mutating func heed(at now: Moment, in site: Site) {
    var effects = host.takeEffects()
    while !effects.isEmpty {
      for effect in effects {
        switch effect {
        case .demand(let demand): phone.heed(demand)
        case .send(let request): site.requests.append(request)
        case .deliver: site.said.append(effect)
        case .log(let entry, let wall):
          if phone.isLogged { site.said.append(effect) }
          phone.recentLog?.append(entry, at: wall)
        case .destroyLog: phone.recentLog?.removeAll()
        case .uploadLog(let url): host.uploadLog(to: url, gzip: phone.compressedLog, completion: nil, at: now)
        case .backgroundTask: break
        }
      }
      site.scratch.giveBack(effects)
      effects = host.takeEffects()
    }
  }
}
