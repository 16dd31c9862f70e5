internal import Base

/// `extends` of motions, resolved on the text's own values before anything is read: keys of `speed` and `gps` are taken
/// over one by one as long as the model is the same, `activity` as a whole.
struct MotionInheritance {
  private let declared: JSON5Value?
  private(set) var problems: [ScenarioProblem] = []

  init(of document: JSON5Value) { declared = document["motion"] }

  /// The motions, each with the keys of those that it extends.
  mutating func resolved() -> JSON5Value? {
    guard var motions = declared, case .object(var members) = motions.content else { return declared }
    for index in members.indices { members[index].value = resolve(members[index], after: []) }
    motions.content = .object(members)
    return motions
  }

  private mutating func resolve(_ motion: JSON5Value.Member, after names: [String]) -> JSON5Value {
    guard let extends = motion.value["extends"], case .string(let name) = extends.content else { return motion.value }
    guard !names.contains(name), name != motion.key else {
      problems.append(
        ScenarioProblem(
          .contradiction, at: extends.position, path: "motion.\(motion.key.asPathStep).extends",
          "a motion cannot extend itself, not even round a corner", remedy: "take one 'extends' away"))
      return motion.value
    }
    if case .object(let members)? = declared?.content, let base = members.first(where: { $0.key == name }) {
      return motion.value.taking(over: resolve(base, after: names + [motion.key]))
    }
    return MotionPreset.document[name].map(motion.value.taking) ?? motion.value
  }
}

extension JSON5Value {
  fileprivate func taking(over base: JSON5Value) -> JSON5Value {
    guard case .object(var members) = content, case .object(let inherited) = base.content else { return self }
    for member in inherited where member.key != "extends" {
      if let index = members.firstIndex(where: { $0.key == member.key }) {
        if member.key != "activity" { members[index].value = members[index].value.completing(from: member.value) }
      } else {
        members.append(member)
      }
    }
    var result = self
    result.content = .object(members)
    return result
  }

  /// Takes over keys of the same model.
  private func completing(from base: JSON5Value) -> JSON5Value {
    guard case .object(var members) = content, case .object(let inherited) = base.content else { return self }
    if let model = self["model"], model.content != base["model"]?.content { return self }
    for member in inherited where !members.contains(where: { $0.key == member.key }) { members.append(member) }
    var result = self
    result.content = .object(members)
    return result
  }
}
