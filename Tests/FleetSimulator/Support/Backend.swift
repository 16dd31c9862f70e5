import JSON
import Support
import Synchronization

/// A foreign backend of a few lines: it takes what the SDK posts, lists what it has of a device, and lies in one way.
final class Backend: Sendable {
  enum Lie: Equatable, Sendable {
    case honest
    /// The first record of a request is put aside, and the second one is nowhere.
    case losesBesideQuarantined
    /// Records without coordinates are put aside, are nowhere, or are listed without a time.
    case quarantinesInvalid, losesInvalid, honestOfInvalid
    /// Its list has none of them.
    case hidesTimes, hidesLatitudes
    case keepsNothing, keepsFirstOfRequest, keepsTwice, swapsDevices, swapsCoordinates, forgetsTimes
    /// Of each third record.
    case forgetsPlaces, keepsImpossiblePlaces
    /// Of three records one is kept under another name too, or a record that came from no phone beside it.
    case keepsUnderTwo, invents
    /// Of an earlier run it has a record twice, and one under two devices.
    case hasOldRows
    /// It lists all devices, whichever is asked for.
    case listsAll
    /// Its list says nothing of its next page.
    case listEnds
    case listFails(Int), listIsPage, listIsElsewhere, listIsCut, listHasNoUUIDs
    /// Whole requests: those with these numbers, or those with so many records or more.
    case forgetsRequests(Range<Int>), forgetsLargeRequests(Int)
    case login, stops, stopsAndStarts, storms, refusesRegistration, fails
    /// The first request of each device.
    case refusesOnce
  }

  private struct Entry {
    let device: String
    let uuid: String
    let latitude: String
    let longitude: String
    let timestamp: String
    let isQuarantined: Bool

    func under(device: String, _ uuid: String) -> Entry {
      Entry(
        device: device, uuid: uuid, latitude: latitude, longitude: longitude, timestamp: timestamp,
        isQuarantined: isQuarantined)
    }
  }

  private let lie: Lie
  private let pageSize: Int
  private let countsQuarantined: Bool
  private let entries = Mutex<[Entry]>([])
  private let requests = Mutex(0)
  private let refused = Mutex<Set<String>>([])

  init(_ lie: Lie, pageSize: Int = .max, countsQuarantined: Bool = false) {
    (self.lie, self.pageSize, self.countsQuarantined) = (lie, pageSize, countsQuarantined)
  }

  var quarantined: Int { entries.withLock { $0.count { $0.isQuarantined } } }

