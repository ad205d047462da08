// Names of functions as stack traces print them, with classes, types, arguments and marks of compilers around them.

/** Marks of what runs in a function, not of the function: closures, blocks, thunks, specialisations. */
const WITHIN = /^(?:closure #|implicit closure #|block |block$|rescue in |ensure in |anonymous fn|.{0,20}closure #)/;

const MARKS = /^(?:(?:static|new|async|specialized|@objc|partial apply for|reabstraction thunk helper|merged) ){1,6}/;

const MOST = 1_500;

/** The bare name: `block in Shop::Cart#total` → `total`; "" for what has none, such as a closure or the main program. */
export function getShortName(written: string): string {
  const kotlin = parseKotlinName(written);
  if (kotlin !== null) return kotlin.name;
  const objective = /^[-+]\[[^\s\]]{1,200} ([\w$]{1,200})/.exec(written)?.[1];
  if (objective !== undefined) return objective;
  const text = removeSurroundings(written.slice(0, MOST));
  const operator = /\boperator ?(?:\(\)|[^\w\s(]{1,3})/.exec(text)?.[0];
  if (operator !== undefined) return operator;
  const bare = removeBrackets(text).replace(/ const$| \[inlined\]$|\/\d{1,3}$/, '');
  // PHP's closures: nothing is left behind the class.
  const last = /(?:->|::)$/.test(bare) ? undefined : bare.split(/::|->|[.#\\\s]/).findLast((part) => part !== '');
  return last !== undefined && /^[~@$]?[A-Za-z_][\w$]{0,200}[?!=]?$/.test(last) && !/^0x/.test(last) ? last : '';
}

function removeSurroundings(written: string): string {
  const [before = ''] = written.split(' in conformance ');
  const witness = before.replace(/^protocol witness for /, '');
  const inside = WITHIN.test(witness) ? witness.slice(witness.lastIndexOf(' in ') + 4) : witness;
  const bare = inside.replace(MARKS, '').replace(/\((\w{1,200}) in _[0-9A-F]{8,40}\)/, '$1');
  const [name = ''] = bare.split(' -> ');
  return /^(?:thunk for|<)/.test(name) ? '' : name;
}

/** Without arguments and types: what is in brackets, and the brackets. */
function removeBrackets(text: string): string {
  let depth = 0;
  let bare = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '-' && text.charAt(at + 1) === '>') {
      if (depth === 0) bare += '->';
      at++;
    } else if ('(<[{'.includes(character)) depth++;
    else if (')>]}'.includes(character)) depth = Math.max(0, depth - 1);
    else if (depth === 0) bare += character;
  }
  return bare.trim();
}

interface KotlinName {
  /** Package and class. */
  readonly scope: string;
  readonly name: string;
}

/** `kfun:com.acme.shop.Cart#total(){}`, and before Kotlin 1.4 `kfun:com.acme.shop.Cart.total()ValueType`. */
function parseKotlinName(written: string): KotlinName | null {
  if (!written.startsWith('kfun:')) return null;
  const path = written.slice('kfun:'.length).split(/[({]|#internal/)[0] ?? '';
  const at = Math.max(path.lastIndexOf('#'), path.lastIndexOf('.'));
  const name = path
    .slice(at + 1)
    .replace(/__at__.{0,300}$/, '')
    .replace(/\$default$/, '');
  return { scope: path.slice(0, Math.max(0, at)), name: /^[A-Za-z_]\w{0,200}$/.test(name) ? name : '' };
}

/** Package and class of a function of Kotlin/Native; "" for any other. */
export function getKotlinSymbol(written: string): string {
  return parseKotlinName(written)?.scope ?? '';
}

/** `_ZN4shop4Cart5totalEv` → `shop::Cart::total`; any other name as it is. */
export function parseMangledName(name: string): string {
  if (!/^_{1,2}ZN?K?\d/.test(name)) return name;
  const parts: string[] = [];
  let at = name.search(/\d/);
  for (;;) {
    const digits = /^\d{1,3}/.exec(name.slice(at, at + 3))?.[0];
    if (digits === undefined) break;
    const end = at + digits.length + Number(digits);
    parts.push(name.slice(at + digits.length, end));
    at = end;
  }
  return parts.join('::');
}
