import Vocabulary
import World

/// What tells one sample from another. Nil: the sample has no such tag.
struct SampleTags {
  var device: Int
  var fleet: Int
  var network: RadioNetwork
  /// One bit for each fault of the scenario that holds the device, or held it when the record was made.
  var faults: UInt64 = 0
  var status: Int?
  var isBatch: Bool?
  var trigger: FlushTrigger?
  var check: Int?
  /// Of a request that left in the settle phase.
  var isSettling = false
}

/// The samples of which a selector speaks.
struct SampleFilter {
  /// One for each fleet.
  var fleets: [Bool]
  var device: Int?
  var network: RadioNetwork?
  var fault: UInt64?
  var status: Int?
  var isBatch: Bool?
  var trigger: FlushTrigger?
  var check: Int?
  /// Nil: without the settle phase, where requests are measured.
  var isSettling: Bool?

  /// Whole fleets are added up from the cells that there are anyway.
  var isOfFleetsOnly: Bool {
    device == nil && network == nil && fault == nil && status == nil && isBatch == nil && trigger == nil && check == nil
      && isSettling == nil
  }

  /// `countsSettling`: what is counted, the settle phase included.
  func takes(_ tags: SampleTags, countsSettling: Bool = false) -> Bool {
    guard fleets[tags.fleet] else { return false }
    if let device, device != tags.device { return false }
    if let network, network != tags.network { return false }
    if let fault, fault & tags.faults == 0 { return false }
    if let status, status != tags.status { return false }
    if let isBatch, isBatch != tags.isBatch { return false }
    if let trigger, trigger != tags.trigger { return false }
    if let check, check != tags.check { return false }
    return tags.isSettling == isSettling ?? (countsSettling && tags.isSettling)
  }
}
