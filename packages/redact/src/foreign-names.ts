// What people call a password, a key or a token in their own language, as an expression.

/** Of a compound (`Datenbankpasswort`) the end is enough. */
const NAMES = [
  // Germanic.
  'passwort, kennwort, passphrase, api-schlüssel, zugangsschlüssel, geheimschlüssel, zugangscode, wachtwoord, wagwoord',
  'adgangskode, kodeord, lösenord, passord, lykilorð, api-sleutel, api-nyckel',
  // Romance.
  'mot de passe, mdp, clé api, clé secrète, clé privée, jeton, contraseña, clave secreta, clave api, clave de api',
  "contrasenya, contrasinal, senha, palavra-passe, palavra passe, chave secreta, chave api, parola d'ordine, parola chiave",
  'chiave segreta, chiave api, parolă, parola de acces',
  // Slavic and Baltic.
  'hasło, heslo, geslo, lozinka, лозинка, парола, пароль, токен, ключ api, секретный ключ, секрет, секретний ключ, parole',
  'slaptažodis',
  // Others of Europe.
  'salasana, parool, salasõna, jelszó, pasahitza, fjalëkalimi, cyfrinair, pasfhocal, pasvorto, κωδικός πρόσβασης, κωδικός',
  'συνθηματικό, şifre, პაროლი, գաղտնաբառ',
  // Asia and Africa.
  'סיסמה, סיסמא, كلمة المرور, كلمة السر, رمز عبور, گذرواژه, پاس ورڈ, पासवर्ड, कूटशब्द, পাসওয়ার্ড, கடவுச்சொல், รหัสผ่าน',
  'mật khẩu, kata sandi, kata laluan, nenosiri, құпиясөз, 密码, 密碼, 口令, 密钥, 密鑰, 秘钥, 令牌, 秘密鍵, パスワード, トークン, シークレット, apiキー, 暗証番号',
  '비밀번호, 패스워드, 암호, 토큰, 시크릿, api 키',
].flatMap((names) => names.split(', '));

const ACCENTS = /\p{M}/gu;

/** As words and as one (`mot_de_passe`, `motDePasse`), composed and decomposed, and Latin without its accents. */
function listNameSpellings(name: string): string[] {
  const joined = name.includes(' ') ? ['', '_', '-'].map((sign) => name.replaceAll(' ', sign)) : [];
  return [name, ...joined].flatMap(listAccents);
}

function listAccents(name: string): string[] {
  const decomposed = name.normalize('NFD');
  const plain = decomposed.replace(ACCENTS, '').replaceAll('ł', 'l').replaceAll('ð', 'd');
  return [name.normalize('NFC'), decomposed, ...(/^[ -~]+$/.test(plain) ? [plain] : [])];
}

/** The names from their ends, for an expression that comes from behind them. */
function joinByEnds(names: readonly string[]): string {
  const groups = Map.groupBy(names, (name) => name.slice(-1));
  return [...groups]
    .map(([last, ones]) => {
      const starts = ones.map((name) => name.slice(0, -1));
      if (last === '') return '';
      const inside = starts.length === 1 ? (starts[0] ?? '') : `(?:${joinByEnds(starts)})`;
      return inside + last;
    })
    .join('|');
}

const SPELLINGS = [...new Set(NAMES.flatMap(listNameSpellings))];
const IS_ASCII_END = /[ -~]$/;

/** For a lookbehind: one look at the character before tells most texts from names in another script. */
export const FOREIGN_NAMES = [
  `(?:${joinByEnds(SPELLINGS.filter((name) => IS_ASCII_END.test(name)))})`,
  `(?:${joinByEnds(SPELLINGS.filter((name) => !IS_ASCII_END.test(name)))})(?<=[^ -~])`,
].join('|');