  func answer(_ request: BareServer.Request) -> BareServer.Answer {
    let line = request.lines[0]
    if line.hasPrefix("GET /list") { return list(line) }
    if line.hasPrefix("GET /aside") { return .ok(page(of: line, isQuarantined: true).body) }
    if line.hasPrefix("POST /api/register") { return Backend.status(404) }
    switch lie {
    case .login: return .ok("<!doctype html><html><body>log in</body></html>")
    case .stops: return .ok(#"{"background_geolocation":[["stop"]]}"#)
    case .stopsAndStarts:
      let count = requests.withLock { count in
        count += 1
        return count
      }
      return .ok(count > 15 ? "{}" : #"{"background_geolocation":[["stop"],["start"]]}"#)
    case .storms:
      return .ok(#"{"background_geolocation":[["changePace",false],["changePace",true]]}"#)
    case .fails: return Backend.status(500)
    case .refusesOnce:
      let device = request.values(of: "X-Device").first ?? ""
      return refused.withLock { $0.insert(device).inserted } ? Backend.status(503) : .ok(take(request))
    default: return .ok(take(request))
    }
  }

  static func status(_ status: Int) -> BareServer.Answer {
    .text("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
  }

  /// Gives the body of the answer.
  private func take(_ request: BareServer.Request) -> String {
    guard let body = Backend.document(request.body), case .array(let records)? = body["location"].map(Backend.list)
    else {
      return "{}"
    }
    let number = requests.withLock { count in
      count += 1
      return count
    }
    if case .forgetsRequests(let numbers) = lie, numbers.contains(number) { return "{}" }
    if case .forgetsLargeRequests(let least) = lie, records.count >= least { return "{}" }
    var quarantined = 0
    for (index, record) in records.enumerated() {
      if lie == .losesBesideQuarantined && index == 1 { continue }
      if lie == .keepsNothing || lie == .keepsFirstOfRequest && index > 0 { continue }
      let isInvalid = record["coords"] == nil
      if lie == .losesInvalid && isInvalid { continue }
      let uuid = record["uuid"]?.text ?? ""
      entries.withLock { entries in
        // What a phone sends again, because no answer came in time, is here already.
        if let known = entries.first(where: { $0.uuid == uuid }) {
          if known.isQuarantined { quarantined += 1 }
          return
        }
        let number = entries.count + 1
        let isQuarantined =
          lie == .honest && number % 5 == 0 || lie == .losesBesideQuarantined && index == 0
          || lie == .quarantinesInvalid && isInvalid
        if isQuarantined { quarantined += 1 }
        var device = request.values(of: "X-Device").first ?? ""
        if lie == .swapsDevices && number % 4 == 0 { device = device == "cars-0" ? "cars-1" : "cars-0" }
        let (latitude, longitude) = (
          record["coords"]?["latitude"]?.shown ?? "null", record["coords"]?["longitude"]?.shown ?? "null"
        )
        let isSwapped = lie == .swapsCoordinates
        let isThird = number % 3 == 0
        let place =
          lie == .forgetsPlaces && isThird ? "null" : lie == .keepsImpossiblePlaces && isThird ? "999" : latitude
        let entry = Entry(
          device: device, uuid: uuid, latitude: isSwapped ? longitude : place,
          longitude: isSwapped ? latitude : longitude,
          timestamp: lie == .forgetsTimes || lie == .honestOfInvalid && isInvalid
            ? "2020-01-01T00:00:00.000Z" : record["timestamp"]?.text ?? "",
          isQuarantined: isQuarantined)
        entries.append(entry)
        if lie == .keepsTwice && number % 3 == 0 { entries.append(entry) }
        if lie == .keepsUnderTwo && number % 4 == 0 {
          entries.append(entry.under(device: device == "cars-0" ? "cars-1" : "cars-0", uuid))
        }
        if lie == .hasOldRows && number == 1 {
          for device in ["cars-0", "cars-0", "cars-1"] {
            entries.append(entry.under(device: device, "eeeeeeee-0000-4000-8000-100000000000"))
          }
        }
        if lie == .invents && number % 4 == 0 {
          entries.append(entry.under(device: device, "ffffffff-0000-4000-8000-\(String(100_000_000_000 + number))"))
        }
      }
    }
    return countsQuarantined ? "{\"accepted\":\(records.count - quarantined),\"quarantined\":\(quarantined)}" : "{}"
  }

  private func list(_ line: String) -> BareServer.Answer {
    switch lie {
    case .listFails(let status): return Backend.status(status)
    case .listIsPage: return .ok("<html>log in</html>")
    case .listIsElsewhere: return .ok("{\"rows\":\(page(of: line, isQuarantined: false).body)}")
    case .listHasNoUUIDs: return .ok("[{\"uuid\":17}]")
    case .listIsCut: return .close([])
    default:
      let page = page(of: line, isQuarantined: false)
      let link = (lie == .listEnds ? nil : page.next).map { "Link: <\($0)>; rel=\"next\"\r\n" } ?? ""
      return .text("HTTP/1.1 200 OK\r\n\(link)Content-Length: \(page.body.utf8.count)\r\n\r\n\(page.body)")
    }
  }

  private func page(of line: String, isQuarantined: Bool) -> (body: String, next: String?) {
    let query = line.split(separator: " ")[1].split(separator: "?").last ?? ""
    func value(_ name: String) -> String? {
      query.split(separator: "&").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    let device = value("device") ?? ""
    let first = value("from").flatMap { Int($0) } ?? 0
    let all = entries.withLock {
      $0.filter { ($0.device == device || lie == .listsAll) && $0.isQuarantined == isQuarantined }
    }
    let shown = all.dropFirst(first).prefix(isQuarantined ? .max : pageSize)
    let texts = shown.map { entry in
      let time = lie == .hidesTimes ? "" : "\"timestamp\":\"\(entry.timestamp)\","
      let latitude = lie == .hidesLatitudes ? "" : "\"latitude\":\(entry.latitude),"
      let device = lie == .listsAll ? "\"device\":\"\(entry.device)\"," : ""
      return "{\(device)\"uuid\":\"\(entry.uuid)\",\(time)\(latitude)\"longitude\":\(entry.longitude)}"
    }
    let next =
      first + shown.count < all.count && !isQuarantined ? "/list?device=\(device)&from=\(first + shown.count)" : nil
    return ("[\(texts.joined(separator: ","))]", next)
  }

  private static func document(_ bytes: [UInt8]) -> JSONValue? {
    do throws(JSONError) { return try JSONValue(parsing: bytes.span) } catch { return nil }
  }

  private static func list(_ value: JSONValue) -> JSONValue {
    if case .array = value { value } else { .array([value]) }
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var shown: String? {
    switch self {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    default: nil
    }
  }
}
