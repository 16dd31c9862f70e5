/// The forms of a request target (RFC 9112 §3.2). The fourth, authority-form, belongs to CONNECT alone.
package enum TargetForm: Sendable { case origin, absolute, asterisk }
