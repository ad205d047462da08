// Syntax colours of source code: which part of each line has which. It runs in the thread of `highlight-worker.ts`, since
// the grammars are expressions that take minutes for a hostile text.
import { common, createLowlight } from 'lowlight';

const KIND_NAMES = ['', 'keyword', 'string', 'number', 'comment', 'name', 'type'] as const;

/** A class of the style sheet; "": none. */
export type CodeKind = (typeof KIND_NAMES)[number];

export interface CodeText {
  /** By whose ending the language is chosen. */
  readonly path: string;
  readonly text: string;
}

/** Of each line of a text, its parts in their order: how many characters long, and of which kind. */
export type CodeLines = readonly (readonly (readonly [length: number, kind: CodeKind])[])[];

export interface HighlightRequest {
  readonly texts: readonly CodeText[];
}

export interface HighlightAnswer {
  /** Null: there is no grammar for it. */
  readonly lines: readonly (CodeLines | null)[];
}

/** What the grammars call it, and which of our few colours it gets. */
const KINDS: Readonly<Record<string, CodeKind>> = {
  keyword: 'keyword',
  literal: 'keyword',
  operator: 'keyword',
  built_in: 'type',
  type: 'type',
  class: 'type',
  string: 'string',
  regexp: 'string',
  char: 'string',
  number: 'number',
  symbol: 'number',
  comment: 'comment',
  doctag: 'comment',
  quote: 'comment',
  title: 'name',
  section: 'name',
  attr: 'name',
  attribute: 'name',
  name: 'name',
  tag: 'name',
};

const LANGUAGES: Readonly<Record<string, string>> = {
  c: 'c',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  less: 'less',
  scss: 'scss',
  go: 'go',
  graphql: 'graphql',
  cfg: 'ini',
  ini: 'ini',
  toml: 'ini',
  java: 'java',
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  json: 'json',
  kt: 'kotlin',
  kts: 'kotlin',
  lua: 'lua',
  mk: 'makefile',
  md: 'markdown',
  m: 'objectivec',
  mm: 'objectivec',
  pl: 'perl',
  pm: 'perl',
  php: 'php',
  py: 'python',
  pyi: 'python',
  r: 'r',
  rb: 'ruby',
  rs: 'rust',
  bash: 'bash',
  sh: 'bash',
  sql: 'sql',
  swift: 'swift',
  ts: 'typescript',
  cts: 'typescript',
  mts: 'typescript',
  tsx: 'typescript',
  vb: 'vbnet',
  htm: 'xml',
  html: 'xml',
  svg: 'xml',
  vue: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};

type Tree = ReturnType<ReturnType<typeof createLowlight>['highlight']>;
type Node = Tree['children'][number];

const lowlight = createLowlight(common);

export function highlightTexts({ texts }: HighlightRequest): HighlightAnswer {
  return { lines: texts.map(highlightText) };
}

function highlightText({ path, text }: CodeText): CodeLines | null {
  const language = LANGUAGES[/\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? ''];
  return language === undefined ? null : listParts(lowlight.highlight(language, text).children);
}

/** Without recursion: a hostile text nests as deeply as it is long. */
function listParts(roots: readonly Node[]): CodeLines {
  const lines: [length: number, kind: CodeKind][][] = [[]];
  const open: { readonly node: Node; readonly kind: CodeKind }[] = roots.map((node) => ({ node, kind: '' as const }));
  open.reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, kind } = next;
    if (node.type === 'element') {
      const own = toKind(node.properties['className']) ?? kind;
      for (const child of node.children.toReversed()) open.push({ node: child as Node, kind: own });
    } else if (node.type === 'text') addText(lines, node.value, kind);
  }
  return lines;
}

function addText(lines: [length: number, kind: CodeKind][][], text: string, kind: CodeKind): void {
  for (const [at, part] of text.split('\n').entries()) {
    if (at > 0) lines.push([]);
    const line = lines.at(-1);
    const last = line?.at(-1);
    if (part === '') continue;
    if (last?.[1] === kind) last[0] += part.length;
    else line?.push([part.length, kind]);
  }
}

/** Names of grammars may go on behind a dot: `title.function_` is one of `title function_`. */
function toKind(classNames: unknown): CodeKind | undefined {
  const [first = ''] = Array.isArray(classNames) ? classNames.map(String) : [];
  return KINDS[first.replace(/^hljs-/, '')];
}
