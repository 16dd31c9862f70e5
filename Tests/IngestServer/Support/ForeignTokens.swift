/// Keys and tokens that others have made, for keys and tokens to be read here.
enum ForeignTokens {
  /// RFC 7515 Appendix A.2.1; the exponent is AQAB.
  static let rsaModulus = """
    ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR\
    T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
    dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia\
    GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
    """

  /// RFC 7515 Appendix A.2.1: of "joe", good until 2011-03-22T18:43:00Z.
  static let rs256 = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19\
    yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt\
    _O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb\
    1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI\
    8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
    """

  /// RFC 7515 Appendix A.3.1.
  static let p256 = ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")

  /// RFC 7515 Appendix A.3.1, the same.
  static let es256 = """
    eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19\
    yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU\
    1Q
    """

  /// RFC 8037 Appendix A.2.
  static let ed25519 = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

  /// RFC 8037 Appendix A.4.
  static let edDSA = """
    eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR\
    6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
    """

  /// Made by PyJWT 2.15, as is the token.
  static let pssModulus = """
    vOAYC5ZdySeI6Pc6j0yA62MZFAr3npGLVjEsPUIRYDAgEL_g-LcRX1UcxWuwaq23_MmZ-sxK3ZT8tDpYMi75EC2QsBoIgnjugCAJ\
    q4ZVgzRLTQKO_yC28tXibY_O1ClR4cQ4nerF0jPIQRgfc-ziXIrp73iTQcNattM8WgVrJ4IKYBnq4SssvuC2QszUTwabtaHSXAyC\
    BHw4lbdLeUN6dbpkXkkvjPDVZUTVxqZ-et7fbnnYLkMgLrYXNzVX9CQoQIDMpa1HSe7u9vdeiI27kgJ1KRBN_WEQXjZ_zEO5jvcV\
    wUjkiZu-0_Vxsa9WzQKtGf1ribOkweUtdlZsQu1xjQ
    """

  /// Of "phone-1", good until 2030-03-17T17:46:40Z.
  static let ps256 = """
    eyJhbGciOiJQUzI1NiIsImtpZCI6InBzIiwidHlwIjoiSldUIn0.eyJzdWIiOiJwaG9uZS0xIiwiZXhwIjoxOTAwMDAwMDAwfQ.l\
    wmwFXGpxW7LeFWEuy4kELQ_b81iCg20aiSO0ro5-mhd1ZkG7gSuEmP6CvLkFW1SKR0eMv87d79CCZA2T_uwYioXJjiIhK22Y51M6\
    q9Yfzw7zqQCZh0aHzXoDilHm3ic6U-HJy1nsiORqb5FWCTKXoUt_mDIaEwZo757ltF9pdoR20-aSDy5IEkaxYL_gg2pPhU8npLtD\
    76EpDu9NnDm8ZfoM4axpXKeSBP4bIxTX37i1T1-GogzzZXzt5hGKQUPMjwS3luY2p8ltFx9ssjr1zmCQnuLF-R8LmYWonsbXzeW0\
    qnvl-va68uxWHITKFGBObpD2ZuRFT-1WUWXNMGTnQ
    """

  /// 1024 bits, made by PyJWT 2.15, as is the token.
  static let weakModulus = """
    lIEVmIomxMByG7bzN4EHiBgbedNkdU2fvYPTzxAir1E97ne6HeB9tskj9HGhoCw_R0wtI2yorhWCpzQ7gQHfQQrdTqBQb-denTKA\
    HbwFIEZhPCTa0ZK2dfedHDDALxEmXtjxd8XwRUUOC4vT0lfbkvgUIw-moM8SOk0qiGE1YTk
    """

  /// Of "phone-1", good until 2030-03-17T17:46:40Z.
  static let weak = """
    eyJhbGciOiJSUzI1NiIsImtpZCI6IndlYWsiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJwaG9uZS0xIiwiZXhwIjoxOTAwMDAwMDAwf\
    Q.Rg2ZzoCd7G7cfq1iQgO1wV4QWP0zfwYJ12cZrKVN5p73KCYbo1Zt8lI0za9xf9CxH4iPpm9nrw6y3SuKbFdMd0TM4KEjPj5wyc\
    Ti_GQJLlarTm6_7IDweTL-7vonKr5yBEZDjpc0Yo7XRlBmYYxjpOMXx3Lzn7vEC9SydDMatsI
    """
}
