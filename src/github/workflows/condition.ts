// The condition of a job, judged by what is known of a run before it starts: GitHub's expressions, with a third answer where something isn't known. Pure.
import { type Certainty, isAll, isAny, negate } from './filter-pattern.ts';

/** What an expression may be at that moment. */
export type KnownValue =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly KnownValue[] }
  /** `rest`: of properties that aren't among these, whose names are in lower case. */
  | {
      readonly kind: 'object';
      readonly rest: 'unknown' | 'absent';
      readonly values: Readonly<Record<string, KnownValue>>;
    };

export const UNKNOWN: KnownValue = { kind: 'unknown' };
const NULL: KnownValue = { kind: 'scalar', value: null };
const EMPTY: KnownValue = { kind: 'list', items: [] };

interface JudgedCondition {
  readonly may: Certainty;
  /** Contexts that it names, in lower case, such as `github.event.action`; `?` where it can't be read. */
  readonly names: readonly string[];
  /** Whether it is asked even where a job that it needs was skipped or failed. */
  readonly isOfAnyStatus: boolean;
}

const MAX_LENGTH = 2_000;

/** `contexts`: by name in lower case; all others are unknown. */
export function judgeCondition(text: string, contexts: Readonly<Record<string, KnownValue>>): JudgedCondition {
  const tree = text.length > MAX_LENGTH ? null : parseCondition(text);
  if (tree === null) return { may: 'perhaps', names: ['?'], isOfAnyStatus: true };
  return { may: isTrue(tree, contexts), names: [...new Set(listReferences(tree))], isOfAnyStatus: hasStatus(tree) };
}

/** A text that may be an expression as a whole, as GitHub hands it on: always as text. */
export function evaluateText(text: string, contexts: Readonly<Record<string, KnownValue>>): KnownValue {
  const isExpression = text.includes('${{');
  const tree = isExpression && text.length <= MAX_LENGTH ? parseCondition(text) : null;
  if (tree === null) return isExpression ? UNKNOWN : { kind: 'scalar', value: text };
  const known = evaluate(tree, contexts);
  return known.kind === 'scalar' ? { kind: 'scalar', value: String(known.value ?? '') } : UNKNOWN;
}

type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'context'; readonly name: string }
  /** `key` null: of all items, as `*` says. */
  | { readonly kind: 'property'; readonly of: Expression; readonly key: Expression | null }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'both' | 'either'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'compare'; readonly sign: string; readonly left: Expression; readonly right: Expression };

/** The contexts that it names, as far as they are written out. */
function listReferences(node: Expression): readonly string[] {
  switch (node.kind) {
    case 'literal':
      return [];
    case 'context':
      return [node.name];
    case 'property': {
      const below = listReferences(node.of);
      const [only] = below;
      if (only !== undefined && below.length === 1 && node.key?.kind === 'literal') {
        return [`${only}.${node.key.value}`.toLowerCase()];
      }
      return [...below, ...(node.key === null ? [] : listReferences(node.key))];
    }
    case 'call':
      return node.args.flatMap(listReferences);
    case 'not':
      return listReferences(node.of);
    default:
      return [...listReferences(node.left), ...listReferences(node.right)];
  }
}

function hasStatus(node: Expression): boolean {
  switch (node.kind) {
    case 'call':
      return ['always', 'success', 'failure', 'cancelled'].includes(node.name) || node.args.some(hasStatus);
    case 'not':
      return hasStatus(node.of);
    case 'both':
    case 'either':
    case 'compare':
      return hasStatus(node.left) || hasStatus(node.right);
    default:
      return false;
  }
}

/** Null: not an expression that we read. */
function parseCondition(text: string): Expression | null {
  const whole = /^\s*\$\{\{((?:'[^']*'|(?!\}\})[^'])*)\}\}\s*$/.exec(text)?.[1] ?? text;
  // Text around an expression makes it a text, which is true whatever the expression is.
  if (whole.includes('${{')) return null;
  const tokens = listTokens(whole);
  if (tokens === null) return null;
  const parser = new ExpressionParser(tokens);
  return parser.parseAll();
}

const TOKEN =
  /\s*(?:('(?:[^']|'')*')|(-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?))|([a-z_][\w-]*)|(&&|\|\||[=!<>]=|[!<>()[\].,*]))/iy;

