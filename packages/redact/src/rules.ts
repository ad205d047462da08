// Our own rules, for what the maintained ones miss or report wrongly. Every repetition is bounded or starts at a
// boundary: no text makes them slow.
import { isCookieObject, isInCookieJar } from './cookies.ts';
import { FOREIGN_NAMES } from './foreign-names.ts';
import { isCredential, isPlaceholder, isRandom, isRandomRun, isSecretLiteral, type Writing } from './literals.ts';
import { CRYPT_HASHES, MIDDLE_TOKENS, UNMISTAKABLE_TOKENS, WHOLE_WORD_TOKENS } from './token-forms.ts';

/**
 * A form of secret. The last group that took part is the secret, and the first of several its context; without groups it
 * is the whole match. With the flag `d` it may be before the match: what is rare is searched for first. `wrapped`: how it
 * is recognised across a line break. `form`: the whole has the form, however short the first line; `start`: the first line
 * must be recognised by itself, and the next is only added if it looks random.
 */
export interface Rule {
  readonly pattern: RegExp;
  /** What the text must hold for the pattern to be tried: for those that cannot start with a fixed letter. */
  readonly needs?: string;
  readonly wrapped: 'form' | 'start';
  readonly accepts?: (secret: string, context: string, match: RegExpExecArray) => boolean;
}

// Commands that take a password with `-p`, `-P`, `-w` or `-a`; followed by a number it is a port.
const COMMANDS =
  'sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oras|oc|az|cf) login|redis-cli|mysql\\w{0,10}|mariadb(?:-\\w{1,10})?|mongo(?:sh|dump|restore|import|export)?|ldap(?:search|modify|add)|sqlcmd|7z';

// Names that hold secrets, as they end: `dbPassword`, `AWS_SECRET_ACCESS_KEY`, `x-api-key`, `_authToken`.
const KEYS =
  'api|access|secret|private|encryption|signing|master|account|storage|session|deploy|auth|admin|app|application|licen[cs]e|webhook|subscription|service|ingest(?:ion)?|integration|jwt|hmac|fernet|cipher|cookie|shared';

const NAME = `pass(?:word|wd|phrase)|pwd|secret(?:[-_]?string)?|token|_auth|(?:${KEYS})[-_]?key|secret_key_base|credentials?|honeycomb[-_]team|(?:store|key)pass`;

/** `DB_PASS`, `GH_PAT`: short names that end so, where a separator says that they are no part of a word. */
const SHORT_NAME = '[-_.](?:pass|pat)';

/** `pass`, `pw` and `pat` as whole words, and as in `dbPass` and `PGPASS`: never the end of `bypass`, `compass` or `path`. */
const SHORT_WORD =
  '(?:(?<![A-Za-z0-9])(?:pass|Pass|PASS|pat|Pat|PAT|p[Ww]|P[Ww])|(?<=[a-z0-9])(?:Pass|Pat)|(?<=[A-Z])(?<!BY|COM|OVER|UNDER|TRES|SUR)PASS)';

const PASSWORD = /^[-_.]?(?:pass|pwd)/i;

const VALUE =
  '"([^"\\n\\uFFFF]{6,1000})"|\'([^\'\\n\\uFFFF]{6,1000})\'|["\'`]?((?:[^\\s"\'`,;<>{}&\\\\\\uFFFF]|&(?!\\w{1,40}=)|\\\\(?![nrtbfux"\'`/\\\\])){6,1000})';

const GAPS = '[ \\t]{0,3}';

