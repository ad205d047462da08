// Our own rules, for what the maintained ones miss or report wrongly. Every repetition is bounded or starts at a boundary: no text makes them slow.
import { isCredential, isRandom, isSecretLiteral, isStandIn, type Writing } from './literals.ts';

/**
 * A form of secret. With two groups the second is the secret and the first its context; without, the whole match is.
 * `wrapped`: how it is recognised when a line break stands inside. `form`: the whole has the form, however short the first line;
 * `start`: the first line must be recognised by itself; the next one is only added if it looks random.
 */
export interface Rule {
  readonly pattern: RegExp;
  readonly wrapped: 'form' | 'start';
  readonly accepts?: (secret: string, context: string, match: RegExpExecArray) => boolean;
}

const TOKENS =
  /gh[pousr]_[A-Za-z0-9]{30,255}|ghs_\d{1,20}_[\w-]{10,1000}\.[\w-]{10,2000}\.[\w-]{10,1000}|github_pat_\w{50,255}|cwy_[A-Za-z0-9]{30,64}|whsec_[A-Za-z0-9+/_-]{24,128}={0,2}|npm_[A-Za-z0-9]{36,255}|pypi-[\w-]{50,255}|glpat-[\w-]{20,128}|xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}|AIza[\w-]{35}|ya29\.[\w-]{20,255}|GOCSPX-[\w-]{20,64}|do[opr]_v1_[a-f0-9]{64}|sntry[su]_[\w+/=-]{40,255}|hf_[A-Za-z0-9]{34}|SG\.[\w-]{16,32}\.[\w-]{32,64}|AGE-SECRET-KEY-1[A-Z0-9]{58}|ATATT3[\w=-]{80,255}|sbp_[a-f0-9]{40}|NRAK-[A-Z0-9]{27}|hooks\.slack\.com\/services\/T\w{6,40}\/B\w{6,40}\/\w{16,40}|hvs\.[\w-]{24,255}|dp\.(?:pt|st|sa|ct)\.[\w.-]{40,60}|ntn_[A-Za-z0-9]{40,60}|sq0(?:atp|csp)-[\w-]{22,43}|discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,80}/g;

// Names that hold secrets, as they end: `dbPassword`, `AWS_SECRET_ACCESS_KEY`, `x-api-key`, `_authToken`.
const NAME =
  'pass(?:word|wd|phrase)|pwd|secret|token|_auth|(?:api|access|secret|private|encryption|signing|master|account|storage|session|deploy|auth)[-_]?key|secret_key_base|credentials?';
const PASSWORD = /^(?:pass|pwd)/i;
const VALUE =
  '"([^"\\n\\uFFFF]{6,1000})"|\'([^\'\\n\\uFFFF]{6,1000})\'|["\'`]?((?:[^\\s"\'`,;<>{}&\\\\\\uFFFF]|&(?!\\w{1,40}=)|\\\\(?![nrtbfux"\'`/\\\\])){6,1000})';

