package import JSON

/// A server's view of a refresh request, whose field names are the app's choice. Multipart bodies arrive here as pairs
/// already.
package enum RefreshFields {
  /// The fields of a JSON body; empty when it is no object.
  package static func pairs(of body: JSONValue) -> [NameValuePair] {
    guard case .object(let object) = body else { return [] }
    return object.members.compactMap { member in
      member.value.plainText.map { NameValuePair(member.key, $0) }
    }
  }

  /// The refresh token among the fields: `refresh_token` in any spelling, or else `token`. Empty values do not count.
  package static func refreshToken(in pairs: [NameValuePair]) -> String? {
    for name in ["refreshtoken", "token"] {
      let found = pairs.first { FoundTokens.normalise($0.name) == name && !$0.value.isEmpty }
      if let found { return found.value }
    }
    return nil
  }
}
