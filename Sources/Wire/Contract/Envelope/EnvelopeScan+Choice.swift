import JSON

extension EnvelopeScan {
  /// Applies the table of `EnvelopeReader` to an object whose members are noted.
  func choose(_ body: ObjectFacts, in envelope: inout Envelope) {
    if !isTemplate(envelope.members), let root = rootIndex(body, in: envelope) {
      take(root, in: &envelope)
    } else {
      envelope.shape = .bare
      envelope.records.append(body.range)
    }
  }

  /// The body is what a template of the app makes.
  private func isTemplate(_ members: [EnvelopeMember]) -> Bool {
    settings.templateKeys.contains { keys in
      keys.allSatisfy { key in members.contains { isKey($0.key, key) } }
    }
  }

  /// The member that holds the records; nil when the body is the record.
  private func rootIndex(_ body: ObjectFacts, in envelope: Envelope) -> Int? {
    if let index = envelope.members.lastIndex(where: { $0.isContainer && isRoot($0.key) }) { return index }
    if body.isRecordWithLocation && !body.hasCoordinates { return nil }
    if let index = envelope.members.lastIndex(where: { $0.isContainer && isLocation($0.key) }) { return index }
    if body.hasCoordinates { return nil }
    var best: (index: Int, likeness: Int)?
    for (index, member) in envelope.members.enumerated() {
      let likeness = Self.likenessToRecords(member, in: body)
      if likeness > best?.likeness ?? 0 { best = (index, likeness) }
    }
    return best?.index
  }

  /// How much a member looks like records; 0 for not at all.
  private static func likenessToRecords(_ member: EnvelopeMember, in body: ObjectFacts) -> Int {
    switch member.content {
    case .scalar: return 0
    case .object(let object):
      if object.isReadable { return 6 }
      return object.hasTime && object.hasIdentity && !body.hasIdentity ? 4 : 0
    case .array(let array):
      if array.hasReadableElement { return 6 }
      if array.elements.isEmpty { return 1 }
      if array.isBatch { return array.firstKind == .array ? 5 : 2 }
      return array.elements.count >= 2 ? 3 : 0
    }
  }

  private func take(_ root: Int, in envelope: inout Envelope) {
    let member = envelope.members[root]
    envelope.root = member.key
    switch member.content {
    case .scalar: preconditionFailure("a root is an object or an array")
    case .object(let object):
      envelope.shape = .wrapped
      envelope.records.append(object.record)
    case .array(let array) where array.isBatch:
      envelope.shape = .wrappedBatch
      envelope.records += envelope.elements[array.elements]
    case .array(let array):
      envelope.shape = .wrapped
      envelope.records.append(array.range)
    }
    for (index, member) in envelope.members.enumerated() where index != root {
      envelope.params.append(Envelope.Param(key: member.key, value: member.value))
    }
  }
}
