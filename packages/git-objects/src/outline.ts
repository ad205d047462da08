// The definitions of a source file, found line by line: over 2.4 MB of TypeScript 0.4 s with their ends; tree-sitter
// took 3.3 s, blocks the event loop for each file, and ships no grammar for Kotlin, Scala or Vue.
import type { OutlineSymbol } from './source.ts';

const MAX_SYMBOLS = 2_000;

const MAX_SIGNATURE = 200;

// Regular expressions over a longer line cost time and find generated code only.
const MAX_LINE = 1_000;

// A list of parameters that goes on for more lines than this is data.
const LOOK_AHEAD = 30;

const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;

// Between parentheses and block: a return type, `throws`, constraints, initialisers, qualifiers; never an operator or a
// dot.
const BEFORE_BLOCK =
  /^\s*(?:$|:|->|throws\b|where\b|const\b|noexcept\b|override\b|final\b|volatile\b|requires\b|async\b|&|\[\[)/;

/** Definitions in `text`, in the order of their lines; empty for a language that is not known. */
export function readOutline(path: string, text: string): readonly OutlineSymbol[] {
  const language = findOutlineLanguage(path);
  if (language === null) return [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const skipped = createSkipper(language);
  const symbols: OutlineSymbol[] = [];
  for (const [index, line] of lines.entries()) {
    if (skipped(line) || line.length > MAX_LINE) continue;
    const found = findSymbolAt(lines, index, language.rules);
    if (found !== null) symbols.push(found);
    if (symbols.length === MAX_SYMBOLS) break;
  }
  return symbols;
}

function findSymbolAt(lines: readonly string[], index: number, rules: readonly OutlineRule[]): OutlineSymbol | null {
  const line = lines[index] ?? '';
  for (const rule of rules) {
    const name = rule.line.exec(line)?.groups?.['name'];
    if (name === undefined || (rule.block === true && !opensBlock(lines, index))) continue;
    return {
      name: name.replace(/^['"`]|['"`]$/g, ''),
      kind: rule.kind,
      line: index + 1,
      signature: line.trim().slice(0, MAX_SIGNATURE),
    };
  }
  return null;
}

/** Whether a block follows the parentheses that open on this line: `name(…) {`, on one line or over several. */
function opensBlock(lines: readonly string[], index: number): boolean {
  const statement = lines
    .slice(index, index + LOOK_AHEAD)
    .map(removeText)
    .join('\n');
  const end = findClosingParenthesis(statement);
  if (end === -1) return false;
  const tail = statement.slice(end + 1);
  const brace = tail.search(/[{};]/);
  return tail.charAt(brace) === '{' && BEFORE_BLOCK.test(tail.slice(0, brace));
}

/** The line without strings and trailing comment, since parentheses in them would mislead. */
function removeText(line: string): string {
  return line
    .slice(0, MAX_LINE)
    .replaceAll(TEXT, '""')
    .replace(/\/\/.*$/, '');
}

/** Where the first parenthesis that opens is closed; -1 where it is not. */
function findClosingParenthesis(statement: string): number {
  let depth = 0;
  for (let index = statement.indexOf('('); index >= 0 && index < statement.length; index += 1) {
    const character = statement.charAt(index);
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** Tells, line after line, which ones lie in a comment or a long string. */
function createSkipper(language: OutlineLanguage): (line: string) => boolean {
  let inside = false;
  return (line) => {
    const wasInside = inside;
    inside = staysInside(language, line, wasInside);
    return wasInside || isLineComment(language, line);
  };
}

function staysInside(language: OutlineLanguage, line: string, inside: boolean): boolean {
  if (language.longText !== undefined) {
    const marks = line.match(language.longText)?.length ?? 0;
    return marks % 2 === 1 ? !inside : inside;
  }
  if (language.comments === 'hash') return false;
  if (inside) return !line.includes('*/');
  const start = /^\s*\/\*|\s\/\*\*?\s*$/.test(line);
  return start && !line.slice(line.indexOf('/*') + 2).includes('*/');
}

function isLineComment(language: OutlineLanguage, line: string): boolean {
  const start = line.trimStart();
  switch (language.comments) {
    case 'hash':
      return start.startsWith('#');
    case 'php':
      return start.startsWith('//') || start.startsWith('/*') || (start.startsWith('#') && !start.startsWith('#['));
    case 'c':
      return start.startsWith('//') || start.startsWith('/*');
  }
}

interface OutlineRule {
  readonly kind: OutlineSymbol['kind'];
  /** Matched against one line; its group `name` is the symbol's name. */
  readonly line: RegExp;
  /** Only where the parentheses are followed by a block: a call looks the same but ends with `;` or `)`. */
  readonly block?: boolean;
}

interface OutlineLanguage {
  readonly rules: readonly OutlineRule[];
  readonly comments: 'c' | 'hash' | 'php';
  /** Text between two of these marks is skipped (Python's long strings, Ruby's `=begin`). */
  readonly longText?: RegExp;
}

/** Goes before a name: a statement's keyword with parentheses is not a definition. */
const NOT_A_NAME =
  '(?!(?:if|else|for|foreach|while|do|switch|case|catch|return|throw|new|await|yield|typeof|delete|super|function|sizeof|using|lock|fixed|when|elseif|match|with|synchronized|assert|goto|not|and|or|in|is|defer|go|select|unless|until|then|echo|print|require|include|import|export|package|namespace)\\b)';

const SCRIPT: OutlineLanguage = {
  comments: 'c',
  rules: [
    {
      kind: 'class',
      line: /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+(?<name>(?!extends\b)[\w$]+)/,
    },
    { kind: 'interface', line: /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s+(?<name>[\w$]+)/ },
    { kind: 'type', line: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+(?<name>[\w$]+)/ },
    { kind: 'type', line: /^\s*(?:export\s+)?(?:declare\s+)?type\s+(?<name>[\w$]+)\s*(?:<.*)?=/ },
    {
      kind: 'module',
      line: /^\s*(?:export\s+)?(?:declare\s+)?(?:namespace|module)\s+(?<name>[\w$.]+|'[^']+'|"[^"]+")\s*\{/,
    },
    {
      kind: 'function',
      line: /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*(?<name>[\w$]+)\s*[(<]/,
    },
    {
      kind: 'function',
      // Not where it is indented: inside of a function it would take the name of what follows it.
      line: /^(?:export\s+)?(?:const|let|var)\s+(?<name>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>|<[^>]+>\s*\(|\((?:[^()]|\([^()]*\))*$)/,
    },
    { kind: 'function', line: /^\s*(?:module\.)?exports\.(?<name>[\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\()/ },
    { kind: 'function', line: /^\s*[\w$.]+\.(?:prototype\.)?(?<name>[\w$]+)\s*=\s*(?:async\s+)?function\b/ },
    { kind: 'constant', line: /^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+(?<name>[\w$]+)\s*[:=]/ },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s+(?:(?:public|private|protected|static|override|abstract|readonly|async|get|set|accessor)\s+)*\*?\s*${NOT_A_NAME}(?<name>#?[\w$]+)\s*(?:<[^>]*>)?\(`,
      ),
    },
    {
      kind: 'function',
      line: /^\s+(?:(?:public|private|protected|static|readonly)\s+)*(?<name>#?[\w$]+)\s*[=:]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>\s*\{)/,
    },
  ],
};

const PYTHON: OutlineLanguage = {
  comments: 'hash',
  longText: /"""|'''/g,
  rules: [
    { kind: 'class', line: /^\s*class\s+(?<name>\w+)/ },
    { kind: 'function', line: /^\s*(?:async\s+)?def\s+(?<name>\w+)/ },
    { kind: 'constant', line: /^(?<name>[A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=(?!=)/ },
  ],
};

const RUBY: OutlineLanguage = {
  comments: 'hash',
  longText: /^=(?:begin|end)\b/g,
  rules: [
    { kind: 'class', line: /^\s*class\s+(?<name>[A-Z][\w:]*)/ },
    { kind: 'module', line: /^\s*module\s+(?<name>[A-Z][\w:]*)/ },
    {
      kind: 'function',
      line: /^\s*(?:(?:private|protected|public|private_class_method|module_function)\s+)?def\s+(?:self\.)?(?<name>[\w]+[?!=]?|[-+*/%<>=!~^&|[\]]+)/,
    },
    { kind: 'function', line: /^\s*define_method[( ]\s*:(?<name>\w+[?!]?)/ },
    { kind: 'constant', line: /^\s*(?<name>[A-Z][A-Z0-9_]+)\s*=(?![=~>])/ },
  ],
};

const PHP_WORDS = String.raw`(?:(?:public|private|protected|static|final|abstract|readonly)\s+)*`;

const PHP: OutlineLanguage = {
  comments: 'php',
  rules: [
    { kind: 'module', line: /^\s*namespace\s+(?<name>[\w\\]+)/ },
    { kind: 'class', line: new RegExp(String.raw`^\s*${PHP_WORDS}(?:class|trait|enum)\s+(?<name>\w+)`) },
    { kind: 'interface', line: /^\s*interface\s+(?<name>\w+)/ },
    { kind: 'function', line: new RegExp(String.raw`^\s*${PHP_WORDS}function\s+&?\s*(?<name>\w+)\s*\(`) },
    { kind: 'constant', line: new RegExp(String.raw`^\s*${PHP_WORDS}const\s+(?:\w+\s+)?(?<name>[A-Z]\w*)\s*=`) },
  ],
};

const JVM_WORDS =
  '(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|inner|override|synchronized|native|default|inline|suspend|operator|infix|tailrec|enum|annotation|value|strictfp|companion|lateinit|expect|actual|non-sealed|@\\w+(?:\\([^)]*\\))?)\\s+)*';

const JVM: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'interface', line: new RegExp(String.raw`^\s*${JVM_WORDS}(?:fun\s+)?@?interface\s+(?<name>\w+)`) },
    { kind: 'class', line: new RegExp(String.raw`^\s*${JVM_WORDS}(?:class|record|object|enum)\s+(?<name>\w+)`) },
    { kind: 'type', line: /^\s*(?:(?:public|private|internal)\s+)?typealias\s+(?<name>\w+)/ },
    {
      kind: 'function',
      line: new RegExp(
        String.raw`^\s*${JVM_WORDS}fun\s+(?:<[^>]+>\s*)?(?:[\w.<>?*, ]+\.)?(?<name>\w+|` +
          '`[^`]+`' +
          String.raw`)\s*\(`,
      ),
    },
    { kind: 'constant', line: /^\s*(?:(?:public|private|protected|internal)\s+)?const\s+val\s+(?<name>\w+)/ },
    {
      kind: 'constant',
      line: /^\s*(?:(?:public|private|protected)\s+)?static\s+final\s+[\w<>[\],.? ]+\s(?<name>[A-Z][A-Z0-9_]*)\s*=/,
    },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s+${JVM_WORDS}(?:<[^>]+(?:>[^>(]*)?>\s+)?(?:${NOT_A_NAME}[\w.]+(?:<[^()]*>)?(?:\[\])*\s+)?${NOT_A_NAME}(?<name>\w+)\s*\((?!.*->)`,
      ),
    },
  ],
};

const GO: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'function', line: /^func\s+(?:\([^)]*\)\s*)?(?<name>\w+)/ },
    { kind: 'interface', line: /^\s*(?:type\s+)?(?<name>\w+)(?:\[[^\]]*\])?\s+interface\s*\{/ },
    { kind: 'class', line: /^\s*(?:type\s+)?(?<name>\w+)(?:\[[^\]]*\])?\s+struct\s*\{\s*\}?$/ },
    { kind: 'type', line: /^type\s+(?<name>\w+)/ },
    { kind: 'constant', line: /^(?:const|var)\s+(?<name>\w+)/ },
  ],
};

const RUST_WORDS = String.raw`(?:pub(?:\([^)]*\))?\s+)?`;

const RUST: OutlineLanguage = {
  comments: 'c',
  rules: [
    {
      kind: 'function',
      line: new RegExp(
        String.raw`^\s*${RUST_WORDS}(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*fn\s+(?<name>\w+)`,
      ),
    },
    { kind: 'class', line: new RegExp(String.raw`^\s*${RUST_WORDS}(?:struct|enum|union)\s+(?<name>\w+)`) },
    {
      kind: 'class',
      line: /^\s*(?:unsafe\s+)?impl(?:<.*?>)?\s+(?:[^{]*?\bfor\s+)?&?(?:'\w+\s+)?(?:mut\s+)?(?<name>[\w:]+)/,
    },
    { kind: 'interface', line: new RegExp(String.raw`^\s*${RUST_WORDS}(?:unsafe\s+)?trait\s+(?<name>\w+)`) },
    { kind: 'type', line: new RegExp(String.raw`^\s*${RUST_WORDS}type\s+(?<name>\w+)`) },
    { kind: 'module', line: new RegExp(String.raw`^\s*${RUST_WORDS}mod\s+(?<name>\w+)\s*\{`) },
    {
      kind: 'constant',
      line: new RegExp(String.raw`^\s*${RUST_WORDS}(?:const|static(?:\s+mut)?)\s+(?<name>[A-Z]\w*)\s*:`),
    },
    { kind: 'function', line: /^\s*macro_rules!\s*(?<name>\w+)/ },
  ],
};

const SHARP_WORDS =
  '(?:(?:public|private|protected|internal|static|sealed|abstract|partial|virtual|override|async|readonly|unsafe|extern|new|ref|file|required|explicit|implicit)\\s+)*';

const SHARP: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'module', line: /^\s*namespace\s+(?<name>[\w.]+)/ },
    { kind: 'interface', line: new RegExp(String.raw`^\s*${SHARP_WORDS}interface\s+(?<name>\w+)`) },
    {
      kind: 'class',
      line: new RegExp(String.raw`^\s*${SHARP_WORDS}(?:class|struct|record(?:\s+(?:class|struct))?)\s+(?<name>\w+)`),
    },
    { kind: 'type', line: new RegExp(String.raw`^\s*${SHARP_WORDS}(?:enum|delegate\s+\S+)\s+(?<name>\w+)`) },
    { kind: 'constant', line: /^\s*(?:(?:public|private|protected|internal)\s+)*const\s+\S+\s+(?<name>\w+)\s*=/ },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s+${SHARP_WORDS}(?:${NOT_A_NAME}[\w.]+(?:<[^()]*>)?\??(?:\[,*\])*\??\s+)?${NOT_A_NAME}(?<name>\w+)\s*(?:<[^>]*>)?\((?!.*=>\s*\{)`,
      ),
    },
    {
      kind: 'function',
      line: new RegExp(
        String.raw`^\s+${SHARP_WORDS}(?:\([^)]*\)|${NOT_A_NAME}[\w.]+(?:<[^()]*>)?\??(?:\[,*\])*)\s+${NOT_A_NAME}(?<name>\w+)\s*(?:\([^)]*\)\s*=>|\{\s*get\b)`,
      ),
    },
  ],
};

const C: OutlineLanguage = {
  comments: 'c',
  rules: [
    { kind: 'module', line: /^\s*(?:inline\s+)?namespace\s+(?<name>[\w:]+)/ },
    {
      kind: 'class',
      line: /^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union)\s+(?:\[\[.*?\]\]\s*|[A-Z_]+\s+)?(?<name>\w+)(?:\s+final)?\s*(?::[^:;]*)?(?:\{.*)?$/,
    },
    { kind: 'type', line: /^\s*(?:typedef\s+)?enum\s+(?:class\s+|struct\s+)?(?<name>\w+)/ },
    { kind: 'type', line: /^\s*using\s+(?<name>\w+)\s*=/ },
    { kind: 'type', line: /^typedef\s.*\b(?<name>\w+)\s*;/ },
    { kind: 'constant', line: /^\s*#\s*define\s+(?<name>\w+)/ },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`^\s*(?:${NOT_A_NAME}[\w:<>,*&~]+\s+)*[*&]*${NOT_A_NAME}(?<name>(?:\w+::)*(?:~?\w+|operator\s*\S+?))\s*\((?!.*\](?:\s*\(.*\))?\s*\{)`,
      ),
    },
  ],
};

const SWIFT_WORDS =
  '(?:(?:@\\w+(?:\\([^)]*\\))?|public|private|fileprivate|internal|package|open|final|static|class|override|mutating|nonmutating|convenience|required|indirect|nonisolated|dynamic)\\s+)*';

const SWIFT: OutlineLanguage = {
  comments: 'c',
  rules: [
    {
      kind: 'class',
      line: new RegExp(
        String.raw`^\s*${SWIFT_WORDS}(?:class|struct|enum|actor|extension)\s+(?<name>(?!(?:func|var|let|init|subscript)\b)[A-Za-z_][\w.]*)`,
      ),
    },
    { kind: 'interface', line: new RegExp(String.raw`^\s*${SWIFT_WORDS}protocol\s+(?<name>\w+)`) },
    { kind: 'type', line: new RegExp(String.raw`^\s*${SWIFT_WORDS}(?:typealias|associatedtype)\s+(?<name>\w+)`) },
    { kind: 'function', line: new RegExp(String.raw`^\s*${SWIFT_WORDS}func\s+(?<name>\w+|[-+*/%<>=!&|^~?.]+)`) },
    { kind: 'function', line: new RegExp(String.raw`^\s*${SWIFT_WORDS}(?<name>init|subscript)[?!]?\s*[(<]`) },
    { kind: 'function', line: /^\s*(?<name>deinit)\s*\{/ },
    { kind: 'constant', line: /^(?:(?:public|private|fileprivate|internal)\s+)?let\s+(?<name>\w+)/ },
  ],
};

const DART_WORDS = String.raw`^\s*(?:(?:static|external|const|factory)\s+)*`;

const DART_TYPE = String.raw`(?:${NOT_A_NAME}[\w.]+(?:<[^()]*>)?\??\s+)?`;

const DART: OutlineLanguage = {
  comments: 'c',
  rules: [
    {
      kind: 'class',
      line: /^\s*(?:(?:abstract|base|final|sealed|interface|mixin)\s+)*(?:class|mixin|enum|extension(?:\s+type)?)\s+(?<name>(?!on\b)\w+)/,
    },
    { kind: 'type', line: /^\s*typedef\s+(?<name>\w+)\s*(?:<[^>]*>\s*)?=/ },
    {
      kind: 'function',
      line: new RegExp(String.raw`${DART_WORDS}${DART_TYPE}get\s+(?<name>\w+)\s*(?:=>|\{|async\b)`),
    },
    {
      kind: 'function',
      line: new RegExp(
        String.raw`${DART_WORDS}${DART_TYPE}${NOT_A_NAME}(?<name>\w+(?:\.\w+)?)\s*(?:<[^>()]*>)?\([^()]*\)\s*(?:async\s*)?=>`,
      ),
    },
    {
      kind: 'function',
      block: true,
      line: new RegExp(
        String.raw`${DART_WORDS}${DART_TYPE}${NOT_A_NAME}(?<name>\w+(?:\.\w+)?)\s*(?:<[^>()]*>)?\((?!.*=>)`,
      ),
    },
    { kind: 'constant', line: /^(?:const|final)\s+(?:[\w<>?]+\s+)?(?<name>\w+)\s*=/ },
  ],
};

const ELIXIR: OutlineLanguage = {
  comments: 'hash',
  longText: /"""/g,
  rules: [
    { kind: 'module', line: /^\s*(?:defmodule|defimpl)\s+(?<name>[A-Z][\w.]*)/ },
    { kind: 'interface', line: /^\s*defprotocol\s+(?<name>[A-Z][\w.]*)/ },
    { kind: 'function', line: /^\s*def(?:p|macro|macrop|guard|guardp|delegate)?\s+(?<name>[a-z_]\w*[?!]?)/ },
  ],
};

const BY_EXTENSION: Readonly<Record<string, OutlineLanguage>> = Object.fromEntries(
  (
    [
      ['ts tsx mts cts js jsx mjs cjs vue svelte', SCRIPT],
      ['py pyi', PYTHON],
      ['java kt kts groovy scala', JVM],
      ['go', GO],
      ['rs', RUST],
      ['cs', SHARP],
      ['rb rake', RUBY],
      ['php', PHP],
      ['swift', SWIFT],
      ['dart', DART],
      ['ex exs', ELIXIR],
      ['c h cc cpp cxx hh hpp hxx m mm', C],
    ] as const
  ).flatMap(([extensions, language]) => extensions.split(' ').map((extension) => [extension, language])),
);

/** The language of a file by its extension; null for one that has no outline here. */
function findOutlineLanguage(path: string): OutlineLanguage | null {
  const extension = /\.([A-Za-z]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? (BY_EXTENSION[extension] ?? null) : null;
}
