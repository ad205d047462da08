// What an outline shows of files that define little: the titles of tests, and the keys of data. Each line as it is written.

export interface OutlineEntry {
  readonly line: number;
  /** The line with the blanks before it, which show what lies in what. */
  readonly text: string;
}

const MAX_SHOWN = 160;

/** Longer lines are not looked at. */
const MAX_LINE = 1_000;

/** A call or block of a runner with its title: `it('adds', …`, `t.Run("empty", …`, `describe Cart do`, `@DisplayName("…")`. */
const TITLE =
  /^[ \t]{0,60}(?:(?:RSpec|QUnit|Deno|[tbsg])\.)?(?:x|f)?(?:describe|context|suite|it|test|specify|scenario|feature|bench|Run|should|@DisplayName|@Test)\b(?:\.(?:each|for)\b.{0,300}\)|(?:\.\w{1,20}){0,3}) ?\(? ?(?:["'`]|[A-Z][\w:]*(?:,| do\b))/;

/** The title of a table of cases, after it: `])('adds %i', …`; a case of a table in Go: `name: "empty",`. */
const CASE = /^[ \t]{0,60}(?:[\])}`]{1,3} ?\( ?["'`]|(?:\{ ?)?[nN]ame: {0,20}["`])/;

/** A test that is a block with its name: `keeps_names: {`. */
const LABEL = /^[A-Za-z_$][\w$]*: \{$/;

const IS_TEST = /(?:^|[/._-])(?:tests?|specs?|__tests__)(?:[/._-]|$)|(?:Tests?|Spec|IT)\.\w+$/;

/** In the order of their lines; none of a file that is no test. */
export function listTestTitles(path: string, text: string): readonly OutlineEntry[] {
  if (!IS_TEST.test(path)) return [];
  const isScript = /\.[cm]?[jt]sx?$/.test(path);
  return selectLines(text, (line) => TITLE.test(line) || CASE.test(line) || (isScript && LABEL.test(line)));
}

const KEYS: Readonly<Record<string, RegExp>> = {
  json: /^[ \t]{0,60}"[^"]{1,200}" ?:/,
  yaml: /^ {0,60}(?:- )?["']?[\w./@$-][\w./@$ -]{0,99}["']?:(?:\s|$)/,
  toml: /^\s*\[{1,2}[^\]]{1,200}\]{1,2}|^[\w."-]{1,100}\s*=/,
  ini: /^ {0,60}\[[^\]]{1,200}\]|^[\w.-]{1,100} {0,60}[=:]/,
};

const FORMS: Readonly<Record<string, string>> = {
  ...{ json: 'json', jsonc: 'json', json5: 'json', arb: 'json', yaml: 'yaml', yml: 'yaml', toml: 'toml', lock: 'toml' },
  ...{ ini: 'ini', cfg: 'ini', conf: 'ini', properties: 'ini', editorconfig: 'ini' },
};

/** More keys than these are shown by their outermost alone. */
const MANY_KEYS = 150;

/** The keys of data, those of the two outer levels; of a table its columns. Null: the file is no data. */
export function listDataKeys(path: string, text: string): readonly OutlineEntry[] | null {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (ending === 'csv' || ending === 'tsv') return listColumns(text);
  const key = KEYS[FORMS[ending] ?? ''];
  if (key === undefined) return null;
  const all = selectLines(text, (line) => key.test(line));
  const depths = [...new Set(all.map(({ text: line }) => line.search(/\S/)))].sort((a, b) => a - b);
  const upTo = (level: number) =>
    all.filter(({ text: line }) => line.search(/\S/) <= (depths[level] ?? depths.at(-1) ?? 0));
  const two = upTo(1);
  return two.length > MANY_KEYS && depths.length > 1 ? upTo(0) : two;
}

function listColumns(text: string): readonly OutlineEntry[] {
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  const [head = ''] = rows;
  return head === '' ? [] : [{ line: 1, text: `${head.slice(0, MAX_LINE)} (${rows.length - 1} rows below)` }];
}

function selectLines(text: string, isWanted: (line: string) => boolean): readonly OutlineEntry[] {
  return text
    .split(/\r?\n/)
    .flatMap((line, index) =>
      line.length <= MAX_LINE && isWanted(line) ? [{ line: index + 1, text: line.slice(0, MAX_SHOWN) }] : [],
    );
}
