import IngestServer
import JSON
package import Support

/// Mutated tokens and key sets against their readers: nothing traps, and nothing but a token as it was signed is verified.
package struct TokenFuzz {
  /// RFC 7515 Appendix A.3.1, under a name.
  private static let set = """
    {"keys":[{"kty":"EC","crv":"P-256","kid":"e","use":"sig","alg":"ES256","key_ops":["verify"],\
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},\
    {"kty":"RSA","kid":"r","n":"ALk","e":"AQAB"},{"kty":"OKP","crv":"Ed25519","kid":"o",\
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},{"kty":"oct","k":"AQAB","kid":"s"}]}
    """
  /// RFC 7515 Appendix A.3.1 and RFC 8037 Appendix A.4, and what attackers begin with.
  private static let tokens = [
    """
    eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
    .DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
    """,
    """
    eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR\
    6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
    """,
    "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiIsImtpZCI6InMifQ.e30.AQAB",
  ]
  private static let words = [
    "\"kty\":", "\"RSA\"", "\"EC\"", "\"alg\":", "\"kid\":", "\"use\":\"enc\"", "\"n\":\"\"", "null", "[", "{", ".",
    "..", "=",
    "eyJhbGciOiJub25lIn0", "AAAA", "____", "\\u0000", "\"crit\":[]",
  ]

  private let mutator: Mutator
  private let corpus: [[UInt8]]
  private let keys: JSONWebKeySet

  package init() {
    corpus = ([Self.set] + Self.tokens).map { Array($0.utf8) }
    mutator = Mutator(corpus: corpus, tokens: Self.words.map { Array($0.utf8) })
    do throws(KeySetError) { keys = try JSONWebKeySet(parsing: corpus[0]) } catch { preconditionFailure("\(error)") }
  }

  /// The first finding, or nil.
  package func run(seed: UInt64, iterations: Range<Int>) -> FuzzFinding? {
    for iteration in iterations {
      var generator = SeededGenerator(seed: seed &+ UInt64(iteration) &* 0xD134_2543_DE82_EF95)
      let input = mutator.next(using: &generator)
      FuzzFlightRecorder.note(seed: seed, iteration: iteration, input: input)
      if let complaint = complaintAboutToken(input) ?? complaintAboutSet(input) {
        return FuzzFinding(seed: seed, iteration: iteration, input: input, complaint: complaint)
      }
    }
    return nil
  }

  private func complaintAboutToken(_ input: [UInt8]) -> String? {
    let token: SignedToken
    do throws(AccessTokenError) { token = try SignedToken(parsing: input) } catch { return nil }
    for algorithm in SignatureAlgorithm.allCases {
      for name in ["e", "r", "o", "s", nil] {
        guard case .found(let key) = keys.find(name, for: algorithm),
          key.verifies(token.signature, of: token.signed, by: algorithm)
        else { continue }
        guard corpus.contains(input) else { return "verified by \(algorithm) though it was changed" }
        guard algorithm.rawValue == token.algorithm else { return "verified by \(algorithm), not \(token.algorithm)" }
      }
    }
    // Whatever it says, it says without a trap.
    do throws(AccessTokenError) { _ = try token.claims() } catch { return nil }
    return nil
  }

  private func complaintAboutSet(_ input: [UInt8]) -> String? {
    let set: JSONWebKeySet
    do throws(KeySetError) { set = try JSONWebKeySet(parsing: input) } catch { return nil }
    guard (1...JSONWebKeySet.keysMax).contains(set.count) else { return "\(set.count) keys were taken" }
    for algorithm in SignatureAlgorithm.allCases {
      guard case .found(let key) = set.find("s", for: algorithm) else { continue }
      if key.verifies([], of: [], by: algorithm) { return "an empty signature is verified" }
    }
    do throws(JSONError) {
      _ = try JSONValue(parsing: input.span)
      return nil
    } catch {
      return "taken though it is no JSON: \(error)"
    }
  }
}