const NAMED_VALUES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `((?:${NAME})\\\\{0,3}["'\`\\]*]{0,2}${GAPS}(?:=>|:=|==?|:)(?:\\*\\*)?${GAPS})(?:${VALUE})`,
      'gi',
    ),
    wrapped: 'start',
    accepts: acceptsAssigned,
  },
  {
    pattern: new RegExp(`(${SHORT_WORD}\\\\{0,3}["'\`\\]]{0,2}${GAPS}(?:=>|:=|==?|:)${GAPS})(?:${VALUE})`, 'g'),
    wrapped: 'start',
    accepts: acceptsShort,
  },
  {
    // A block of YAML: the value is the only word of the next line.
    pattern: new RegExp(
      `:(?=[ \\t]{0,3}[|>])(?<=((?:${NAME}|\\bpass|${SHORT_NAME})["']?):)[ \\t]{0,3}[|>][-+\\d]{0,2}[ \\t]{0,3}\\r?\\n[ \\t]{1,40}([^\\s\\uFFFF]{6,1000})(?=[ \\t]{0,3}(?:\\r?\\n|$))`,
      'dgi',
    ),
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, 'quoted', PASSWORD.test(context)),
  },
  {
    // SQL, which writes no sign between them, or brackets: MySQL's `PASSWORD('…')`.
    pattern:
      /(\b(?:password|identified(?: with [\w"'`]{1,60})? by(?: password)?)(?:\s{1,10}|\s{0,3}\(\s{0,3})\\{0,3}['"])([^\s'"\\\uFFFF]{4,256})(?=\\{0,3}['"])/gi,
    wrapped: 'start',
    accepts: acceptsSql,
  },
  {
    // The value in a field of its own: an attribute, an environment of a container.
    pattern: new RegExp(
      `((?:${NAME}|${SHORT_NAME})["']?${GAPS}[,;]?\\s{0,40}["']?value["']?${GAPS}[:=]${GAPS})(?:"([^"\\n\\uFFFF]{6,1000})"|'([^'\\n\\uFFFF]{6,1000})'|([^\\s"',;<>{}\\\\\\uFFFF]{6,1000}))`,
      'gi',
    ),
    wrapped: 'start',
    accepts: (value, context, match) =>
      isSecretLiteral(value, match[4] === undefined ? 'quoted' : 'bare', PASSWORD.test(context)),
  },
  {
    // Two arguments: `define('DB_PASSWORD', '…')`, `setProperty("token", "…")`.
    pattern: new RegExp(`((?:${NAME}|${SHORT_NAME})["'],${GAPS}["'])([^"'\\s\\uFFFF]{6,1000})(?=["'])`, 'gi'),
    wrapped: 'start',
    accepts: (value) =>
      isRandom(value) || (value.length >= 12 && !value.includes('/') && isSecretLiteral(value, 'quoted', false)),
  },
  {
    // A sentence: "the password is …".
    pattern: /(\bpass(?:word|phrase) (?:is|was|set to):? {1,2}["'`]?)([^\s"'`,;<>{}\\\uFFFF]{8,256})/gi,
    wrapped: 'start',
    accepts: (value) => /\d/.test(value) && isSecretLiteral(value, 'bare', true),
  },
  {
    // User and password in one, for a registry.
    pattern: /(["']_?auth["']\s{0,3}:\s{0,3}["'])([A-Za-z0-9+/]{12,1000}={0,2})(?=["'])/g,
    wrapped: 'start',
    accepts: (value) => /^[\x21-\x7e]{1,200}:[\x20-\x7e]{3,500}$/.test(Buffer.from(value, 'base64').toString('latin1')),
  },
  {
    pattern: new RegExp(`(<(?:\\w{1,20}[-_.:]){0,3}(?:${NAME}|pass)>)([^<>\\s\\uFFFF]{6,1000})(?=</)`, 'gi'),
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, 'quoted', /pass|pwd/i.test(context)),
  },
  {
    // .pgpass: host, port, database, user, password.
    pattern:
      /((?:^|[\n"'=`])[\w.*-]{1,200}:(?:\d{4,5}|\*):[\w*-]{1,100}:[\w*-]{1,100}:)([^\s:"'&`\\\uFFFF]{6,256})(?=\r?\n|["'&`]|$)/g,
    wrapped: 'start',
    accepts: (value) => isSecretLiteral(value, 'quoted', true),
  },
];

function acceptsAssigned(value: string, context: string, match: RegExpExecArray): boolean {
  const before = match.input.slice(Math.max(0, match.index - 80), match.index);
  if (/:\/\/[\w.-]{0,60}$/.test(before)) return false; // The user name of an address: the rule for addresses cuts less.
  return isSecretLiteral(value, classifyWriting(context, match, before), PASSWORD.test(context));
}

/**
 * Tests pass as well: unquoted, a bare `pass` is a password only where the value looks like nothing else. A PAT is
 * random.
 */
function acceptsShort(value: string, context: string, match: RegExpExecArray): boolean {
  if (/^pat/i.test(context)) return /^[\w.~=-]+$/.test(value) && isRandom(value);
  const before = match.input.slice(Math.max(0, match.index - 80), match.index);
  if (/^PASS/.test(context) && /[A-Z]$/.test(before)) return isRandom(value) && isSecretLiteral(value, 'bare', true);
  const writing = classifyWriting(context, match, before);
  const isAlone = !/[\w.-]$/.test(before);
  // `bloomPass = bloomPass2`: passes of a renderer or a compiler are assigned from names like their own.
  const isCamelCode = writing === 'bare' && /^Pa/.test(context) && /[a-z0-9]$/.test(before);
  return isSecretLiteral(
    value,
    writing === 'environment' && isAlone ? 'bare' : writing,
    (!isAlone && !isCamelCode) || writing === 'quoted',
  );
}

/**
 * In lower case `wrong password 'root'` is a sentence, unless a statement began before it, and `password('short')` is
 * code.
 */
function acceptsSql(value: string, context: string, match: RegExpExecArray): boolean {
  if (isPlaceholder(value)) return false;
  if (/^(?:PASSWORD|[Ii]dentified|IDENTIFIED)/.test(context)) return true;
  const before = match.input.slice(Math.max(0, match.index - 80), match.index);
  return isRandom(value) || (!context.includes('(') && /\b(?:role|user|with)\b[^;\n]*$/i.test(before));
}

/**
 * `NAME=value` at the start of a line, as in a shell or an .env file, is never code; so there even a plain word is the
 * secret.
 */
function classifyWriting(context: string, match: RegExpExecArray, before: string): Writing {
  if (match[4] === undefined || match[0] !== context + match[4]) return 'quoted';
  if (!/^[A-Z_]+=$/.test(context)) return 'bare';
  return /(?:^|\n)(?:.{0,20}[ \t+])?[A-Z0-9_]*$/.test(before) ? 'environment' : 'bare';
}

const BLANKS = '[ \\t\\u00A0\\u202F\\u3000]';

/** A name in another language, as it ends before what is looked back from; a note may follow it: `(staging)`. */
const FOREIGN_NAME = `(?:${FOREIGN_NAMES})(?:n|et)?(?: ?[(（][^()（）\\n]{1,30}[)）])?\\\\{0,3}["'\`\\])*」』]{0,3}`;

/** ASCII and Latin: what follows in another script is a text. */
const FOREIGN_VALUE = '([\\w!#$%()*+./:=?@^|~\\[\\]\\u00C0-\\u024F-]{6,1000})';

/**
 * The value behind a name in another language. Searched by the sign or verb between them, since the names are many: from their first
 * letters it took ten times as long.
 */
const FOREIGN_VALUES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `([:=\\uFF1A\\uFE55\\uFF1D→—–是为為は는은](?<!\\d.)(?<=${FOREIGN_NAME}(?: lautet| is| ist)?[是为為は]?${BLANKS}{0,3}.)>?(?:\\*\\*)?${BLANKS}{0,3}\\\\{0,3}["'\`“”„«「『]?[ \\u00A0\\u202F]?)${FOREIGN_VALUE}`,
      'gi',
    ),
    wrapped: 'start',
    accepts: acceptsForeign,
  },
  {
    pattern: new RegExp(
      `( (?:ist|est|es|é|to|je|är|er|là|adalah)(?<=${FOREIGN_NAME} \\S{1,6}):? ["'\`“„«]?)${FOREIGN_VALUE}`,
      'gi',
    ),
    wrapped: 'start',
    accepts: (value, context) => /\d/.test(value) && acceptsForeign(value, context),
  },
  {
    // A row of a table, with blanks at its lines: an expression has none at its own.
    pattern: new RegExp(
      `(\\|(?<=\\|${BLANKS}{0,3}[^\\s|]{0,20}(?:(?:${NAME})["'\`*]{0,3}|${FOREIGN_NAME})${BLANKS}{1,3}\\|)${BLANKS}{1,3}["'\`*]{0,3})${FOREIGN_VALUE}(?=["'\`*]{0,3}${BLANKS}{1,3}\\|)`,
      'gi',
    ),
    wrapped: 'start',
    accepts: (value) => value.length >= 10 && isRandom(value) && acceptsForeign(value, ''),
  },
];

/** A word of that language has no digit. */
function acceptsForeign(value: string, context: string): boolean {
  const writing = /["'`“”„«「『]\s?$/.test(context) ? 'quoted' : 'bare';
  return /^[ -~]*$|\d/.test(value) && isSecretLiteral(value, writing, true);
}

const COMMAND_VALUES: readonly Rule[] = [
  {
    pattern: /(\bcurl\b[^\n;|&]{0,300}?[ \t](?:-u|--user)[ =]?["']?[^\s:"']{1,100}:)([^\s"'\\\uFFFF]{4,256})/g,
    wrapped: 'start',
    accepts: (value) => !isPlaceholder(value) && !/^\d+$/.test(value),
  },
  {
    pattern: new RegExp(
      `(\\b(?:${COMMANDS})\\b[^\\n;|&]{0,300}?[ \\t]-[paPw][ =]?["']?)(?!\\d{1,5}(?![\\w-]))([^\\s"'\\\\\\uFFFF-][^\\s"'\\\\\\uFFFF]{5,255})`,
      'g',
    ),
    wrapped: 'start',
    accepts: (value) => isCredential(value) && isSecretLiteral(value, 'bare', true),
  },
  {
    pattern:
      /@(?=[\w/])(?<=(\b(?:sqlplus|sqlldr|sqlcl|rman|tnsping|expdp|impdp|exp|imp|conn(?:ect)?)\b[^\n;|&]{0,100}[ \t]\\{0,3}["']?[\w.$#-]{1,64}\/\\{0,3}["']?)([^\s"'`<>@/\\\uFFFF]{4,128})\\{0,3}["']?@)/dgi,
    wrapped: 'start',
    accepts: (value) => isCredential(value) && isSecretLiteral(value, 'bare', true),
  },
  {
    // keytool, jarsigner, plink and PowerShell, which take it as the next word; openssl, whose `env:` and `file:` hold none.
    pattern: new RegExp(
      `((?<![\\w-])-(?:(?:(?:src|dest|new)?(?:store|key)pass|[Pp]assphrase|[Pp]assword|pwd?)[ =]{1,3}|pass(?:in|out)?[ =]{1,3}["']?pass:))(?:${VALUE})`,
      'g',
    ),
    wrapped: 'start',
    accepts: (value) => isSecretLiteral(value, 'quoted', true),
  },
  {
    // Keys that two sides share: WPA, TLS, IPsec, whose file has no sign between.
    pattern: new RegExp(
      `((?<![A-Za-z])(?:[Pp]sk|PSK)(?:["']?${GAPS}(?:=>|[:=])${GAPS}|[ \\t]{1,5}(?=["'])))(?:${VALUE})`,
      'g',
    ),
    wrapped: 'start',
    accepts: (value) =>
      !/^[A-Z0-9]{2,10}([-_])[A-Z0-9]{2,12}\1[A-Z0-9_-]*$/.test(value) && isSecretLiteral(value, 'bare', true),
  },
  {
    // .netrc
    pattern: /(\blogin\s{1,10}\S{1,100}\s{1,10}password\s{1,10})([^\s\\\uFFFF]{4,256})/g,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    pattern: new RegExp(`(--(?:[a-z]{1,20}-){0,3}(?:${NAME}|pass|pat)[ =])(?:${VALUE})`, 'gi'),
    wrapped: 'start',
    accepts: (value, context) => {
      const name = context.replace(/^-.*-(?=\w)/, '');
      return /^pat[ =]/i.test(name) ? isRandom(value) : isSecretLiteral(value, 'quoted', /^(?:pass|pwd)/i.test(name));
    },
  },
];

const COOKIE_VALUES: readonly Rule[] = [
  {
    pattern:
      /(\bname["']?\s{0,3}[:=]\s{0,3}["'][^"'\s]{1,100}["'](?:,\s{0,40}|\s{1,40})["']?value["']?\s{0,3}[:=]\s{0,3}["'])([^"'\s\\\uFFFF]{4,8000})/gi,
    wrapped: 'start',
    accepts: (value, context, { input, index, 0: whole }) =>
      isCookieObject(/["']([^"'\s]+)["'][,\s]/.exec(context)?.[1] ?? '', value, around(input, index, whole.length)),
  },
  {
    pattern:
      /(\bvalue["']?\s{0,3}[:=]\s{0,3}["'])([^"'\s\\\uFFFF]{8,8000})(?=["'],?\s{0,40}["']?name["']?\s{0,3}[:=]\s{0,3}["'])/gi,
    wrapped: 'start',
    accepts: (value, _, { input, index, 0: whole }) => {
      const behind = input.slice(index + whole.length, index + whole.length + 200);
      return isCookieObject(
        /name\W{1,12}([^"'\s]+)/i.exec(behind)?.[1] ?? '',
        value,
        around(input, index, whole.length),
      );
    },
  },
  {
    pattern:
      /((?:TRUE|FALSE)[ \t]{1,8}\/\S{0,200}[ \t]{1,8}(?:TRUE|FALSE)[ \t]{1,8}\d{1,19}[ \t]{1,8}[^\s=]{1,200}[ \t]{1,8})([^\s\uFFFF]{4,8000})/g,
    wrapped: 'start',
    accepts: isInCookieJar,
  },
  {
    pattern: /(cookies?\[\\{0,3}["'][^"'\]\n]{1,100}["']\]\s{0,3}(?:=>|[:=])\s{0,3}["']?)([^"'\s\\\uFFFF]{6,4000})/gi,
    wrapped: 'start',
    accepts: isRandomRun,
  },
  {
    // Names that servers give the cookie of a session, wherever they are.
    pattern:
      /(\b(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid|laravel_session|_gitlab_session|_session_id)["']?\s{0,3}[:=]\s{0,3}["']?)([^\s"'`;,&?<>\\\uFFFF]{6,4000})/gi,
    wrapped: 'start',
    accepts: isCredential,
  },
];

/** What else is in the object that a match is in. */
function around(input: string, index: number, length: number): string {
  const before = input.slice(Math.max(0, index - 200), index);
  const behind = input.slice(index + length, index + length + 200);
  return (
    before.slice(before.lastIndexOf('}') + 1) + behind.slice(0, (behind.indexOf('}') + 1 || behind.length + 1) - 1)
  );
}

/** Of what follows the beginning. */
function isRandomToken(token: string): boolean {
  const rest = token.slice(3);
  return isRandom(rest) || isRandomRun(rest.replace(/^[a-z]{0,4}[-_.]/, ''));
}

export const RULES: readonly Rule[] = [
  { pattern: UNMISTAKABLE_TOKENS, wrapped: 'form' },
  { pattern: WHOLE_WORD_TOKENS, wrapped: 'form', accepts: isRandomToken },
  { needs: '$', pattern: CRYPT_HASHES, wrapped: 'form' },
  ...MIDDLE_TOKENS.map((token): Rule => ({ ...token, wrapped: 'form', accepts: isRandom })),
  {
    pattern: /(?<![A-Z0-9])(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g,
    wrapped: 'form',
  },
  {
    // The secret key after its id: `AKIA…:…`, a line of CSV, two lines of a credentials file without names.
    pattern: /((?:AKIA|ASIA)[A-Z0-9]{16}[\s"',:;|]{1,8})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/g,
    wrapped: 'start',
  },
  {
    pattern: /(aws.{0,20}?(?:secret|key)["']?[ \t]{0,3}[:=]>?[ \t]{0,3}["']?)([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
    wrapped: 'start',
    accepts: (key) => !/^[0-9a-f]+$/.test(key),
  },
  // Telegram, also in its own address, where `bot` precedes it.
  { needs: ':AA', pattern: /(?<!\d)\d{8,10}:AA[\w-]{33}(?![A-Za-z0-9])/g, wrapped: 'form' },
  {
    // JWT, JWS with an empty signature, JWE. A name may precede it, with `_` or `-`, or with nothing where it begins as headers do
    // (`{"alg`, `{"typ`, `{"kid`, `{"x5t`, `{"enc`, `{"cty`); its first part ends where another one begins.
    needs: 'eyJ',
    pattern:
      /(?:(?<![A-Za-z0-9])eyJ|eyJ(?=hbGci|0eXAi|raWQi|4NXQi|lbmMi|jdHki))(?:(?![_-]eyJ|eyJ(?:hbGci|0eXAi|raWQi|4NXQi|lbmMi|jdHki))[\w-]){8,8000}\.(?:(?:eyJ)?[\w-]{8,8000}\.[\w-]{0,8000}(?:\.[\w-]{1,8000}\.[\w-]{1,200})?|\.[\w-]{8,200}\.[\w-]{1,8000}\.[\w-]{8,200})/g,
    wrapped: 'form',
  },
  {
    // The proof of a password by Digest, which can be tried offline.
    pattern:
      /(\bdigest[ \t]{1,3}(?:[\w-]{1,20}=(?:\\{0,3}"[^"\n]{0,500}"|[^\s,"]{0,500})[ \t]{0,3},\s{0,10}){0,16}response=\\{0,3}["']?)([0-9a-f]{32,128})(?![0-9a-f])/gi,
    wrapped: 'start',
  },
  {
    pattern:
      /((?:proxy-)?authorization["']?[ \t]{0,3}[:=][ \t]{0,3}["'`]?(?:(?:bearer|basic|token|digest|negotiate|api-?key|aws4-hmac-sha256|key|ssws|geniekey|splunk|bot|pveapitoken=)[ \t]{1,3})?)([^\s"'`,;<>{}\\\uFFFF]{6,4000})/gi,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    pattern: /(\b(?:bearer|basic|ssws)[ \t]{1,3})([A-Za-z0-9._~+/=-]{16,4000})/gi,
    wrapped: 'start',
    accepts: (value) => isRandom(value) || /^[A-Za-z0-9+/]{16,}={1,2}$/.test(value),
  },
  {
    needs: '://',
    pattern: /(:\/\/[^\s:/@"'<>\\\uFFFF]{0,100}:)([^\s/"'<>\\\uFFFF]{1,256})(?=@[^\s/@])/g,
    wrapped: 'form',
    accepts: (password) => !isPlaceholder(password),
  },
  { needs: '://', pattern: /(:\/\/)([\w.~%+=-]{12,256})(?=@[^\s/@])/g, wrapped: 'form', accepts: isRandom },
  {
    pattern:
      /([?&](?:access_token|auth_token|token|api_?key|key|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|client_secret|password|secret)=)([^\s&#"'`<>\\\uFFFF]{8,2000})/gi,
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, /pass/i.test(context) ? 'environment' : 'quoted', false),
  },
  {
    // The code of OAuth, good for one token; short ones are error codes.
    pattern: /([?&](?:code|code_verifier|oauth_verifier|id_token_hint|refresh_token)=)([\w./~%-]{20,2000})/g,
    wrapped: 'start',
    accepts: isRandom,
  },
  {
    // Go's MySQL: `app:…@tcp(db:3306)/shop`.
    pattern:
      /@(?=(?:tcp6?|unix)\(|[a-z][\w+-]{0,30}\([^\s()]{0,255}\)\/)(?<=((?<![\w.-])[\w.-]{1,100}:)([^\s"'`<>\\\uFFFF]{1,256})@)/dg,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    // Oracle: `app/…@//db:1521/shop`, `app/…@db:1521/shop`.
    pattern:
      /@(?=\/\/[\w[]|[\w.-]{1,200}:\d{2,5}[:/]|\(DESCRIPTION)(?<=((?<![\w.$#/@-])[\w.$#-]{1,64}\/["']?)([^\s"'`<>@/\\\uFFFF]{4,128})["']?@)/dg,
    wrapped: 'start',
    accepts: (value) => isCredential(value) && isSecretLiteral(value, 'bare', true),
  },
  ...COMMAND_VALUES,
  ...COOKIE_VALUES,
  ...FOREIGN_VALUES,
  ...NAMED_VALUES,
];
