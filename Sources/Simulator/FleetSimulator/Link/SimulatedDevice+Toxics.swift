import Base
import Network
import Scenario
import Upload
import World

/// What bytes meet on their way.
extension SimulatedDevice {
  /// A way through one of the device's connections. `request` makes the chances of one request its own.
  mutating func passage(
    _ way: ToxicWay, of bytes: Int, headBytes: Int = 0, through line: Line, for request: UInt64,
    at instant: MonotonicInstant, in site: Site
  ) -> Passage {
    let quality = quality(in: site)
    let isUpload = way != .down
    // A handshake goes once there and back (RFC 9293 §3.5).
    var passage = Passage(
      span: way == .connect
        ? Nanoseconds(Int64(quality.latency * 1e9)) : quality.transfer(bytes: bytes, isUpload: isUpload, from: &link))
    guard !faults.running.isEmpty else { return passage }
    let load = Passage.Load(
      bytes: bytes, headBytes: headBytes, bytesBefore: isUpload ? line.sentBytes : line.receivedBytes,
      bitsPerSecond: isUpload ? quality.upBitsPerSecond : quality.downBitsPerSecond, start: instant)
    let toxics = toxics(on: line.number, way, request, in: site)
    // Whether a connection closes late shows when it is known whether it closes.
    for toxic in toxics where !toxic.toxic.isSlowClose { passage.meet(toxic, load) }
    for toxic in toxics where toxic.toxic.isSlowClose { passage.meet(toxic, load) }
    return passage
  }

  private mutating func toxics(
    on line: UInt64, _ way: ToxicWay, _ request: UInt64, in site: Site
  ) -> [ActingToxic] {
    faults.running.compactMap { spell in
      let fault = site.faults.faults[spell.fault]
      guard case .toxic(let toxic) = fault.action, ToxicWay(of: toxic) == way else { return nil }
      guard touches(toxic, spell, fault.name, line, in: site) else { return nil }
      let draws = FaultDraw.delay.stream(
        fault.name, seed: site.setup.seed, device: key, n: (request << 1 | (way == .down ? 1 : 0)) << 20)
      return ActingToxic(toxic: toxic, end: spell.end, draws: draws)
    }
  }

  /// Each connection is touched or is not.
  private mutating func touches(
    _ toxic: Toxic, _ spell: FaultTimeline.Spell, _ name: String, _ line: UInt64, in site: Site
  ) -> Bool {
    var draw = FaultDraw.toxicity.stream(
      name, seed: site.setup.seed, device: key, n: UInt64(spell.ordinal) << 32 | line)
    return draw.chance(toxic.toxicity)
  }

  /// A toxic that resets connections does so to the one that is idle, too.
  mutating func resetIdleLine(_ spell: FaultTimeline.Spell, at instant: MonotonicInstant, in site: Site) {
    let fault = site.faults.faults[spell.fault]
    guard case .toxic(let toxic) = fault.action, case .resetPeer = toxic.effect, toxic.phase == nil, let idleLine,
      touches(toxic, spell, fault.name, idleLine.number, in: site)
    else { return }
    idleLine.serverEnd?.close(.reset, at: site.setup.moment(at: instant))
    self.idleLine = nil
  }

  mutating func quality(in site: Site) -> LinkQuality {
    // In the end everybody has a network without faults, whatever the scenario calls Wi-Fi.
    var quality = (isHealed ? RadioTable.presets : site.setup.radio)[network].quality
    if isHealed { quality.loss = 0 }
    return quality
  }
}

extension Toxic {
  fileprivate var isSlowClose: Bool { if case .slowClose = effect { true } else { false } }
}
