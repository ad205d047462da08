// Texts made to be hard for one regular expression: what one of its repeated parts matches, over and over, and then something that does not fit.
import type { Node, Parser } from 'web-tree-sitter';
import type { Expression } from './find-expressions.ts';

export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/** What may keep the end of an expression from fitting, or let it fit at last. */
const ENDS = ['\0', '', '\0 \0\n\0 '];
const COMMON = [...'aZ0 \t\n.-_/:"\'`<>(){}[]@#%=+*,;!?\\|&~^$é'];
const MANY = 30;
const MOST_SAMPLES = 5;
const MOST_ATTACKS = 150;
/** Pairs of characters, which find what no single part of the expression shows. */
const MOST_PAIRS = 12;

/** How long `expression` takes over it is for the caller to measure. */
export function attacksOn({ source, flags }: Expression, parser: Parser): readonly Attack[] {
  const tree = parser.parse(plainClasses(source));
  if (tree === null || tree.rootNode.hasError) throw new Error(`The expression /${source}/ was not parsed`);
  try {
    const reading = createReading(tree.rootNode, flags);
    const found = new Map<string, Attack>();
    const add = (prefix: string, pump: string) => {
      if (pump === '') return;
      for (const suffix of ENDS) found.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix });
    };
    let repeated = false;
    walk(tree.rootNode, ['', ''], reading, (prefixes, pumps) => {
      repeated = true;
      for (const pump of pumps) for (const before of new Set(['', ...prefixes])) add(before, pump);
    });
    if (!repeated) return [];
    for (const one of reading.alphabet) for (const before of ['', '\0']) add(before, one);
    for (const pair of pairs(reading.alphabet)) add('', pair);
    for (const whole of reading.samples(tree.rootNode)) add('', whole);
    const all = [...found.values()];
    const step = Math.max(1, all.length / MOST_ATTACKS);
    return Array.from({ length: Math.min(all.length, MOST_ATTACKS) }, (_, index) => all[Math.floor(index * step)]!);
  } finally {
    tree.delete();
  }
}

/** The same, without what the grammar takes for a class of POSIX (`[:`) or for another class (`[#-[]`). */
function plainClasses(source: string): string {
  let isInClass = false;
  return source.replaceAll(/\\.|[[\]:.=]/gs, (part) => {
    if (part === '\\]' && isInClass) return '\\x5d';
    if (part === ']') isInClass = false;
    else if (part === '[' && !isInClass) isInClass = true;
    else if (isInClass && part.length === 1) return `\\x${part.charCodeAt(0).toString(16)}`;
    return part;
  });
}

function pairs(alphabet: readonly string[]): readonly string[] {
  const all = alphabet.flatMap((one) => alphabet.filter((other) => other !== one).map((other) => one + other));
  const step = Math.max(1, Math.floor(all.length / MOST_PAIRS));
  return all.filter((_, index) => index % step === 0);
}

interface Reading {
  /** One character for each set of characters that the expression treats alike. */
  readonly alphabet: readonly string[];
  /** A few texts that a part matches, its shortest repetitions taken. */
  readonly samples: (node: Node) => readonly string[];
}

const LEAVES = new Set([
  'pattern_character',
  'character_class',
  'character_class_escape',
  'any_character',
  'identity_escape',
  'control_escape',
  'control_letter_escape',
  'decimal_escape',
]);
const QUANTIFIERS = new Set(['zero_or_more', 'one_or_more', 'optional', 'count_quantifier']);

