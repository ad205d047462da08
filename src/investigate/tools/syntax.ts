// Whether a changed file still parses, by tree-sitter; what no grammar knows is not judged.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Language, type Node, Parser, type ParseState, type Tree } from 'web-tree-sitter';
import { locateOfPackage } from '../../installation.ts';

export type SyntaxVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly line: number; readonly what: string };

const GRAMMARS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ['ts mts cts', 'typescript'],
      ['tsx', 'tsx'],
      ['js jsx mjs cjs', 'javascript'],
      ['py pyi', 'python'],
      ['go', 'go'],
      ['java', 'java'],
      ['rs', 'rust'],
      ['rb rake', 'ruby'],
      ['php', 'php'],
      ['cs', 'c-sharp'],
      ['c h cc cpp cxx hh hpp hxx', 'cpp'],
      ['css', 'css'],
      ['sh bash', 'bash'],
    ] as const
  ).flatMap(([extensions, grammar]) => extensions.split(' ').map((extension) => [extension, grammar])),
);
/** Names of the grammars that may be loaded: what a release ships. */
export function listGrammars(): readonly string[] {
  return [...new Set(Object.values(GRAMMARS))];
}

/**
 * Their grammars read what people write today; others stumble over macros, templates and dialects, so a new file proves
 * nothing.
 */
const RELIABLE_GRAMMARS: ReadonlySet<string> = new Set([
  'typescript',
  'tsx',
  'javascript',
  'python',
  'go',
  'java',
  'rust',
  'ruby',
  'c-sharp',
]);
/** JavaScript with Flow's types has no grammar here. */
const FLOW = /@flow\b/;
const VALID: SyntaxVerdict = { ok: true };
/** Parsing runs on the event loop: usually 2 MB/s, but a second for so much text that is made to be hard. */
const MAX_LENGTH = 128 * 1024;
/**
 * How often the parser may report before it is stopped: sound text takes about 25 reports a kilobyte, a bomb
 * thousands. Counted, not timed, so that a resumed run decides the same.
 */
const MAX_REPORTS = { fixed: 2_000, perCharacter: 0.1, afterError: 20 };

let started: Promise<void> | undefined;
const languages = new Map<string, Promise<Language>>();

/**
 * Whether `after` parses. Not judged: a file that did not parse before, an unknown language, over 128 KiB. `before`
 * is null for a new file, which is only judged where the grammar is reliable; `line` (1-based) is the first place that
 * the parser could not read.
 */
export async function checkSyntax(file: string, before: string | null, after: string): Promise<SyntaxVerdict> {
  if (Math.max(before?.length ?? 0, after.length) > MAX_LENGTH) return VALID;
  const check = await findCheck(file, before === null);
  if (check === null) return VALID;
  const fault = check(after);
  if (fault === null) return VALID;
  return before !== null && check(before) !== null ? VALID : fault;
}

type SyntaxCheck = (text: string) => SyntaxVerdict | null;

async function findCheck(file: string, isNew: boolean): Promise<SyntaxCheck | null> {
  const extension = path.posix.extname(file).slice(1).toLowerCase();
  if (extension === 'json') return (text) => findJsonFault(text, allowsComments(file));
  const grammar = Object.hasOwn(GRAMMARS, extension) ? GRAMMARS[extension] : undefined;
  if (grammar === undefined || (isNew && !RELIABLE_GRAMMARS.has(grammar))) return null;
  const language = await getLanguage(grammar);
  return (text) => (isNew && FLOW.test(text.slice(0, 1_000)) ? null : findTreeFault(language, text));
}

async function getLanguage(grammar: string): Promise<Language> {
  const loading = languages.get(grammar) ?? load(grammar);
  languages.set(grammar, loading);
  try {
    return await loading;
  } catch (error) {
    // A fault of the moment must not last as long as the process.
    languages.delete(grammar);
    throw error;
  }
}

async function load(grammar: string): Promise<Language> {
  started ??= Parser.init({ locateFile: () => fileURLToPath(locateOfPackage('web-tree-sitter/web-tree-sitter.wasm')) });
  await started;
  return Language.load(fileURLToPath(locateOfPackage(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)));
}

function findTreeFault(language: Language, text: string): SyntaxVerdict | null {
  const parser = new Parser();
  let tree: Tree | null = null;
  try {
    parser.setLanguage(language);
    const read = text.replace(/^\ufeff/, '');
    const watch = createWatch(read.length);
    tree = parser.parse(read, null, { progressCallback: watch.report });
    if (tree === null) return watch.errorAt === null ? null : createFaultNear(read, watch.errorAt);
    return tree.rootNode.hasError ? describeSyntaxFault(findFirstFault(tree.rootNode)) : null;
  } finally {
    // Trees and parsers live outside of the garbage collector's heap.
    tree?.delete();
    parser.delete();
  }
}

/** Stops a parser that takes too long: recovering from errors may take time that grows with their square. */
function createWatch(length: number) {
  const most = MAX_REPORTS.fixed + length * MAX_REPORTS.perCharacter;
  let reports = 0;
  let afterError = 0;
  const watch = {
    errorAt: null as number | null,
    /** True ends the parse. */
    report: ({ currentOffset, hasError }: ParseState): boolean => {
      reports += 1;
      if (hasError) {
        // The parser counts bytes of UTF-16.
        watch.errorAt ??= Math.floor(currentOffset / 2);
        afterError += 1;
      }
      return reports > most || afterError > MAX_REPORTS.afterError;
    },
  };
  return watch;
}

function createFaultNear(text: string, at: number): SyntaxVerdict {
  return { ok: false, line: countLinesBefore(text, at), what: 'cannot read the text here or just before' };
}

function countLinesBefore(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** The first node that is an error or was made up by the parser. */
function findFirstFault(root: Node): Node {
  let node = root;
  for (;;) {
    if (node.isError || node.isMissing) return node;
    const next = node.children.find((child) => child.hasError || child.isMissing);
    if (next === undefined) return node;
    node = next;
  }
}

function describeSyntaxFault(node: Node): SyntaxVerdict {
  const line = node.startPosition.row + 1;
  if (node.isMissing) return { ok: false, line, what: `"${node.type}" is missing` };
  const [first = ''] = node.text.trim().split('\n');
  return { ok: false, line, what: `cannot read ${JSON.stringify(first.slice(0, 80))}` };
}

function findJsonFault(text: string, comments: boolean): SyntaxVerdict | null {
  const plain = text.replace(/^\ufeff/, '');
  try {
    JSON.parse(comments ? blankComments(plain) : plain);
    return null;
  } catch (error) {
    const at = Number(/position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1] ?? plain.length);
    return { ok: false, line: countLinesBefore(plain, at), what: 'it is not valid JSON' };
  }
}

/** Files that are called JSON and are read with comments and commas at the end. */
function allowsComments(file: string): boolean {
  return /(?:^|\/)(?:[tj]sconfig[^/]*|\.[^/]+rc|devcontainer|language-configuration)\.json$|(?:^|\/)\.vscode\//i.test(
    file,
  );
}

function blankComments(text: string): string {
  // A string or a comment that is not closed is matched as well: else each quotation mark would be searched from to the
  // end.
  const blank = text.replaceAll(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (part) => {
    const isComment = part.startsWith('//') || (part.length >= 4 && part.endsWith('*/') && part.startsWith('/*'));
    return isComment ? part.replaceAll(/[^\n]/g, ' ') : part;
  });
  return blank.replaceAll(/"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}
