// Tells a secret from a placeholder, a variable, a word, a path or a version.

/** How the value was written, which says how much else it could be. */
export type Writing = 'quoted' | 'bare' | 'environment';

// A value of only these words is a placeholder.
const STAND_INS = new Set(
  'a an the my your our some this here it me in with example sample dummy fake mock test testing demo placeholder change changeme replace replaceme redacted hidden removed masked filtered omitted null undefined none nil true false empty default required optional string number boolean password passwd passphrase passcode pass pwd secret secrets token tokens key keys api access auth bearer client private public value values insert enter put set use todo tbd foo bar baz user username credential credentials name id goes provided missing invalid unset'.split(
    ' ',
  ),
);

/** Whether the value says itself that it is none: `<token>`, `${VAR}`, `***`, `xxx`, `changeme`, `your_api_key`. */
export function isPlaceholder(value: string): boolean {
  if (/^[$<{[(%]|\$\{|\$\(|\{\{|%\(|#\{|<%|^@[\w.]+@$/.test(value)) return true;
  if (/\b(?:process\.env|os\.environ|getenv|import\.meta|secrets\.|ENV\[|System\.)/.test(value)) return true;
  if (/^(.)\1*$/.test(value.replace(/[-_ .]/g, ''))) return true;
  if (/^[*•.…xX#_\-?]+$/.test(value) || /^[*•]{3,}|[*•]{4,}/.test(value)) return true;
  return splitWords(value).every((word) => STAND_INS.has(word.toLowerCase()));
}

/**
 * Whether an assigned value is a secret rather than code, a word, a path, a version or a placeholder. `password`:
 * people choose weak ones.
 */
export function isSecretLiteral(value: string, writing: Writing, password: boolean): boolean {
  if (value.length < (password ? 6 : 8) || isNoLiteral(value, writing)) return false;
  if (/^\d+$/.test(value) || isForPeople(value)) return password;
  if (writing === 'environment') return true;
  if (isWordy(value)) return password && hasOddity(value);
  return hasOddity(value) || writing === 'quoted' || value.length >= (password ? 16 : 20);
}

/** A digit or a sign, as passwords of people have one. */
function hasOddity(value: string): boolean {
  return /[\d!@#$%^&*]/.test(value);
}

/** Keys are of ASCII: what is written in another script is a text. */
function isForPeople(value: string): boolean {
  return /[^\p{ASCII}]/u.test(value) && !/\d/.test(value);
}

function isNoLiteral(value: string, writing: Writing): boolean {
  return (
    /\s|:\/\//.test(value) ||
    isPlaceholder(value) ||
    isVersionOrDate(value) ||
    isPlaceOrCoordinate(value) ||
    // A regular expression, or a name or type with what closes its list behind it.
    (writing === 'bare' && (/^\/.*[[\](|^\\]/.test(value) || /^[\w.]+\)+[:;]?$/.test(value))) ||
    (/^(?:\.{0,2}|~)\//.test(value) && isWordy(value)) ||
    // A string has ended right before: code goes on.
    /^[)\]][.,;)\]]/.test(value) ||
    (writing === 'bare' && isCode(value))
  );
}

/** Whether a value after `Bearer`, `Basic` or the like is one. */
export function isCredential(value: string): boolean {
  return (
    value.length >= 6 &&
    !isPlaceholder(value.replace(/(?<![):])[):]+$/, '')) &&
    !isMemberExpression(value) &&
    !isCall(value) &&
    (/\d/.test(value) || !isWordy(value))
  );
}

/** Whether the characters look drawn at random: digits and letters, in no form that words, paths and names have. */
export function isRandom(value: string): boolean {
  if (value.length < 8) return false;
  const digits = value.replace(/\D/g, '').length;
  const letters = value.replace(/[^A-Za-z]/g, '').length;
  return digits >= 2 && letters >= 2 && !isWordy(value) && !isVersionOrDate(value);
}

/** The same of a long run of letters in both cases with hardly a digit, in a place where keys are. */
export function isRandomRun(value: string): boolean {
  return (
    isRandom(value) ||
    (/^[A-Za-z0-9]{20,}$/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && isDrawn(value))
  );
}

/**
 * Whether the characters could be a piece of something random: too short for `isRandom`, but no word, number, name or
 * path.
 */
export function isDrawn(piece: string): boolean {
  if (!/^[\w+/=.~%*!^-]{3,}$/.test(piece) || /^[\d.]+$/.test(piece) || /^\w+[:=]$/.test(piece)) return false;
  return /[A-Za-z]/.test(piece) && !isWordy(piece) && !isVersionOrDate(piece) && !isPlaceholder(piece);
}

/** Words, with at most two digits behind one: names of things, paths, identifiers. */
function isWordy(value: string): boolean {
  const parts = splitWords(value);
  const letters = value.replace(/[^A-Za-z]/g, '').length;
  return (
    parts.every((part) => /^(?:[A-Za-z][a-z]{1,15}|[A-Z]{1,16}|[a-z])\d{0,2}$|^v?\d{1,2}$/.test(part)) &&
    letters / Math.max(parts.length, 1) >= 3
  );
}

function splitWords(value: string): string[] {
  return value.split(/[-_./:\\ ]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z\d])(?=[A-Z][a-z])/).filter((part) => part !== '');
}

/**
 * `credentials.py:1975`, `jjwt-api:jar:0.11.2`: what a log writes behind `botocore.credentials:` or `io.jsonwebtoken:`.
 */
function isPlaceOrCoordinate(value: string): boolean {
  const parts = value.split(':');
  return parts.length > 1 && parts.every((part) => /^\d{1,7}$/.test(part) || isVersionOrDate(part) || isWordy(part));
}

function isVersionOrDate(value: string): boolean {
  return /^[~^<>=v]{0,3}\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+][\w.]{1,30})?$|^\d{4}-\d\d-\d\d/.test(value);
}

/** A call, a member, a type, a pattern, a template: source code after a colon or an equals sign. */
function isCode(value: string): boolean {
  return (
    isMemberExpression(value.replace(/^[!~+-]{1,3}/, '')) ||
    isCall(value) ||
    /^\/.*\/[dgimsuvy]{0,7}$|\$$/.test(value) ||
    /^(?:[A-Z][a-z]+)(?:8|16|32|64|128|256|512)(?:[A-Z][a-z]+)+$/.test(value)
  );
}

function isCall(value: string): boolean {
  return /^[A-Za-z_$][\w$.?]{0,100}[([]/.test(value);
}

function isMemberExpression(value: string): boolean {
  const names = value.split(/\??\./);
  return names.length > 1 && names.every((name) => /^[A-Za-z_$]{1,40}\d{0,5}[A-Za-z_$]{0,40}$/.test(name));
}
