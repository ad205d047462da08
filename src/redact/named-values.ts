// Values that are secret for the name beside them: assigned, in a pair, as an attribute, said in a sentence.
import { isRandom, isSecretLiteral, isStandIn, type Writing } from './literals.ts';
import type { Rule } from './rule.ts';

// Names that hold secrets, as they end: `dbPassword`, `AWS_SECRET_ACCESS_KEY`, `x-api-key`, `_authToken`.
const KEYS =
  'api|access|secret|private|encryption|signing|master|account|storage|session|deploy|auth|admin|app|application|licen[cs]e|webhook|subscription|service|ingest(?:ion)?|integration|jwt|hmac';
export const NAME = `pass(?:word|wd|phrase)|pwd|secret(?:[-_]?string)?|token|_auth|(?:${KEYS})[-_]?key|secret_key_base|credentials?`;
/** `DB_PASS`, `GH_PAT`: short names that end so, where a separator says that they are no part of a word. */
const SHORT_NAME = '[-_.](?:pass|pat)';
/** The same and alone, and as in `dbPass` and `PGPASS`: never the end of `bypass`, `compass` or `path`. */
const SHORT_WORD =
  '(?:(?<![A-Za-z0-9])(?:pass|Pass|PASS|pat|Pat|PAT)|(?<=[a-z0-9])(?:Pass|Pat)|(?<=[A-Z])(?<!BY|COM|OVER|UNDER|TRES|SUR)PASS)';
const PASSWORD = /^[-_.]?(?:pass|pwd)/i;
export const VALUE =
  '"([^"\\n\\uFFFF]{6,1000})"|\'([^\'\\n\\uFFFF]{6,1000})\'|["\'`]?((?:[^\\s"\'`,;<>{}&\\\\\\uFFFF]|&(?!\\w{1,40}=)|\\\\(?![nrtbfux"\'`/\\\\])){6,1000})';
const GAPS = '[ \\t]{0,3}';

export const NAMED_VALUES: readonly Rule[] = [
  {
    pattern: new RegExp(`((?:${NAME})\\\\{0,3}["'\`\\]]{0,2}${GAPS}(?:=>|:=|==?|:)${GAPS})(?:${VALUE})`, 'gi'),
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
      `((?:${NAME}|\\bpass|${SHORT_NAME})["']?:[ \\t]{0,3}[|>][-+\\d]{0,2}[ \\t]{0,3}\\r?\\n[ \\t]{1,40})([^\\s\\uFFFF]{6,1000})(?=[ \\t]{0,3}(?:\\r?\\n|$))`,
      'gi',
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
    // The value beside the name as a field of its own: an attribute, an environment of a container.
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
  return isSecretLiteral(value, writingOf(context, match, before), PASSWORD.test(context));
}

/** Tests pass as well: alone and unquoted, `pass` is a password only where the value looks like nothing else. A PAT is drawn at random. */
function acceptsShort(value: string, context: string, match: RegExpExecArray): boolean {
  if (/^pat/i.test(context)) return /^[\w.~=-]+$/.test(value) && isRandom(value);
  const before = match.input.slice(Math.max(0, match.index - 80), match.index);
  if (/^PASS/.test(context) && /[A-Z]$/.test(before)) return isRandom(value) && isSecretLiteral(value, 'bare', true);
  const writing = writingOf(context, match, before);
  const isAlone = !/[\w.-]$/.test(before);
  // `bloomPass = bloomPass2`: passes of a renderer or a compiler are assigned from names like their own.
  const isCamelCode = writing === 'bare' && /^Pa/.test(context) && /[a-z0-9]$/.test(before);
  return isSecretLiteral(
    value,
    writing === 'environment' && isAlone ? 'bare' : writing,
    (!isAlone && !isCamelCode) || writing === 'quoted',
  );
}

/** In lower case `wrong password 'root'` is a sentence, unless a statement began before it, and `password('short')` is code. */
function acceptsSql(value: string, context: string, match: RegExpExecArray): boolean {
  if (isStandIn(value)) return false;
  if (/^(?:PASSWORD|[Ii]dentified|IDENTIFIED)/.test(context)) return true;
  const before = match.input.slice(Math.max(0, match.index - 80), match.index);
  return isRandom(value) || (!context.includes('(') && /\b(?:role|user|with)\b[^;\n]*$/i.test(before));
}

/** `NAME=value` at the start of a line, as in a shell or an .env file, is never code; so there even a plain word is the secret. */
function writingOf(context: string, match: RegExpExecArray, before: string): Writing {
  if (match[4] === undefined || match[0] !== context + match[4]) return 'quoted';
  if (!/^[A-Z_]+=$/.test(context)) return 'bare';
  return /(?:^|\n)(?:.{0,20}[ \t+])?[A-Z0-9_]*$/.test(before) ? 'environment' : 'bare';
}
