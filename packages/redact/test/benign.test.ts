import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../src/redactor.ts';

const redactor = createRedactor({ exactValues: () => ['an-unrelated-secret-value'] });
afterAll(() => redactor[Symbol.asyncDispose]());

const LINES = String.raw`
commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904
HEAD is now at 9fceb02 Fix token = null in parser (#123)
Merge: d670460 2f6f38c
index 83db48f..bf269f4 100644
From https://github.com/octo/widget * branch 9fceb02d0ae598e95dc970b74767f19372d61af8 -> FETCH_HEAD
git clone git@github.com:octo/widget.git && git clone ssh://git@github.com/octo/widget.git
request 123e4567-e89b-12d3-a456-426614174000 took 12 ms
"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
"resolved": "https://registry.example.test/@scope/pkg/-/pkg-1.2.3.tgz",
"node_modules/cookie": { "version": "0.6.0", "integrity": "sha512-U71cyTamuh1CRNCfpGY6to28lxvNwPG4Guz/EVjgf3Jmzv0vlDp1atT9eS5dDjMYHucpHbWns6Lwf3BKz6svdw==" }
"js-tokens": "^4.0.0", "csrf-token": "^1.0.0", "node_modules/path-key": { "version": "3.1.1" }
github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=
Digest: sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c
image: ghcr.io/octo/widget@sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c
Cache restored from key: node-cache-Linux-x64-npm-2f8a7b1c9d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8
key: setup-go-Linux-x64-ubuntu22-go-1.22.1-b5bb9d8014a0f9b1d61e21e796d78dccdf1352f2
const key = process.env.API_KEY ?? config.auth.apiKey;
const password = process.env.DB_PASSWORD; const secret = readSecret(name);
const { token, secret } = await getInput('github-token', { required: true });
apiKey: process.env.OPENAI_API_KEY, token: options.token, password: this.password, secret: crypto.randomBytes(32)
token: string; password?: string; secret: Uint8Array; apiKey: Base64UrlString; accessKey: AccessKeyId2;
private_key: ed25519.Ed25519PrivateKey, private_key: "_RSAPrivateKey"
token = makeTokenV2(secret1); token: tokens[0]; password: user1.password; secret = base64Secret;
setValues({ ...values, showPassword: !values.showPassword }); exceptionMessage.append(", for type token: ").append(token.toString()).append('.');
"listenBrainzToken": "ListenBrainzユーザートークンを入力", "clickHereForToken": "ここをクリックしトークンを入手"
password: ${'$'}{{ secrets.DB_PASSWORD }}
password: "${'$'}{DB_PASSWORD}" token: <your-token> secret: *** api_key: xxxxxxxxxxxx token=%TOKEN% key={{ .Values.apiKey }}
API_KEY=your_api_key_here SECRET=changeme PASSWORD=<password> TOKEN=XXXXX-XXXXX-XXXXX-XXXXX SECRET_KEY=${'$'}SECRET_KEY
Authorization: Bearer <token>
Authorization: Bearer ${'$'}{token}
headers: { authorization: req.headers.authorization, Authorization: 'Bearer ' + token }
WWW-Authenticate: Bearer realm="api", error="invalid_token"
curl -u user:password https://example.test/ ; curl -H "Authorization: token YOUR_TOKEN" ; docker run -u 1000:1000 app
postgres://user:password@localhost/db and https://<user>:<password>@host/ and http://${'$'}USER:${'$'}PASS@host/
Listening on http://localhost:3000
admin@example.test logged in
SyntaxError: Unexpected token: '<', "<!DOCTYPE "... is not valid JSON; Unexpected token: punc (;)
Error: secret not found: projects/widget/secrets/db-password
private_key: /etc/ssl/private/server1.pem, secret: ./config/app-secret.yml, "token": "src/lexer/token-stream.ts"
max_tokens=4096 token: 12345678 tokens: 1500 token_type: bearer tokenizer: gpt2-medium
secretName: my-app-tls secretKeyRef: { name: db-credentials, key: password }
if (text.startsWith('-----BEGIN ' + 'PRIVATE KEY-----')) return text.replace('-----END PUBLIC KEY-----', '');
"-----BEGIN PRIVATE KEY-----" and "-----END PRIVATE KEY-----" are the markers of a key
<div class="sk-fading-circle sk-estimator-doc-link sk-toggleable__control"> risk-assessment-for-2024-and-later
cookie: { secure: true, maxAge: 3600 } Cookie: theme=dark; lang=en res.setHeader('Set-Cookie', serialize(name, value))
at Object.<anonymous> (/home/runner/work/app/src/auth/token.ts:12:34) C:\Users\new\tokens\secret.ts:10:2
SG.Config.Value hf_tokenizer xoxo-hugs AKIA is a prefix; eyJ is how a JWT begins; ghp_ too
The password must have 8 characters. Password: required. token: invalid, secret: missing password=none
Please enter your password: "password": "Please enter your password"
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDRm octo@example.test
[INFO] Including io.jsonwebtoken:jjwt-api:jar:0.11.2 and org.springframework.security:spring-security-oauth2-jose:jar:5.7.3
key: Linux-build-cache-pypi-modules-1a184bde04a16a515eeccd5e9f373265f026270d180ef4f6777e951dbd14bf19 restored
INFO     botocore.credentials:credentials.py:1102 Looking for credentials via: env
const token = /^Bearer ([^ ]+)$/.exec(header); expect(token).toMatch(/token=|key=/); password = /^[a-z0-9]{8,}$/
function tokenOf(authorization: string): string { return of(authorization, secret = github.app.clientSecret): string }
['*.token', '*.secret', 'authorization', 'cookie'], for (const path of ['/etc/passwd', 'src/../run2.sh', 'link/passwd', 'b2/c'])
t("password", "Your password, 8 characters"); form.get("token", "csrf-token"); {"name":"token","value":"$TOKEN"} secret value: missing
docker run -p 8080:80 app ; redis-cli -p 6379 ping ; mysql -h db1 -P 3306 -u root shop ; psql -p 5432 ; docker login -u ci --password-stdin
the password is required; the password is confidential; your password was reset; the password is at least 8 characters long; token is not valid
eslint a.js:12:5:E501:semi src/x.py:1234:a:b:c:d test:1:2:3:4 aa:bb:cc:dd:ee:ff 10.0.0.1:5432:db:up
?code=ECONNREFUSED&state=open ?code=404 GET /callback?code=not_found_in_this_place
API-COMPATIBILITY-LAYER-2026 EAACounter key-value pul-request pat-terns napi_create_function re_export_named rdme_build
W/"5f3e-18c2a1b2c3d" etag; x-request-id: 9C2A:3F1B:4D5E6F:7A8B9C:65A1B2C3 ; nonce-2726c7f26c
tests pass: 12 | tests pass: 123456 | pass: true | pass: 3 | --pass 3 of 4 | --pass second | bypass=true | bypass=enabled1 | compass: north-west-2 | path: src/main2.js
PASS src/x.test.js | PASS: TestOrders2 | --- PASS: TestCheckout/two_items (0.00s) | ok 12 - pass: orders | "pass": "12 of 20", "passes": 31, "pass": 1234567
pass: loop-unroll-2 | pass: LoopUnroll2 | firstPass = compile(ast) | const pat = "src/**/*.test.ts" | FILE_PAT="*.log.gz" | pat: /^[a-z0-9]{8,}$/ | dispatch: job12345
this.bloomPass = bloomPass2 | renderPass: renderTarget1 | BYPASS=enabled1 | COMPASS=north2 | TESTPASS: 12345678
Access denied: wrong password 'root' and password "letmein" for it | user.password('tooShort')
git@github.com:owner/x https://user@host/x https://jane.doe85@git.example.test/owner/x https://octo-deploy@example.test/ https://x-access-token@example.test/
password VARCHAR(60) NOT NULL, password_hash TEXT DEFAULT '', COMMENT ON COLUMN users.password IS 'hashed with bcrypt2'
CREATE USER app IDENTIFIED BY '<password>'; ALTER ROLE app PASSWORD '${'$'}{DB_PASSWORD}'; ALTER ROLE app PASSWORD NULL; ALTER USER app PASSWORD EXPIRE
Authorization: SSWS ${'$'}{token} | SSWS is the scheme of Okta | secretString = client.getSecretValue(request).secretString() | SecretString: string
cookie: disabled | Cookie: none | cookies: { enabled: true, path: '/', sameSite: 'lax' } | 'set-cookie': [] | "cookies": [] | cookies=None
const cookie = parse(req.headers.cookie); res.cookie(name, value, { httpOnly: true }); document.cookie = serialize(name, value); cy.setCookie(name, value)
'set-cookie': [ 'theme=dark; Path=/; Expires=Wed, 01 Jan 2031 00:00:00 GMT; Max-Age=31536000', 'lang=en; SameSite=Lax' ]
curl -b cookies.txt -c cookies2.txt --cookie-jar jar2026.txt https://a.test/ ; git checkout -b feature/cookie=banner ; cookie session not found
"cookies":[{"name":"theme","value":"dark","path":"/"}], {"name":"consent","value":"true","domain":".a.test"}, {"name":"session","value":"chromium"}
{"name":"id","value":"123e4567-e89b-12d3-a456-426614174000"}, {"name":"GITHUB_SHA","value":"9fceb02d0ae598e95dc970b74767f19372d61af8"}
Added cookie theme="dark" for domain a.test, path /, expire 0 | <Cookie theme=dark for a.test/> | Cookie: {} | cookies: [object Object]
cookie-parser 1.4.7, tough-cookie@4.1.3: deprecated, "cookie": "^0.7.2", "@types/cookie": { "version": "0.6.0" } | cookie.ts:12:5 | cookie (v2.1.4)
a.test FALSE / TRUE 1893456000 theme dark | "HTTP_COOKIE"=>nil | HTTP_COOKIE= | JSESSIONID=<id> | PHPSESSID=${'$'}{SID} | ;jsessionid=...
'cookie', 'set-cookie', 'x-request-id=1' | cookies.get('session-name'), cookies = ['name=value'] | Cookie name=value; the cookie a=b is deleted
sb_secret_key_of_the_project sb_secret_store pcsk_index pcsk_3 FAQ.Answers AQ.html ATCTT3 secret_manager_v2 secret_ManagerServiceConfigurationProviderFactory
pat-na1-xxxxxxxx pat-eu1 csk-cluster jina_embeddings_v3 jina_clip_v2 fw_version_2026 fw_cfg fw-bold e2b_sandbox_template rnd_state_12 rnd_seed sk-foldingcubeanimationcontainer
ddp_find_unused_parameters=False ddp_backend="c10d" xoxd-cookie CFPAT-token access_token${'$'}production EAAAnything hcaik_ xaat-test-token xapt- xprv and xpub keys
bedrock-api-key-rotation-2026 ABSK 0.123e4567-e89b-12d3-a456-426614174000.log 0.123e4567-e89b-12d3-a456-426614174000 sk.eyJ pk.eyJ cfut_ cfat_table
12345678:AA 1763664000:AAPL:12 bot123456789:start x_eyJ.a.b heyJude12345.something12.else12 _heyJoeHandler.addEventListener.call surveyJs_controller.controller_name.x
WWW-Authenticate: Digest realm="a", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c0", opaque="5ccc069c403ebaf9f0171e9517f40e41" | Authorization: Digest
Digest: sha-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE= | response=9e107d9d372bb6826bd81d3542a419d6 of /a.json | digest of the response=12
app:password@tcp(db:3306)/shop | <user>:<password>@tcp(127.0.0.1:3306)/shop | %s:%s@tcp(%s:%d)/%s | root:@tcp(db)/ | ${'$'}USER:${'$'}PASS@tcp(db:3306)/x
sqlplus / as sysdba | sqlplus user/password@db | sqlplus app/${'$'}{PW}@//db:1521/X | sqlplus /nolog @run2.sql | sqlplus app@//db:1521/shop2
uses: actions/checkout@v4 | octo/widget@9fceb02d0ae598e95dc970b74767f19372d61af8 | pull registry.test:5000/octo/app4@sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c
git clone ssh://git@host:2222/octo/app2 | npm i @scope/pkg2@1.2.3 left/pad2@main | https://a.test/@mara/status2 | src/a2@2x.png | user/repo2@host
keytool -storepass changeit | -storepass:env STORE_PASSWORD2 | -storepass "${'$'}STORE_PASSWORD" | openssl -passin env:PASS2 -passout file:out2.txt -passin stdin
opt -passes=mem2reg2 | one -pass renderer2 | two-pass LoopUnroll2 | go test -pass 12 | -storepass <password> | -keypass must be at least 6 characters
PSK: TLS_AES_256_GCM_SHA384 | psk=<your-psk> | PSK-AES256-CBC-SHA | PSK identity: None | PSK identity hint: None | modulation: QPSK, qpsk=true | psk: disabled
FERNET_KEY=${'$'}{FERNET_KEY} | fernet_key: <key> | fernet_key = Fernet.generate_key() | FERNET_KEY must be 32 url-safe base64-encoded bytes
Passwort: erforderlich | Kennwort: mindestens 8 Zeichen | Mot de passe : obligatoire | Contraseña: debe tener 8 caracteres | Senha: obrigatória
Wachtwoord: vereist | Hasło: wymagane (8 znaków) | Heslo: povinné | Lösenord: krävs | Adgangskode: mindst 8 tegn | Salasana: pakollinen | Jelszó: kötelező
Пароль: обязателен | Пароль: минимум 8 символов | Парола: задължителна | Лозинка: обавезна | Κωδικός πρόσβασης: υποχρεωτικός | токен: недействителен
密码：至少8个字符 | 密码：必填 | 密码：未设置（2026年）| 密钥：未配置 | パスワード：8文字以上 | パスワード: 必須 | 비밀번호: 8자 이상 | 비밀번호：필수
סיסמה: חובה | كلمة المرور: مطلوبة | رمز عبور: الزامی | पासवर्ड: आवश्यक है | รหัสผ่าน: จำเป็น | Mật khẩu: bắt buộc | Kata sandi: wajib | Şifre: gerekli
{"password": "Passwort", "placeholder": "Passwort eingeben", "passwort": "Bitte geben Sie Ihr Passwort ein", "mdp": "mot de passe", "senha": "Digite a senha"}
Passwort: ${'$'}{PASSWORT} | Passwort: <passwort> | Passwort: ******** | 密码：******** | 密码：<密码> | Contraseña: {{contraseña}} | Senha=%SENHA% | mdp: xxxxxxxx
Passwort vergessen? | Le mot de passe est incorrect | La contraseña es obligatoria | 密码错误 | パスワードが違います | Пароль неверный (код 401) | le mot de passe : oublié
clave: valor | parole: parole | chiave segreta: valore | clé API : manquante | API-Schlüssel: fehlt | heslo = form.heslo | senha = request.senha | parola: string
Das Passwort ist abgelaufen | Das Passwort ist zu kurz | le mot de passe est obligatoire | la contraseña es incorrecta | a senha é obrigatória | heslo je krátké
密码是必填项 | 密码为空 | パスワードは8文字以上です | 비밀번호는 8자 이상 | mật khẩu là bắt buộc | пароль — обязательное поле | Passwort → Kennwort | | Passwort | Pflicht |
/ghost|passwd|4000|deadbeef1/ (bearer|token|digest|api-?key|aws4-hmac-sha256) | token | string | yes | | Password | required | | password | Passwort | | name | value | cat token | sha256sum | cut -c1-8 | Passwort (optional): leer
cookies: { theme: dark, lang: en } | Cookies:\n  enabled: true | cookies.set(name, value) | cookies.enabled: "true" | cookie.path=/app2 | cookie.maxAge: 3600000
connect to db/shop2@host | app:${'$'}PW@tcp(db) | a:b@c(d) | plink -pw "${'$'}PW" | -Password ${'$'}cred.Password | -password required | pw=${'$'}PW | pw: string | PW=<pw>
{"name":"commit","value":"9fceb02d0ae598e95dc970b74767f19372d61af8","path":"/a","domain":"a.test"} cookies: { "build": "9fceb02d0ae598e95dc970b74767f19372d61af8" }
docker run -b x=sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c | secret | base64url | yes | | Token | OAuth2 | x | pw:browser <launched> pid=71
senha = PasswordField("Senha") ; ${'$'}senha = ${'$'}_POST["senha"]; contraseña: z.string().min(1); nuevaContraseña = lector.readLine(); Пароль: {self.password}
Passwort: siehe https://a.test/x2 | 密码：1-20位 | Hasło: min. 8 znaków | Passwort: 8-20 Zeichen | heslo = db2.heslo | mdp = getMdp2() | senha: user1.senha,
**Password:** required | **Token:** see the docs | **Password**: at least 8 characters | **Token** : expired | *Secret*: none | **API key:** missing
[main] INFO cache [0m 2026-11-20 19:18:43,123 worker-7f9c6d5b8-x2k4j started in 1.234s
`
  .trim()
  .split('\n');

describe('benign text', () => {
  it.each(LINES)('is left as it is: %s', async (line) => {
    expect(await redactor.redact(line)).toBe(line);
  });

  it('is left as it is in one piece, with stamps, colours and as JSON', async () => {
    const all = LINES.join('\n');
    const stamped = LINES.map((line) => `2026-11-20T19:18:43.1234567Z \x1b[36m${line}\x1b[0m`).join('\n');
    for (const text of [all, stamped, JSON.stringify(all), JSON.stringify(JSON.stringify(stamped))]) {
      expect(await redactor.redact(text)).toBe(text);
    }
  });

  it('such as a certificate is left as it is', async () => {
    const body = Array.from({ length: 12 }, () => 'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ');
    const text = `-----BEGIN CERTIFICATE-----\n${body.join('\n')}\n-----END CERTIFICATE-----\n`;
    expect(await redactor.redact(text)).toBe(text);
  });

  it.each([
    'package-lock.json',
    'package.json',
    'biome.json',
    'src/core/account/account.ts',
    'src/db/store.ts',
    'src/log.ts',
  ])('such as our own %s is left as it is', async (file) => {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    expect(await redactor.redact(text)).toBe(text);
  });
});
