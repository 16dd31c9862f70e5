/// Texts to damage and tokens to damage them with.
enum JSONCorpus {
  static let texts: [[UInt8]] = [
    #"{"location":{"timestamp":"2026-07-28T18:34:22.563Z","age":30,"uuid":"0A6E1D3C-5B1F-4F0B-9C1D-2E3F4A5B6C7D","#
      + #""is_moving":true,"odometer":507.54,"coords":{"latitude":45.518019,"longitude":-116.297214,"speed":-1},"#
      + #""activity":{"type":"in_vehicle","confidence":100},"extras":{}}}"#,
    #"[{"a":1,"a":2},[],{},[[[[]]]],"",0,-0,null,true,false]"#,
    #" { "k" : [ 1 , 2.5 , -3e-7 , 4E+300 ] , "" : "" } "#,
    #"["\"\\\/\b\f\n\r\t","\u0000\u001f\u00e9\uD834\uDD1E\ud7ff\uE000","naïve – 速度 🚗 plain text behind it"]"#,
    "[9007199254740993,9223372036854775807,-9223372036854775808,18446744073709551615,1e308,1.7976931348623157e308]",
    "[5e-324,2.2250738585072014e-308,0.1,123456789012345678901234567890,1.00000000000000011102230246251565404]",
    "[[[[[[[[1]]]]]]]]",
    "\"only a text\"",
    "-12.5e1",
    "\n\ttrue\r ",
    "null",
    "{}",
    "",
  ].map { Array($0.utf8) }

  static let tokens: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"", "\\\\", "\\u", "\\ud800", "\\udc00", "\\uDBFF\\uDFFF",
      "\\u0000",
      "true", "false", "null", "nul", "NaN", "Infinity", "-", "+", ".", "e", "0", "00", "-0", "1e999", "-1e400",
      "1e-999",
      "0.0", "9999999999999999999999", "1.7976931348623159e308", "\u{0}", "\u{7F}", "é", "𝄞", "\u{FEFF}", " ", "\n",
      "/*",
      "\"a\":", "{\"a\":1}", "[[", "]]", "'", "\u{B}",
    ].map { Array($0.utf8) } + [
      [0x80], [0xC0, 0x80], [0xC2], [0xE0, 0x9F], [0xED, 0xA0, 0x80], [0xEF, 0xBF], [0xF0, 0x8F], [0xF4, 0x90], [0xFF],
    ]
}