function listTokens(text: string): readonly string[] | null {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const token = TOKEN.exec(text)?.[0].trim();
    if (token === undefined) return null;
    tokens.push(token);
  }
  return tokens;
}

/** By descent, in GitHub's order: index, not, comparison, equality, and, or. */
class ExpressionParser {
  readonly #tokens: readonly string[];
  #at = 0;
  #isWrong = false;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parseAll(): Expression | null {
    const tree = this.#parseEither();
    return this.#isWrong || this.#at < this.#tokens.length ? null : tree;
  }

  #take(...wanted: readonly string[]): string | null {
    const token = this.#tokens[this.#at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.#at += 1;
    return token;
  }

  #expect(wanted: string): void {
    if (this.#take(wanted) === null) this.#isWrong = true;
  }

  #parseEither(): Expression {
    let left = this.#parseBoth();
    while (this.#take('||') !== null) left = { kind: 'either', left, right: this.#parseBoth() };
    return left;
  }

  #parseBoth(): Expression {
    let left = this.#parseCompared(['==', '!=']);
    while (this.#take('&&') !== null) left = { kind: 'both', left, right: this.#parseCompared(['==', '!=']) };
    return left;
  }

  #parseCompared(signs: readonly string[]): Expression {
    const parseSide = () => (signs.includes('==') ? this.#parseCompared(['<', '<=', '>', '>=']) : this.#parseNot());
    let left = parseSide();
    for (let sign = this.#take(...signs); sign !== null; sign = this.#take(...signs)) {
      left = { kind: 'compare', sign, left, right: parseSide() };
    }
    return left;
  }

  #parseNot(): Expression {
    return this.#take('!') === null ? this.#parseProperty() : { kind: 'not', of: this.#parseNot() };
  }

  #parseProperty(): Expression {
    let of = this.#parseOne();
    for (let sign = this.#take('.', '['); sign !== null; sign = this.#take('.', '[')) {
      if (sign === '[') {
        of = { kind: 'property', of, key: this.#take('*') === null ? this.#parseEither() : null };
        this.#expect(']');
      } else {
        const name = this.#tokens[this.#at];
        this.#at += 1;
        if (name === undefined || !/^(?:\*|[a-z_][\w-]*)$/i.test(name)) this.#isWrong = true;
        of = { kind: 'property', of, key: name === '*' ? null : { kind: 'literal', value: name ?? '' } };
      }
    }
    return of;
  }

  #parseOne(): Expression {
    if (this.#take('(') !== null) {
      const inside = this.#parseEither();
      this.#expect(')');
      return inside;
    }
    const token = this.#tokens[this.#at] ?? '';
    this.#at += 1;
    if (token.startsWith("'")) return { kind: 'literal', value: token.slice(1, -1).replaceAll("''", "'") };
    if (/^-?\d/.test(token)) return { kind: 'literal', value: Number(token) };
    const name = token.toLowerCase();
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true' };
    if (name === 'null') return { kind: 'literal', value: null };
    if (!/^[a-z_]/.test(name)) this.#isWrong = true;
    if (this.#take('(') === null) return { kind: 'context', name };
    const args: Expression[] = [];
    if (this.#take(')') !== null) return { kind: 'call', name, args };
    do args.push(this.#parseEither());
    while (this.#take(',') !== null);
    this.#expect(')');
    return { kind: 'call', name, args };
  }
}

type Contexts = Readonly<Record<string, KnownValue>>;

function isTrue(node: Expression, contexts: Contexts): Certainty {
  if (node.kind === 'not') return negate(isTrue(node.of, contexts));
  if (node.kind === 'both') return isAll([isTrue(node.left, contexts), isTrue(node.right, contexts)]);
  if (node.kind === 'either') return isAny([isTrue(node.left, contexts), isTrue(node.right, contexts)]);
  return isTruthy(evaluate(node, contexts));
}

function isTruthy(known: KnownValue): Certainty {
  if (known.kind === 'unknown') return 'perhaps';
  if (known.kind !== 'scalar') return 'yes';
  return known.value === null || known.value === false || known.value === '' || known.value === 0 ? 'no' : 'yes';
}

function evaluate(node: Expression, contexts: Contexts): KnownValue {
  switch (node.kind) {
    case 'literal':
      return { kind: 'scalar', value: node.value };
    case 'context':
      return Object.hasOwn(contexts, node.name) ? (contexts[node.name] ?? UNKNOWN) : UNKNOWN;
    case 'property':
      return getProperty(evaluate(node.of, contexts), node.key === null ? null : evaluate(node.key, contexts));
    case 'call':
      return callFunction(
        node.name,
        node.args.map((arg) => evaluate(arg, contexts)),
      );
    case 'compare':
      return compare(node.sign, evaluate(node.left, contexts), evaluate(node.right, contexts));
    case 'not':
      return toKnown(isTrue(node, contexts));
    case 'both':
    case 'either': {
      const left = evaluate(node.left, contexts);
      const isLeft = isTruthy(left);
      if (isLeft === 'perhaps') return UNKNOWN;
      return isLeft === (node.kind === 'both' ? 'no' : 'yes') ? left : evaluate(node.right, contexts);
    }
  }
}

function toKnown(certainty: Certainty): KnownValue {
  return certainty === 'perhaps' ? UNKNOWN : { kind: 'scalar', value: certainty === 'yes' };
}

function getProperty(of: KnownValue, key: KnownValue | null): KnownValue {
  if (key === null) return of.kind === 'scalar' ? EMPTY : of.kind === 'list' ? of : UNKNOWN;
  if (of.kind === 'list') return of.items.length === 0 ? of : UNKNOWN;
  if (of.kind === 'scalar') return NULL;
  if (of.kind === 'unknown' || key.kind !== 'scalar') return UNKNOWN;
  const name = String(key.value).toLowerCase();
  const rest = of.rest === 'absent' ? NULL : UNKNOWN;
  return Object.hasOwn(of.values, name) ? (of.values[name] ?? rest) : rest;
}

function callFunction(name: string, args: readonly KnownValue[]): KnownValue {
  const [first = UNKNOWN, second = UNKNOWN] = args;
  if (name === 'always') return { kind: 'scalar', value: true };
  if (name === 'fromjson') return parseJson(first);
  if (name === 'tojson') return formatJson(first);
  if (name === 'contains' && first.kind === 'list') {
    return toKnown(isAny(first.items.map((item) => isTruthy(compare('==', item, second)))));
  }
  if (first.kind !== 'scalar' || second.kind !== 'scalar') return UNKNOWN;
  const [text, part] = [toText(first.value), toText(second.value)];
  if (name === 'contains') return { kind: 'scalar', value: text.includes(part) };
  if (name === 'startswith') return { kind: 'scalar', value: text.startsWith(part) };
  if (name === 'endswith') return { kind: 'scalar', value: text.endsWith(part) };
  return UNKNOWN;
}

type Scalar = string | number | boolean | null;

/** As they are compared: without case. */
function toText(value: Scalar): string {
  return String(value ?? '').toLowerCase();
}

function parseJson(known: KnownValue): KnownValue {
  if (known.kind !== 'scalar') return UNKNOWN;
  try {
    return toKnownJson(JSON.parse(String(known.value)));
  } catch {
    return UNKNOWN;
  }
}

/** Of what GitHub would print on lines of its own, nothing is known. */
function formatJson(known: KnownValue): KnownValue {
  if (known.kind === 'scalar') return { kind: 'scalar', value: JSON.stringify(known.value) };
  return known.kind === 'list' && known.items.length === 0 ? { kind: 'scalar', value: '[]' } : UNKNOWN;
}

function toKnownJson(value: unknown): KnownValue {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(toKnownJson) };
  const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return isScalar ? { kind: 'scalar', value: value as Scalar } : UNKNOWN;
}

function compare(sign: string, left: KnownValue, right: KnownValue): KnownValue {
  if (left.kind !== 'scalar' || right.kind !== 'scalar') return UNKNOWN;
  const isOfTexts = typeof left.value === 'string' && typeof right.value === 'string';
  const a = isOfTexts ? toText(left.value) : toNumber(left.value);
  const b = isOfTexts ? toText(right.value) : toNumber(right.value);
  switch (sign) {
    case '==':
      return { kind: 'scalar', value: a === b };
    case '!=':
      return { kind: 'scalar', value: a !== b };
    case '<':
      return { kind: 'scalar', value: a < b };
    case '<=':
      return { kind: 'scalar', value: a <= b };
    case '>':
      return { kind: 'scalar', value: a > b };
    default:
      return { kind: 'scalar', value: a >= b };
  }
}

function toNumber(value: Scalar): number {
  if (typeof value === 'string') return value.trim() === '' ? 0 : Number(value);
  return Number(value);
}