function createReading(root: Node, flags: string): Reading {
  const leaves = new Map<string, RegExp>();
  for (const node of descendants(root).filter(({ type }) => LEAVES.has(type)))
    leaves.set(node.text, matcher(node, flags));
  const literals = descendants(root)
    .filter(({ type }) => type === 'pattern_character' || type === 'class_character' || type === 'identity_escape')
    .map(({ text }) => (text.length > 1 && text.startsWith('\\') ? text.slice(1) : text))
    .concat(
      [...root.text.matchAll(/\\u(?:([0-9a-f]{4})|\{([0-9a-f]+)\})/gi)].map(([, four, more]) =>
        String.fromCodePoint(Number.parseInt(four ?? more ?? '', 16)),
      ),
    );
  const bySignature = new Map<string, string>();
  for (const one of new Set([...literals, ...COMMON])) {
    const signature = [...leaves.values()].map((leaf) => (leaf.test(one) ? '1' : '0')).join('');
    if (!bySignature.has(signature)) bySignature.set(signature, one);
  }
  const alphabet = [...bySignature.values()];
  const known = new Map<number, readonly string[]>();
  const samples = (node: Node): readonly string[] => {
    const before = known.get(node.id);
    if (before !== undefined) return before;
    const made = [...new Set(samplesOf(node))].slice(0, MOST_SAMPLES);
    known.set(node.id, made);
    return made;
  };
  const samplesOf = (node: Node): readonly string[] => {
    if (LEAVES.has(node.type)) {
      const leaf = leaves.get(node.text);
      return node.type === 'pattern_character' ? [node.text] : alphabet.filter((one) => leaf?.test(one));
    }
    if (node.type === 'term') {
      const parts = partsOf(node);
      return [0, 1, 2, 3, 4].map((turn) =>
        parts.map(({ body, min }) => pick(samples(body), turn).repeat(min === 0 && turn > 0 ? 1 : min)).join(''),
      );
    }
    if (node.type === 'lookaround_assertion') return [''];
    return node.namedChildren.flatMap((child) => (child === null ? [] : samples(child)));
  };
  return { alphabet, samples };
}

const pick = (list: readonly string[], turn: number) => list[turn % Math.max(1, list.length)] ?? '';

/** The named groups that a leaf cannot hold are no part of it, so it compiles on its own. */
function matcher(leaf: Node, flags: string): RegExp {
  const own = flags.replaceAll(/[gyd]/g, '');
  try {
    return new RegExp(`^(?:${leaf.text})$`, own);
  } catch {
    return /^$/;
  }
}

interface Part {
  readonly body: Node;
  readonly min: number;
  readonly isRepeated: boolean;
}

/** A term's parts, each with the quantifier behind it. */
function partsOf(term: Node): readonly Part[] {
  const parts: Part[] = [];
  for (const child of term.namedChildren) {
    if (child === null) continue;
    if (QUANTIFIERS.has(child.type)) {
      const part = parts.pop();
      if (part !== undefined) parts.push({ ...part, ...repetition(child) });
    } else parts.push({ body: child, min: 1, isRepeated: false });
  }
  return parts;
}

function repetition(quantifier: Node): { readonly min: number; readonly isRepeated: boolean } {
  if (quantifier.type === 'optional') return { min: 0, isRepeated: false };
  if (quantifier.type !== 'count_quantifier') {
    return { min: quantifier.type === 'one_or_more' ? 1 : 0, isRepeated: true };
  }
  const [, min = '0', comma, max = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier.text) ?? [];
  const most = comma === '' ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max);
  return { min: Number(min), isRepeated: most >= MANY };
}

/** Calls `found` for each repeated part, with the texts that lead up to it and those worth repeating there. */
function walk(
  node: Node,
  leads: readonly [string, string],
  reading: Reading,
  found: (prefixes: readonly string[], pumps: readonly string[]) => void,
): void {
  if (node.type !== 'term') {
    for (const child of node.namedChildren) if (child !== null) walk(child, leads, reading, found);
    return;
  }
  const parts = partsOf(node);
  const textOf = (some: readonly Part[], turn: number) =>
    some.map((part) => pick(reading.samples(part.body), turn).repeat(Math.max(1, part.min))).join('');
  parts.forEach((part, index) => {
    const lead = (turn: 0 | 1) => leads[turn] + textOf(parts.slice(0, index), turn);
    const before = [lead(0), lead(1)] as const;
    if (part.isRepeated) {
      const bodies = reading.samples(part.body);
      const pumps = ([0, 1] as const).flatMap((turn) => {
        const behind = textOf(parts.slice(index + 1), turn);
        const whole = bodies
          .slice(0, 2)
          .flatMap((one) => [one + behind, before[turn] + one, before[turn] + one + behind]);
        return [before[turn], ...whole];
      });
      const [next] = parts.slice(index + 1);
      found([before[0]], [...bodies, ...pumps, ...(next === undefined ? [] : reading.samples(next.body).slice(0, 3))]);
    }
    walk(part.body, before, reading, found);
  });
}

function descendants(node: Node): readonly Node[] {
  return [node, ...node.namedChildren.flatMap((child) => (child === null ? [] : descendants(child)))];
}
