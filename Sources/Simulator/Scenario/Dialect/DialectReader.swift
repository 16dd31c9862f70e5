internal import Base

/// Reads the text of a dialect, with the tables and variables of scenarios.
package struct DialectReader {
  private let variable: (String) -> String?

  /// `variable` reads the environment.
  package init(variable: @escaping (String) -> String? = { _ in nil }) { self.variable = variable }

  package func read(_ text: String) throws(ScenarioErrors) -> Dialect {
    var document: JSON5Value
    do throws(ScenarioError) { document = try JSON5Reader.read(text) } catch { throw ScenarioErrors([error]) }
    var substitution = Substitution(
      variable: variable, devicesFillIn: [["app"], ["login"], ["verify", "headers"], ["path"]])
    substitution.replace(in: &document)
    var context = DecodingContext(names: DeclaredNames(in: nil))
    let dialect = ValueCodec<Dialect>.section().read(document, &context)
    if let dialect { context.judge(dialect, document) }
    let problems = substitution.problems + context.problems
    guard let dialect, problems.isEmpty else { throw ScenarioErrors(problems) }
    return dialect
  }
}

extension DecodingContext {
  /// Checks conditions on several keys.
  fileprivate mutating func judge(_ dialect: Dialect, _ document: JSON5Value) {
    let verification = dialect.verification
    let place = document["verify"]?.position ?? document.position
    let sources = (verification.url == nil ? 0 : 1) + verification.place.count
    inside("verify") { context in
      if sources > 1 {
        context.refuse(
          .contradiction, place, "there are \(sources) places to read from",
          remedy: "keep one of url, database, command, file and stream")
      }
      if let query = verification.place.query, !StorePlace.mayNameDevice(query: query) {
        context.refuse(
          .missing, place, "the query does not ask for :device",
          remedy: "add WHERE device = :device, or a column device")
      }
      if verification.next != nil, verification.url == nil {
        context.refuse(.contradiction, place, "pages without a url", remedy: "add url, or remove next")
      }
      if verification.place.isHalf {
        context.refuse(.missing, place, "database and query belong together", remedy: "give both")
      }
    }
    if let login = dialect.login, (login.url == nil) == (login.command == nil) {
      inside("login") { context in
        context.refuse(
          .contradiction, document["login"]?.position ?? document.position,
          "one request or one command gives the tokens",
          remedy: "give url or command")
      }
    }
    if dialect.devices.url != nil, dialect.devices.command != nil {
      inside("devices") { context in
        context.refuse(
          .contradiction, document["devices"]?.position ?? document.position,
          "one request or one command creates a device", remedy: "give url or command")
      }
    }
    judgeURLs(dialect, document)
    judgeTemplates(of: dialect, document)
    if dialect.promises.isNamedByToken, dialect.login == nil, dialect.preset == nil {
      inside("promises") { context in
        context.refuse(
          .contradiction, document["promises"]?.position ?? document.position,
          "deviceByToken without a login", remedy: "say in 'login' how a device gets its token")
      }
    }
  }

  /// Rejects names in braces without a meaning, which would be sent to the backend unchanged.
  private mutating func judgeURLs(_ dialect: Dialect, _ document: JSON5Value) {
    if let url = document["app"]?["http"]?["url"] {
      inside("app") { context in
        context.refuse(.contradiction, url.position, "'path' sets the URL of uploads", remedy: "move it to 'path'")
      }
    }
    let ownName = "write ${device.id}"
    // The app's texts may contain other names and JSON in braces; only names of other places are mistakes.
    judge(document["app"], "app", remedy: ownName) { !["device", "device.id", "device_id"].contains($0) }
    judge(document["path"], nil, remedy: ownName) { _ in false }
    judge(document["refresh"], nil, remedy: "leave it out") { _ in false }
    judge(document["login"]?["url"], "login", remedy: ownName) { _ in false }
    judge(document["devices"]?["url"], "devices", remedy: "write {device}") { $0 == "device" }
    judge(document["commands"]?["url"], "commands", remedy: "write {device}") { $0 == "device" }
    judge(document["verify"]?["url"], "verify", remedy: "write {device}, and {cursor}, {page}, {page:0} or {offset}") {
      ["device", "cursor"].contains($0) || TargetVerification.counters.contains($0)
    }
    if let url = dialect.verification.url, !url.contains("{device}"), let place = document["verify"]?["url"] {
      inside("verify") { context in
        context.refuse(
          .missing, place.position, "the url does not ask for {device}",
          remedy: "put {device} where the backend expects its name")
      }
    }
    if dialect.verification.next == nil, let place = document["verify"]?["url"],
      let problem = TargetVerification.problemWithoutNext(of: dialect.verification.url)
    {
      inside("verify") { context in
        context.inside("url") { $0.refuse(.missing, place.position, problem.message, remedy: problem.remedy) }
      }
    }
  }

  private mutating func judge(
    _ value: JSON5Value?, _ section: String?, remedy: String, allows: (String) -> Bool
  ) {
    switch value?.content {
    case .array(let elements): for element in elements { judge(element, section, remedy: remedy, allows: allows) }
    case .object(let members):
      for member in members { judge(member.value, section, remedy: remedy, allows: allows) }
    case .string(let text):
      guard let place = value?.position else { return }
      for name in text.namesInBraces where !allows(name) {
        let refusal: (inout DecodingContext) -> Void = { context in
          context.refuse(.unresolved, place, "unknown name {\(name)}", remedy: remedy)
        }
        if let section { inside(section, refusal) } else { refusal(&self) }
      }
    case .null, .bool, .integer, .double, nil: break
    }
  }
}

extension String {
  /// The names in order; the substitution handles `${device.id}`.
  fileprivate var namesInBraces: [String] {
    let pieces = split(separator: "{" as Character, omittingEmptySubsequences: false)
    return zip(pieces, pieces.dropFirst()).compactMap { before, piece in
      if before.last == "$" { return nil }
      return piece.firstIndex(of: "}").map { String(piece[..<$0]) }
    }
  }
}
