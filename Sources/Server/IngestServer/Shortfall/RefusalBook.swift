import Base
import Synchronization

/// A request of a device that stored nothing, as far as it is told from others.
struct Refusal: Hashable, Sendable {
  let run: String
  /// Empty where the request did not say.
  let device: String
  let status: Int
  /// The `code` of the answer; empty where there is none.
  let code: String
  /// The path where nothing is served; else empty.
  var path = ""
  /// The rule whose fault it met, and the kind of that; empty where none did.
  var rule = ""
  var fault = ""
}

/// The kinds of requests that stored nothing and the latest of each, so that a test which waits in vain is told why. Bounded:
/// the kinds that have not come for longest are forgotten.
final class RefusalBook: Sendable {
  static let kindsMax = 512

  struct Entry: Sendable {
    let refusal: Refusal
    var count = 0
    var lastAt: WallInstant
  }

  private let entries = Mutex<[Refusal: Entry]>([:])

  func note(_ refusal: Refusal, at instant: WallInstant) {
    entries.withLock { entries in
      if entries[refusal] == nil, entries.count == RefusalBook.kindsMax {
        let kept = entries.values.sorted { $0.lastAt > $1.lastAt }.prefix(RefusalBook.kindsMax / 2)
        entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.refusal, $0) })
      }
      var entry = entries[refusal] ?? Entry(refusal: refusal, lastAt: instant)
      entry.count += 1
      entry.lastAt = max(entry.lastAt, instant)
      entries[refusal] = entry
    }
  }

  /// Those that may be of the device, or of any of the run, the latest first. A path where nothing is served may have missed
  /// the run as well.
  func entries(run: String, device: String?) -> [Entry] {
    entries.withLock { entries in
      entries.values.filter { entry in
        let refusal = entry.refusal
        let isOfRun = refusal.run == run || !refusal.path.isEmpty
        return isOfRun && (device == nil || refusal.device.isEmpty || refusal.device == device)
      }
      .sorted { ($0.lastAt, $0.refusal.code, $0.refusal.path) > ($1.lastAt, $1.refusal.code, $1.refusal.path) }
    }
  }

  /// Forgets those of a run, or all.
  func clear(run: String?) {
    entries.withLock { entries in entries = entries.filter { run != nil && $0.key.run != run } }
  }
}

extension ServerFault.Kind {
  /// What was acknowledged is not stored, or not all of it.
  var keepsFromStore: Bool { self == .pretend || self == .prefix || self == .portal || self == .redirect }
}

extension ServerContext {
  /// Notes what an answer says of a request that stored nothing.
  func noteRefusal(_ exchange: Exchange, _ response: Response) {
    let isUpload = exchange.route.deviceOperation == .uploadLocations && exchange.unservedPath == nil
    guard isUpload || exchange.unservedPath != nil else { return }
    guard response.status >= 400 || exchange.fault?.fault.kind.keepsFromStore == true else { return }
    // Whatever a client sends, an entry is short.
    let longest = ServerContext.nameBytesMax
    var refusal = Refusal(
      run: String(exchange.run.prefix(longest)), device: String(exchange.device.prefix(longest)),
      status: response.status, code: response.code ?? "")
    refusal.path = String((exchange.unservedPath ?? "").prefix(longest))
    refusal.rule = exchange.fault?.rule ?? ""
    refusal.fault = exchange.fault?.fault.kind.rawValue ?? ""
    refusals.note(refusal, at: exchange.receivedAt)
  }
}