export const RULES: readonly Rule[] = [
  { pattern: TOKENS, wrapped: 'form' },
  { pattern: /(?<![A-Za-z0-9_-])sk-[\w-]{20,255}/g, wrapped: 'form', accepts: (key) => isRandom(key.slice(3)) },
  {
    pattern: /(?<![A-Z0-9])(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g,
    wrapped: 'form',
  },
  {
    // The secret key beside its id: `AKIA…:…`, a line of CSV, two lines of a credentials file without names.
    pattern: /((?:AKIA|ASIA)[A-Z0-9]{16}[\s"',:;|]{1,8})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/g,
    wrapped: 'start',
  },
  {
    pattern: /(aws.{0,20}?(?:secret|key)["']?[ \t]{0,3}[:=]>?[ \t]{0,3}["']?)([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
    wrapped: 'start',
    accepts: (key) => !/^[0-9a-f]+$/.test(key),
  },
  // Mailgun, Twilio, Telegram: a prefix too short to stand alone, so the length must be exact.
  { pattern: /(?<![\w-])key-[0-9a-f]{32}(?![\w-])/g, wrapped: 'form', accepts: isRandom },
  { pattern: /(?<!\w)SK[0-9a-f]{32}(?!\w)/g, wrapped: 'form' },
  { pattern: /(?<![\w:])\d{8,10}:AA[\w-]{33}(?![\w-])/g, wrapped: 'form' },
  {
    // JWT, JWS with an empty signature, JWE.
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[\w-]{8,8000}\.(?:eyJ)?[\w-]{8,8000}\.[\w-]{0,8000}(?:\.[\w-]{1,8000}\.[\w-]{1,200})?/g,
    wrapped: 'form',
  },
  {
    pattern:
      /((?:proxy-)?authorization["']?[ \t]{0,3}[:=][ \t]{0,3}["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256|key)[ \t]{1,3})?)([^\s"'`,;<>{}\\\uFFFF]{6,4000})/gi,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    pattern: /(\b(?:bearer|basic)[ \t]{1,3})([A-Za-z0-9._~+/=-]{16,4000})/gi,
    wrapped: 'start',
    accepts: (value) => isRandom(value) || /^[A-Za-z0-9+/]{16,}={1,2}$/.test(value),
  },
  {
    pattern: /(:\/\/[^\s:/@"'<>\\\uFFFF]{0,100}:)([^\s/"'<>\\\uFFFF]{1,256})(?=@[^\s/@])/g,
    wrapped: 'form',
    accepts: (password) => !isStandIn(password),
  },
  { pattern: /(:\/\/)([\w-]{20,256})(?=@[^\s/@])/g, wrapped: 'form', accepts: isRandom },
  {
    pattern:
      /([?&](?:access_token|auth_token|token|api_?key|key|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|client_secret|password|secret)=)([^\s&#"'`<>\\\uFFFF]{8,2000})/gi,
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, /pass/i.test(context) ? 'environment' : 'quoted', false),
  },
  {
    pattern: /(\bcurl\b[^\n;|&]{0,300}?[ \t](?:-u|--user)[ =]?["']?[^\s:"']{1,100}:)([^\s"'\\\uFFFF]{4,256})/g,
    wrapped: 'start',
    accepts: (value) => !isStandIn(value) && !/^\d+$/.test(value),
  },
  {
    pattern: new RegExp(`((?:${NAME})\\\\{0,3}["'\`\\]]{0,2}[ \\t]{0,3}(?:=>|:=|==?|:)[ \\t]{0,3})(?:${VALUE})`, 'gi'),
    wrapped: 'start',
    accepts: acceptsAssigned,
  },
  {
    // .netrc
    pattern: /(\blogin\s{1,10}\S{1,100}\s{1,10}password\s{1,10})([^\s\\\uFFFF]{4,256})/g,
    wrapped: 'start',
    accepts: isCredential,
  },
  {
    pattern: new RegExp(`(--(?:[a-z]{1,20}-){0,3}(?:${NAME})[ =])(?:${VALUE})`, 'gi'),
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, 'quoted', PASSWORD.test(context.replace(/^-.*-(?=\w)/, ''))),
  },
  {
    pattern: new RegExp(`(<(?:\\w{1,20}[-_.:]){0,3}(?:${NAME})>)([^<>\\s\\uFFFF]{6,1000})(?=</)`, 'gi'),
    wrapped: 'start',
    accepts: (value, context) => isSecretLiteral(value, 'quoted', /pass|pwd/i.test(context)),
  },
];

function acceptsAssigned(value: string, context: string, match: RegExpExecArray): boolean {
  const before = match.input.slice(Math.max(0, match.index - 80), match.index);
  if (/:\/\/[\w.-]{0,60}$/.test(before)) return false; // The user name of an address: the rule for addresses cuts less.
  return isSecretLiteral(value, writingOf(context, match, before), PASSWORD.test(context));
}

/** `NAME=value` at the start of a line, as in a shell or an .env file, is never code; so there even a plain word is the secret. */
function writingOf(context: string, match: RegExpExecArray, before: string): Writing {
  if (match[4] === undefined || match[0] !== context + match[4]) return 'quoted';
  if (!/^[A-Z_]+=$/.test(context)) return 'bare';
  return /(?:^|\n)(?:.{0,20}[ \t+])?[A-Z0-9_]*$/.test(before) ? 'environment' : 'bare';
}
