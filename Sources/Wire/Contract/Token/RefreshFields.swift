/// A server's view of a refresh request, whose field names are the app's choice. Forms, multipart and JSON bodies all
/// arrive here as pairs.
package enum RefreshFields {
  /// The refresh token among the fields: `refresh_token` in any spelling, or else `token`. Empty values do not count.
  package static func refreshToken(in pairs: [NameValuePair]) -> String? {
    for name in ["refreshtoken", "token"] {
      let found = pairs.first { FoundTokens.normalise($0.name) == name && !$0.value.isEmpty }
      if let found { return found.value }
    }
    return nil
  }
}
