import Base
import Contract
import JSON
import Support
import Testing
import Vocabulary

@testable import Upload

/// Long histories by seeds, with everything that may happen in between: what must never happen does not.
@Suite struct LongRunTests {
  @Test(arguments: 0..<60)
  func theInvariantsHold(seed: UInt64) {
    var run = Run(seed: seed)
    for step in 0..<400 {
      let action = run.step()
      let broken = run.brokenInvariants()
      #expect(broken.isEmpty, "seed \(seed), step \(step), \(action): \(broken)")
      if !broken.isEmpty { return }
    }
    #expect(run.device.sent.count > 10, "seed \(seed)")
  }

  private struct Run {
    var device: TestDevice
    var generator: SeededGenerator
    /// Requests of the flush whose answers may still come.
    private var awaited: [UInt64] = []
    private var abandoned: [UInt64] = []
    private var pausedCommands = false
    private var idsBefore: [Int64] = []
    private var mayDelete = false

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      var random = generator
      device = TestDevice(seed % 2 == 0 ? .ios : .android) {
        $0.http.batchSync = random.chance(0.5)
        $0.http.maxBatchSize = random.index(below: 5) - 1
        $0.http.autoSyncThreshold = random.index(below: 4)
        $0.http.disableAutoSyncOnCellular = random.chance(0.2)
        $0.authorization.accessToken = "t"
        if random.chance(0.7) { $0.authorization.refreshUrl = "http://server.example/refresh" }
        $0.logger.logLevel = random.chance(0.5) ? .verbose : .off
      }
    }

    mutating func step() -> String {
      idsBefore = device.queue.ids
      mayDelete = false
      device.queue.failsToDelete = generator.chance(0.05)
      device.queue.failsToLock = generator.chance(0.05)
      device.advance(seconds: Double(generator.index(below: 5)))
      if let deadline = device.uploader.nextDeadline, deadline <= device.now.monotonic {
        give(.timersDue)
        return "watchdog"
      }
      switch generator.index(below: 12) {
      case 0...3:
        device.fill(1)
        give(.trigger(.insert))
        return "record"
      case 4:
        give(.trigger(FlushTrigger.allCases[generator.index(below: FlushTrigger.allCases.count)]))
        return "trigger"
      case 5:
        mayDelete = device.uploader.configuration.http.url.isEmpty && !device.uploader.isBusy
        give(.sync(completion: 1))
        return "sync"
      case 6: return configure()
      case 7: return damageQueue()
      case 8:
        let late = abandoned.isEmpty ? 0 : abandoned[generator.index(below: abandoned.count)]
        give(.answered(request: late, .answered(status: 200, reason: "", body: [])))
        return "late answer"
      default: return answer()
      }
    }

    private mutating func answer() -> String {
      if pausedCommands {
        give(.proceed)
        return "proceed"
      }
      guard let request = awaited.last else { return "nothing to answer" }
      let bodies = [
        "", #"{"access_token":"n","expires_in":30}"#, #"{"background_geolocation":[["stop"]]}"#,
        #"{"background_geolocation":[null],"token":"x","expires":-1}"#, "<html>",
      ]
      let statuses = [200, 200, 200, 201, 204, 301, 400, 401, 401, 403, 410, 500, 503]
      let status = statuses[generator.index(below: statuses.count)]
      mayDelete = 200..<300 ~= status
      let outcome: RequestOutcome =
        generator.chance(0.1)
        ? .failed(TransportFailure.allCases[generator.index(below: TransportFailure.allCases.count)], message: "")
        : .answered(
          status: status, reason: "", body: Array(bodies[generator.index(below: bodies.count)].utf8))
      give(.answered(request: request, outcome))
      return "\(outcome)"
    }

    private mutating func configure() -> String {
      var configuration = device.uploader.configuration
      switch generator.index(below: 6) {
      case 0: configuration.http.url = generator.chance(0.1) ? "" : "http://server.example/"
      case 1: configuration.http.autoSync = generator.chance(0.8)
      case 2: configuration.authorization.accessToken = "t\(generator.index(below: 3))"
      case 3: configuration.http.rootProperty = generator.chance(0.5) ? "." : "root"
      case 4: configuration.http.params = .object(["a": .integer(1)])
      default: configuration.authorization.expires = Double(generator.index(below: 100)) - 10
      }
      give(.configuration(configuration))
      let networks: [Connectivity] = [.none, .cellular, .wifi, .wifi]
      give(.connectivity(networks[generator.index(below: networks.count)]))
      return "configuration"
    }

    private mutating func damageQueue() -> String {
      mayDelete = true
      if generator.chance(0.8) { return "\(device.queue.evict(keeping: generator.index(below: 10)).count) evicted" }
      return "\(device.queue.clear().count) destroyed"
    }

    private mutating func give(_ input: UploadInput) {
      device.giveOnce(input)
      if case .answered(let request, _) = input { awaited.removeAll { $0 == request } }
      if case .proceed = input { pausedCommands = false }
      for effect in device.effects {
        if case .send(let request) = effect { awaited.append(request.id) }
        if effect == .proceed { pausedCommands = true }
      }
      if !device.uploader.isBusy {
        abandoned += awaited
        awaited = []
        pausedCommands = false
      }
    }

    func brokenInvariants() -> [String] {
      var broken = device.queue.mistakes
      if awaited.count > 1 { broken.append("\(awaited.count) requests in flight") }
      if !awaited.isEmpty && pausedCommands { broken.append("a request before the commands") }
      if device.uploader.isBusy != (!awaited.isEmpty || pausedCommands) { broken.append("busy with nothing") }
      if !device.uploader.isBusy && !device.queue.lockedIDs.isEmpty { broken.append("rows stay locked") }
      if !mayDelete && !idsBefore.allSatisfy(device.queue.ids.contains) { broken.append("rows deleted") }
      if awaited.isEmpty != (device.uploader.nextDeadline == nil) { broken.append("a request without watchdog") }
      return broken
    }
  }
}
