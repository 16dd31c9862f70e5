import Base
import Support
import Synchronization

@testable import BackendStore
@testable import Conformance

/// What the backend makes of the connection over which a request comes, and of those beside it.
extension ScriptedBackend {
  func leaves(_ request: BareServer.Request) -> Bool {
    guard [.closesIdle, .closesIdleOnce, .closesIdleAsStated].contains(defect),
      String(decoding: request.body, as: UTF8.self).contains("idle-then-upload-"),
      !idle.withLock({ $0.insert(request.connection).inserted })
    else { return false }
    return defect != .closesIdleOnce || !hasFailed.exchange(true, ordering: .relaxed)
  }

  /// The last answer of a connection, which does not say so.
  func lastAnswer(to request: BareServer.Request, _ taken: BareServer.Answer) -> BareServer.Answer? {
    guard defect == .closesBehindFifty else { return nil }
    let count = answers.withLock { answers in
      answers[request.connection, default: 0] += 1
      return answers[request.connection]
    }
    guard count == 50, case .keep(let bytes) = taken else { return nil }
    return .close(bytes)
  }

  /// The first answer to a device.
  func firstAnswer(to device: String) -> BareServer.Answer? {
    guard defect == .configuresNewPhones,
      latest.withLock({ $0.updateValue((0, SystemClock().wallNow), forKey: device) == nil })
    else { return nil }
    return answer(200, #"{"background_geolocation":[["setConfig",{"geolocation":{"distanceFilter":60}}]]}"#)
  }

  /// Whatever is asked for, because of its form.
  func oddAnswer(to request: BareServer.Request) -> BareServer.Answer? {
    let method = request.lines[0].prefix { $0 != " " }
    switch defect {
    case .acknowledgesLongHeads where !request.values(of: "X-Long").isEmpty: return success
    case .answersHEADWithABody where method == "HEAD": return answer(200, "{}")
    case .leavesBodiesUnread where method == "POST" && StoredValue(request.body) == nil:
      // The rest of the body is taken for a request.
      return .text(String(repeating: "HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n", count: 2))
    case .hasNoUpstream where method == "POST": return answer(502, "<html>")
    case .acknowledgesCodedUnread
    where !request.values(of: "transfer-encoding").isEmpty || !request.values(of: "content-encoding").isEmpty:
      return success
    case .isSilentBehindFirst where method == "POST":
      return idle.withLock { $0.insert(request.connection).inserted } ? nil : .silence
    default: return nil
    }
  }

  /// An upload of the device came over another connection just now.
  func isBusy(with device: String, _ connection: Int) -> Bool {
    let now = SystemClock().wallNow
    return latest.withLock { latest in
      let before = latest[device]
      latest[device] = (connection, now)
      return before.map { $0.connection != connection && now.milliseconds(since: $0.time) < 20 } ?? false
    }
  }

  func isBeyondEight(_ request: BareServer.Request) -> Bool {
    guard defect == .servesEight,
      String(decoding: request.body, as: UTF8.self).contains("idle-connections-beside-others-")
    else { return false }
    return idle.withLock { $0.insert(request.connection).inserted && ($0.count - 1) % 10 >= 8 }
  }

  /// Once a crowd has come.
  func isInCrowd(_ request: BareServer.Request) -> Bool {
    if String(decoding: request.body, as: UTF8.self).contains("many-devices-at-once") {
      hasFailed.store(true, ordering: .relaxed)
    }
    guard hasFailed.load(ordering: .relaxed), isBusy(with: "", request.connection) else { return false }
    return uploads.add(1, ordering: .relaxed).newValue.isMultiple(of: 3)
  }
}
