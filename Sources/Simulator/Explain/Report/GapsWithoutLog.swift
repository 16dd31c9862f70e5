import BackendStore
import Base

/// Gaps without a log of the phone: between the times of stored or sent records.
extension RecordJoin {
  func gapsWithoutLog(of device: String, above milliseconds: Int64) -> [Gap] {
    let (times, place) = self.times(of: device)
    return zip(times, times.dropFirst()).compactMap { from, to in
      guard to.milliseconds(since: from) > milliseconds else { return nil }
      let seen = (requests?.requests ?? []).filter { $0.device == device && $0.time > from && $0.time < to }
      return Gap(
        from: from, to: to, lines: nil, place: place, edge: .none, causes: [.unknown], reason: reason(seen),
        evidence: (seen.prefix(3) + seen.dropFirst(3).suffix(1)).map(\.evidence))
    }
  }

  private func times(of device: String) -> (times: [WallInstant], place: String) {
    if let store {
      let rows = store.rows.values.joined().filter { $0.device == device }
      let times = rows.compactMap { $0.record.value("timestamp")?.instant }
      if !times.isEmpty { return (times.sorted(), store.place) }
    }
    guard let requests else { return ([], "") }
    let times = requests.sightings.keys.compactMap { uuid -> WallInstant? in
      requests.requests(with: uuid).contains { $0.device == device } ? requests.instant(of: uuid) : nil
    }
    return (times.sorted(), "the journal")
  }

  private func reason(_ seen: [SeenRequest]) -> String {
    let why = "no log of the phone is given, which would show why"
    guard requests != nil else { return why }
    if seen.isEmpty { return "\(why); no request came meanwhile" }
    let refused = seen.count { !$0.isSuccess }
    return "\(why); \(StoryText.count(seen.count, "request")) came meanwhile, \(refused) of them refused"
  }
}
