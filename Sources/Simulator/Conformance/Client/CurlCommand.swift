import Base
import Contract
import CurlTransport
import HTTP1

/// A request as a shell command.
extension RawRequest {
  /// The part of the answer that a command prints.
  enum PrintedPart {
    case answer, status, content

    fileprivate var flags: [String] {
      switch self {
      case .answer: ["-i"]
      case .status: ["-o", "/dev/null", "-w", #"'%{http_code}\n'"#]
      case .content: []
      }
    }
  }

  /// Longer bodies are passed through a pipe: a system limits the words of a command.
  private static let wordBytesMax = 8_000

  /// Returns a curl command that trusts what a transport trusts. With `secretsOf`, a field that may be secret is taken from a
  /// variable.
  func curl(
    by transport: TransportConfiguration, printing part: PrintedPart = .answer, secretsOf purpose: SecretPurpose? = nil,
    renewing renewal: UUIDRenewal = UUIDRenewal(of: [])
  ) -> String {
    var words = ["curl", "-sS"] + part.flags + ["--max-time", "20"] + transport.wordsOfCurl(for: url)
    if version == .http10 { words.append("--http1.0") }
    // With HEAD in -X, curl would wait for a body.
    if method == "HEAD" {
      words.append("-I")
    } else if method != (body.isEmpty ? "GET" : "POST") {
      words += ["-X", method.shellWord]
    }
    // A brace or bracket is a pattern for curl.
    if url.contains(where: { "[]{}".contains($0) }) { words.append("-g") }
    words.append(url.shellWord)
    for header in headers { words += ["-H", RawRequest.word(header, purpose)] }
    if isChunked { words += ["-H", "'\(HeaderName.transferEncoding): chunked'"] }
    guard !body.isEmpty else { return words.joined(separator: " ") }
    // Without this, curl sends a type of its own.
    if !headers.contains(where: { $0.hasName(HeaderName.contentType) }) {
      words += ["-H", "\(HeaderName.contentType):"]
    }
    let text = String(validating: readableBody, as: UTF8.self).flatMap { $0.contains("\0") ? nil : $0 }
    if let text, unpackedBody == nil, text.utf8.count <= RawRequest.wordBytesMax, !text.hasPrefix("@") {
      return (words + ["--data-binary", renewal.word(text)]).joined(separator: " ")
    }
    let printed = text.map { "printf %s \(renewal.word($0))" } ?? ShellBytes.printed(readableBody)
    let request = (words + ["--data-binary", "@-"]).joined(separator: " ")
    return ([printed] + (unpackedBody == nil ? [] : ["gzip -c"]) + [request]).joined(separator: " | ")
  }

  private static func word(_ header: NameValuePair, _ purpose: SecretPurpose?) -> String {
    // Without the variable, curl would leave the field out, and the 401 look like the finding.
    if let variable = purpose?.variable(for: header) { return "\"\(header.name): ${\(variable):?}\"" }
    // A field with a colon and no value is one that curl leaves out.
    return (header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)").shellWord
  }
}

/// The requests whose secret fields are taken from variables of the environment: `VERIFY_AUTHORIZATION`.
enum SecretPurpose {
  case verify, commands, devices
  /// Uploads, with the fields that the dialect gives to every app. The tokens of devices are others, and end soon.
  case uploads(of: [NameValuePair])

  private var prefix: String {
    switch self {
    case .verify: "VERIFY"
    case .commands: "COMMANDS"
    case .devices: "DEVICES"
    case .uploads: "UPLOAD"
    }
  }

  /// Returns the variable for a field that may be secret; nil for another field.
  func variable(for field: NameValuePair) -> String? {
    guard field.mayBeSecret else { return nil }
    if case .uploads(let fields) = self,
      !fields.contains(where: { $0.hasName(field.name) && $0.value == field.value })
    {
      return nil
    }
    return "\(prefix)_" + String(field.name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }
}

/// New uuids for the records that a shell command sends, as the store knows those of the run: `$u` replaces the first eight
/// digits of each, so that equal ones stay equal. Other uuids, such as tokens, stay.
struct UUIDRenewal {
  private let uuids: Set<UUID128>

  /// Sets `$u` to the last eight digits of the time in seconds.
  static let command = "u=$(date +%s | cut -c3-10)"

  private static let variable = "$u"
  private static let (length, replaced) = (36, 8)

  init(of uuids: Set<UUID128>) { self.uuids = uuids }

  /// Returns the text as one word of a command.
  func word(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var (word, rest, index) = ("", 0, 0)
    while !uuids.isEmpty, index + Self.length <= bytes.count {
      guard let uuid = UUID128(text: bytes.span.extracting(index..<index + Self.length)), uuids.contains(uuid) else {
        index += 1
        continue
      }
      word += String(decoding: bytes[rest..<index], as: UTF8.self).shellWord + Self.variable
      (rest, index) = (index + Self.replaced, index + Self.length)
    }
    return word + String(decoding: bytes[rest...], as: UTF8.self).shellWord
  }

  /// Reports whether a command contains `$u`.
  static func isNeeded(by command: String) -> Bool {
    // What follows it is quoted where the rest of the text needs it.
    ["-", "'-"].contains { command.firstRange(of: variable + $0) != nil }
  }
}

/// Bytes that `printf` of a shell prints.
enum ShellBytes {
  /// Long runs are generated by the command, as they are unreadable.
  private static let runMin = 1_000

  static func printed(_ bytes: [UInt8]) -> String {
    let (format, runs) = format(bytes)
    return (["printf", format.shellWord] + runs).joined(separator: " ")
  }

  /// Returns a format for `printf`, and the arguments for its `%s`: long runs of one letter.
  private static func format(_ bytes: [UInt8]) -> (String, [String]) {
    var (format, words, rest) = ("", [String](), bytes[...])
    while let byte = rest.first {
      let run = rest.prefix { $0 == byte }
      if run.count >= runMin, 0x61...0x7A ~= byte {
        format += "%s"
        words.append("\"$(head -c \(run.count) /dev/zero | tr '\\0' \(Character(Unicode.Scalar(byte))))\"")
      } else {
        for byte in run { format += escaped(byte) }
      }
      rest = rest.dropFirst(run.count)
    }
    return (format, words)
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "%"): "%%"
    case UInt8(ascii: "\\"): "\\\\"
    case 0x20...0x7E: String(Unicode.Scalar(byte))
    default: "\\" + String(repeating: "0", count: 3 - String(byte, radix: 8).count) + String(byte, radix: 8)
    }
  }
}

extension TargetAddress {
  /// Returns a shell command that sends bytes which are not a request, and shows the answer.
  func command(sending bytes: [UInt8]) -> String {
    let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    let client =
      isPlain ? "curl -sS --max-time 3 telnet://\(place)" : "timeout 3 openssl s_client -quiet -connect \(place)"
    return "\(ShellBytes.printed(bytes)) | \(client)"
  }
}
