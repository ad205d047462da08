// YAML without its dangers: no anchors, aliases, tags or second documents, no key twice; every fault with its line.
import {
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml';

export interface YamlFault {
  /** From 1; 0 where no line is to blame. */
  readonly line: number;
  readonly message: string;
}

export interface YamlFile {
  /** Undefined where the file holds nothing. */
  readonly value: unknown;
  /** The line of the deepest part of the path that is there. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Never throws. */
export function readYaml(text: string): YamlFile | YamlFault {
  const tooMuch = boundsFault(text);
  if (tooMuch !== null) return tooMuch;
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    version: '1.2',
    stringKeys: true,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const [error] = [...document.errors, ...document.warnings];
  if (error) return { line: lineAt(error.pos[0]), message: inWords(error.code, error.message) };
  const special = specialNode(document);
  if (special) return { line: lineAt(special.offset), message: special.message };
  if (document.contents === null || isEmpty(document.contents)) return { value: undefined, lineOf: () => 0 };
  return { value: document.toJS({ maxAliasCount: 0 }), lineOf: (path) => lineAt(offsetOf(document, path)) };
}

function isEmpty(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null;
}

function inWords(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'It is indented with a tab. YAML wants spaces.';
    case 'DUPLICATE_KEY':
      return 'A key stands here for the second time. Each may stand once.';
    case 'MULTIPLE_DOCS':
      return 'A second document begins here (`---`). There may be one.';
    case 'TAG_RESOLVE_FAILED':
      return 'Tags (`!…`) are not taken. Write the value as it is.';
    default:
      return `This is not YAML: ${(message.split('\n')[0] ?? '').replace(/[.:]\s*$/, '')}.`;
  }
}

/** A small file can ask for a large one by naming parts of itself. */
function specialNode(document: Document.Parsed): { readonly offset: number; readonly message: string } | null {
  let found: { offset: number; message: string } | null = null;
  visit(document, (_, node) => {
    if (!isNode(node)) return undefined;
    const offset = node.range?.[0] ?? 0;
    if (isAlias(node) || node.anchor)
      found = {
        offset,
        message: 'Anchors and aliases (`&` and `*`) are not taken. Write the value out, or in quotes.',
      };
    else if (node.tag) found = { offset, message: inWords('TAG_RESOLVE_FAILED', '') };
    return found === null ? undefined : visit.BREAK;
  });
  return found;
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let at: Spot = { node: document.contents, offset: startOf(document.contents) };
  for (const part of path) {
    const next = step(at.node, part);
    if (next === null) break;
    at = { node: next.node, offset: next.offset || at.offset };
  }
  return at.offset;
}

interface Spot {
  readonly node: unknown;
  readonly offset: number;
}

/** A key stands for its value: the line of `labels:` says more than the one where its list begins. */
function step(node: unknown, part: PropertyKey): Spot | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === part);
    return pair === undefined ? null : { node: pair.value, offset: startOf(pair.key) };
  }
  const item: unknown = isSeq(node) ? node.items[Number(part)] : undefined;
  return item === undefined ? null : { node: item, offset: startOf(item) };
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

const MAX_DEPTH = 20;

/** Every list of the file filled to its limit has 1,100. Keys are compared with each other, so that it is their square that costs. */
const MAX_PARTS = 1_400;

const LAYOUT = new Set<CST.TokenType | null>(['space', 'newline', 'comment', 'doc-mode', 'byte-order-mark', null]);

interface Measure {
  line: number;
  parts: number;
  /** Brackets that are open, over all lines. */
  open: number;
  /** Dashes and question marks of one line, each a level of its own. */
  inLine: number;
}

/** Null where the text is small enough to be parsed. */
function boundsFault(text: string): YamlFault | null {
  const measure: Measure = { line: 1, parts: 0, open: 0, inLine: 0 };
  for (const token of new Lexer().lex(text)) {
    count(CST.tokenType(token), measure);
    if (measure.parts > MAX_PARTS) {
      return { line: measure.line, message: `It has more than ${MAX_PARTS} parts. Keep what Causeway needs.` };
    }
    if (measure.open > MAX_DEPTH || measure.inLine > MAX_DEPTH) {
      return { line: measure.line, message: `It is nested more than ${MAX_DEPTH} deep.` };
    }
    const ends = token.split('\n').length - 1;
    measure.line += ends;
    if (ends > 0) measure.inLine = 0;
  }
  return null;
}

function count(type: CST.TokenType | null, measure: Measure): void {
  if (!LAYOUT.has(type)) measure.parts += 1;
  switch (type) {
    case 'flow-map-start':
    case 'flow-seq-start':
      measure.open += 1;
      return;
    case 'flow-map-end':
    case 'flow-seq-end':
      measure.open = Math.max(0, measure.open - 1);
      return;
    case 'seq-item-ind':
    case 'explicit-key-ind':
      measure.inLine += 1;
  }
}
