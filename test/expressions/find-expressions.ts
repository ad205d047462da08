// Every regular expression of the source: literals by tree-sitter, and those that a module composes when it is loaded.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { listShippedFiles, ROOT } from '../support/source-files.ts';

export interface Expression {
  readonly source: string;
  readonly flags: string;
  /** `src/folder/file.ts:line`. */
  readonly at: string;
}

export interface Found {
  readonly expressions: readonly Expression[];
  /** Composed inside a function, so that loading the module does not show them: `folder/file.ts: the text of the call`. */
  readonly composedLater: readonly string[];
}

const CALLS = ['new_expression', 'call_expression'];
const FUNCTIONS = new Set(['function_declaration', 'arrow_function', 'method_definition', 'function_expression']);

/** The parser of one of the grammars that ship with the product. */
export async function parserFor(grammar: 'typescript' | 'regex'): Promise<Parser> {
  await Parser.init();
  const { resolve } = createRequire(import.meta.url);
  const parser = new Parser();
  parser.setLanguage(await Language.load(resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)));
  return parser;
}

/** Loads the modules of src that compose expressions, in this thread: its `RegExp` reports them while they load. */
export async function findExpressions(): Promise<Found> {
  const parser = await parserFor('typescript');
  const expressions: Expression[] = [];
  const composedLater: string[] = [];
  const composing = new Set<string>();
  for (const file of listShippedFiles()) {
    const tree = parser.parse(readFileSync(path.join(ROOT, file), 'utf8'));
    if (tree === null) throw new Error(`${file} was not parsed`);
    const nodes = tree.rootNode.descendantsOfType(['regex', ...CALLS]);
    for (const node of nodes.filter((one) => one !== null)) {
      if (node.type === 'regex') expressions.push(literal(file, node));
      else if (!isRegExp(node)) continue;
      else if (isInFunction(node)) composedLater.push(`${file}: ${node.text.replaceAll(/\s+/g, ' ')}`);
      else composing.add(file);
    }
    tree.delete();
  }
  return { expressions: [...expressions, ...(await composedBy(composing))], composedLater };
}

function literal(file: string, node: Node): Expression {
  const part = (name: string) => node.childForFieldName(name)?.text ?? '';
  return { source: part('pattern'), flags: part('flags'), at: `${file}:${node.startPosition.row + 1}` };
}

function isRegExp(call: Node): boolean {
  return (call.childForFieldName('constructor') ?? call.childForFieldName('function'))?.text === 'RegExp';
}

function isInFunction(node: Node): boolean {
  for (let above = node.parent; above !== null; above = above.parent) if (FUNCTIONS.has(above.type)) return true;
  return false;
}

async function composedBy(files: ReadonlySet<string>): Promise<readonly Expression[]> {
  const composed: Expression[] = [];
  const Real = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Real, {
    construct(target, given: [string | RegExp, string?], newTarget) {
      const made = Reflect.construct(target, given, newTarget) as RegExp;
      const caller = /\/((?:packages\/[\w-]+\/)?src\/\S+?\.ts):(\d+)/.exec(new Error().stack ?? '');
      if (caller !== null) composed.push({ source: made.source, flags: made.flags, at: `${caller[1]}:${caller[2]}` });
      return made;
    },
  });
  try {
    for (const file of files) await import(pathToFileURL(path.join(ROOT, file)).href);
  } finally {
    globalThis.RegExp = Real;
  }
  return composed;
}
