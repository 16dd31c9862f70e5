import BackendStore
import Contract

/// Lists that end at a number of entries, whatever is behind it: whether the store has what they leave out, they do not say.
extension ClauseRun {
  /// Whether the list is as long with one record more, and what it lacks does not appear in it when it is sent again, as what was
  /// lost would.
  func isCutOff(_ look: FoundRecords, of device: String) throws -> Bool {
    // Pages that name their next one up to the last have no end of that kind.
    if target.store?.isReadToItsEnd(device) ?? false { return false }
    guard mayBeCutOff(look), let gone = look.missing.last else { return false }
    let phone = try phone(exactly: device, tokens: facts.needsTokens ? try signIn(device) : nil)
    for record in [fix(phone), gone] {
      phone.put([record])
      guard uploadPatiently(phone).last?.isSuccess ?? false else { return false }
      let next = try self.look(for: [record], of: device)
      if next.listed != look.listed || record.uuid == gone.uuid && next.missing.isEmpty { return false }
    }
    return true
  }

  /// As a sentence.
  func endOfList(_ look: FoundRecords) -> String {
    "the list of a device ends at \(look.listed) entries, so that no others can be looked for: verify.next leads to further pages"
  }

  /// The list has a number of entries at which lists end, and none was longer.
  private func mayBeCutOff(_ look: FoundRecords) -> Bool {
    let count = look.listed
    guard count >= facts.longestList else { return false }
    let isRound = count >= 100 ? count.isMultiple(of: 50) : count >= 10 && count.isMultiple(of: 5)
    return isRound || count >= 16 && count.nonzeroBitCount == 1
  }
}
