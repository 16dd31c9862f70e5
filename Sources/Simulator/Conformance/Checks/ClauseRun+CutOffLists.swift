import BackendStore
import Contract

/// Lists that end at a fixed number of entries, so that it is unknown whether the store has the rest.
extension ClauseRun {
  /// Reports whether the list is still as long with one more record, and does not show a missing record after it was sent
  /// again, as it would show a lost one.
  func isCutOff(_ look: FoundRecords, of device: String) throws -> Bool {
    // Paged lists that name their next page up to the last have no such limit.
    if look.end.isNamed { return false }
    guard mayBeCutOff(look), let gone = look.missing.last else { return false }
    let phone = try phone(exactly: device, tokens: facts.needsTokens ? try signIn(device) : nil)
    for record in [fix(phone), gone] {
      phone.put([record])
      guard uploadWithRetries(phone).last?.isSuccess ?? false else { return false }
      let next = try self.look(for: [record], of: device)
      if next.listed != look.listed || record.uuid == gone.uuid && next.missing.isEmpty { return false }
    }
    return true
  }

  /// Returns the limit, as a sentence.
  func endOfList(_ look: FoundRecords) -> String {
    "the list of a device ends at \(look.listed) entries, so others cannot be searched for: verify.next leads to further pages"
  }

  /// Reports whether the list has a number of entries that is a typical limit, and none was longer.
  private func mayBeCutOff(_ look: FoundRecords) -> Bool {
    let count = look.listed
    guard count >= facts.longestList else { return false }
    let isRound = count >= 100 ? count.isMultiple(of: 50) : count >= 10 && count.isMultiple(of: 5)
    return isRound || count >= 16 && count.nonzeroBitCount == 1
  }
}
