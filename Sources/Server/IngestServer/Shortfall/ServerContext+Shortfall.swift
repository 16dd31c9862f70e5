import Base
import Store

extension ServerContext {
  private static let reasonsMax = 8
  private static let namesMax = 10_000
  private static let namesTold = 5

  /// What the server knows about why a device of the run, or the run, has not stored more. The store cannot always be asked.
  func shortfall(run: String, device: String?, _ reader: StoreReader?) -> [ShortfallReason] {
    var reasons: [ShortfallReason] = []
    if let outage = probes.outage() {
      reasons.append(ShortfallReason(kind: .outage, message: "nothing can be stored now: \(outage.reason)"))
    }
    reasons += refusals.entries(run: run, device: device).map { ShortfallReason($0, of: device) }
    if let reader {
      // What cannot be read is not among the reasons; the answer says by itself when the store could not be asked.
      do throws(StoreError) { reasons += try stored(run: run, device: device, reader) } catch {}
    }
    return Array(reasons.prefix(ServerContext.reasonsMax))
  }

  private func stored(
    run: String, device: String?, _ reader: StoreReader
  ) throws(StoreError) -> [ShortfallReason] {
    var reasons: [ShortfallReason] = []
    var points: Int64 = 0
    var duplicates: Int64 = 0
    if let device {
      let found = try reader.device(DeviceIdentity(run: run, name: device))
      points = found?.points ?? 0
      duplicates = found?.duplicates ?? 0
      if found == nil { reasons.append(try unknown(device, run, reader)) }
    } else {
      let counts = try reader.counts(run: run)
      (points, duplicates) = (counts.accepted, counts.duplicates)
    }
    for (reason, count) in try reader.quarantineReasons(QuarantineSelection(run: run, device: device)) {
      let message = "\(CountRange.records(Int(count))) put aside: \(reason); GET quarantine shows what"
      reasons.append(ShortfallReason(kind: .quarantined, message: message, count: Int(count)))
    }
    if duplicates > 0 {
      let message = "\(CountRange.records(Int(duplicates))) came again, and count once"
      reasons.append(ShortfallReason(kind: .duplicate, message: message, count: Int(duplicates)))
    }
    if points == 0 {
      for other in try reader.otherRuns(of: device, than: run, limit: ServerContext.namesTold) where other.points > 0 {
        let place = ServerContext.place(other.run)
        let owner = device.map { " of \($0)" } ?? ""
        let records = CountRange.records(Int(other.points))
        let message = "\(records)\(owner) stored \(place), not \(ServerContext.place(run))"
        reasons.append(ShortfallReason(kind: .otherRun, message: message, count: Int(other.points)))
      }
    }
    return reasons
  }

  private static func place(_ run: String) -> String { run.isEmpty ? "without a run" : "in the run \(run)" }

  /// The nearest name, or the first that there are.
  private func unknown(_ device: String, _ run: String, _ reader: StoreReader) throws(StoreError) -> ShortfallReason {
    var names: [String] = []
    var next: Int64?
    repeat {
      let page = try reader.devices(run: run, after: next, limit: 1_000)
      names += page.elements.map(\.identity.name)
      next = page.next
    } while next != nil && names.count < ServerContext.namesMax
    let place = ServerContext.place(run)
    var message = "no device \(device) has stored anything \(place)"
    if let near = NearestName.find(device, in: names) {
      message += "; did you mean \(near)?"
    } else if names.isEmpty {
      message += ", and no other has"
    } else {
      let more = names.count > ServerContext.namesTold ? ", …" : ""
      message += "; there are \(names.prefix(ServerContext.namesTold).joined(separator: ", "))\(more)"
    }
    return ShortfallReason(kind: .unknownDevice, message: message)
  }
}
