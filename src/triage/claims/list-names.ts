// The names in a report that may be of this project's code, with what shows that they are.

import { findDefinedNames } from 'causeway-code-words';
import { markCode } from 'causeway-log-lines';
import type { ReportClaim } from '../../core/issue/index.ts';
import { isCompoundName, isOfLanguage, isProductName } from '../identifiers.ts';
import { toPlainLines } from '../report-text.ts';
import { splitConstantParts } from '../signals.ts';
import { findTraces } from '../traces/find-traces.ts';
import { isOfRuntime } from './claim.ts';

/** A name of the report with what shows that it is of this project. */
export interface NamedThing {
  readonly text: string;
  readonly kind: ReportClaim['kind'];
  /** Of these words one has to be found. */
  readonly forms: readonly string[];
  /** What it belongs to, which has to be here as well; "": nothing. */
  readonly qualifier: string;
  /** Whether the report says so much of it that it is of this project although it is not found. */
  readonly isTied: boolean;
  /** Whether the report speaks of it as of something that is there, and not as of the reporter's own. */
  readonly mayBeMissing: boolean;
  /** Whether what it belongs to is known not to be here, and would be of this project: its file is missing as well. */
  readonly isOfLostFile: boolean;
  /** Whether the report marks it as code. */
  readonly isMarked: boolean;
  /** Only code that the reporter shows has it, so that it counts if it is found and is never missing. */
  readonly inSample: boolean;
}

export interface NamesInput {
  readonly report: string;
  /** Messages of errors that the report quotes. */
  readonly messages: readonly string[];
  /** Names of this project and its packages, in small letters. */
  readonly ownNames: readonly string[];
  /** Whether the report asks for something that is not there yet. */
  readonly isWish: boolean;
  /** Paths of this project that the report names, those that are not there included. */
  readonly files: readonly string[];
  /** Functions of frames: of this project's; of those the ones whose place is not there; of others. */
  readonly framed: {
    readonly own: readonly string[];
    readonly lost: ReadonlySet<string>;
    /** Names of files that are not there, without their ending. */
    readonly lostFiles: ReadonlySet<string>;
    readonly others: ReadonlySet<string>;
  };
}

/** A report that names more is a log. */
const MAX_NAMES = 80;

const MAX_LINES = 2_000;

const SPAN = /`([^`\n]{2,160})`/g;
const BARE = /(?<![\w$/.\\@-])(?:--[a-z][\w-]{2,60}|[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?:\(\))?)/g;

/** What a sentence calls a name; the group is the kind that it is then. */
const NOUN = [
  '(?<option>options?|flags?|parameters?|params?|arguments?)',
  '(?<setting>settings?|property|properties|constant|field|attribute|cop|rule|env(?:ironment)? var(?:iable)?s?|keys?)',
  '(?<class>class(?:es)?|enum|struct|trait|interface|type|component|middleware)',
  '(?<function>functions?|methods?|hook|helper|decorator|handler)',
].join('|');
const SAID_AFTER = new RegExp(`^\\W{0,3}(?:${NOUN})\\b`, 'i');
const SAID_BEFORE = new RegExp(`\\b(?:${NOUN})\\W{1,3}$`, 'i');
const SAID_KINDS = ['option', 'setting', 'class', 'function'] as const;

/** What is the reporter's own, or someone else's. */
const OTHERS =
  /\b(?:my|our|mine|own|custom|i (?:have|wrote|made|created|define[d]?|use[d]?)|we (?:have|wrote|made|created|define[d]?|use[d]?)|third[- ]party|plugin|called? (?:it )?)\W{0,4}(?:\w+\W{1,3}){0,2}$/i;

/** What the reporter would like to have. */
const PROPOSED =
  /\b(?:add(?:ed|ing)?|introduc(?:e|ing)|propos\w{1,6}|suggest\w{0,5}|implement(?:ing)?|new|possible to|would be|could (?:be|have)|should (?:be called|have|provide)|something like|renam\w{1,3})\b[^.!?]{0,60}$/i;

const IMPORT = /^\s*(?:import\b|from\s|use\s|using\s|#\s*include\b|(?:const|let|var)\b.{1,100}\brequire\()/;

/** What a program is given as a text: its names are data. */
const TEXT = /(?<=[([{,=:]\s?)(?:"[^"]{0,200}"|'[^']{0,200}')/g;

type How = Pick<NamedThing, 'isTied' | 'isMarked' | 'inSample'> & { readonly mayBeMissing?: boolean };

/** Each once, as it is named best. */
export function listNamedThings(input: NamesInput): readonly NamedThing[] {
  const plain = toPlainLines(input.report).slice(0, MAX_LINES);
  const traced = findTraces(plain).lines;
  const lines = markCode(plain).filter((_, index) => !traced.has(index));
  const sample = lines.flatMap(({ text, kind }) => (kind === 'code' ? [text.slice(0, 400)] : []));
  const isOwn = (line: string) => input.ownNames.some((name) => line.toLowerCase().includes(name));
  const foreign = sample.filter((line) => IMPORT.test(line) && !isOwn(line));
  const theirs = new Set([
    ...findDefinedNames(sample.join('\n')),
    ...listAssigned(sample),
    ...foreign.flatMap((line) => line.match(/[A-Za-z_$][\w$]*/g) ?? []),
    ...input.framed.others,
  ]);
  const found = new Map<string, NamedThing>();
  const all = [
    ...lines.flatMap(({ text, kind }) => (kind === 'prose' ? listInProse(text.slice(0, 2_000), input, theirs) : [])),
    ...input.framed.own.map((name) =>
      toNamed(name, new Set(), { isTied: input.framed.lost.has(name), isMarked: true, inSample: false }),
    ),
    ...input.messages.flatMap(toNamedMessage),
    ...plain.flatMap(listSaidMissing),
    ...sample.flatMap((line) =>
      listWritten(line.replaceAll(TEXT, ' ')).flatMap((word) =>
        (
          word.startsWith('--')
            ? isOwn(line) || line.trim().startsWith('--')
            : isCompoundName(word) || /^[A-Z]/.test(word)
        )
          ? [toNamed(word, theirs, { isTied: false, isMarked: false, inSample: true })]
          : [],
      ),
    ),
  ];
  for (const named of all) {
    if (named === null || found.size >= MAX_NAMES) continue;
    const known = found.get(named.text);
    const isBetter = known === undefined || rate(named) > rate(known);
    const { lostFiles } = input.framed;
    const isOfLostFile = lostFiles.has(named.qualifier) || lostFiles.has(named.forms[0] ?? '');
    if (isBetter) found.set(named.text, { ...named, isOfLostFile, isTied: named.isTied || isOfLostFile });
    if (lostFiles.has(named.qualifier) && !found.has(named.qualifier)) {
      const whole = { text: named.qualifier, forms: [named.qualifier], qualifier: '', kind: 'class' as const };
      found.set(named.qualifier, { ...named, ...whole, isOfLostFile, isTied: true });
    }
  }
  return [...found.values()];
}

/** How much the report says of it. */
function rate({ isTied, isMarked, inSample }: NamedThing): number {
  if (inSample) return 0;
  return 1 + (isMarked ? 1 : 0) + (isTied ? 2 : 0);
}

/** Names in backticks, tied if a noun or a file of this project is next to them, and bare names written as only code is. */
function listInProse(text: string, input: NamesInput, theirs: ReadonlySet<string>): readonly (NamedThing | null)[] {
  const isOfFile = input.files.some((file) => text.includes(file));
  const isOfProject = input.ownNames.some((name) => text.toLowerCase().includes(name));
  const prefixes = input.ownNames.map((name) => `${name.toUpperCase().replaceAll(/\W/g, '_')}_`);
  const hasPrefix = (word: string) => prefixes.some((prefix) => word.startsWith(prefix));
  const spans = [...text.matchAll(SPAN)].map((span) => {
    const before = text.slice(Math.max(0, span.index - 60), span.index);
    const after = text.slice(span.index + span[0].length, span.index + span[0].length + 30);
    const noun = SAID_AFTER.exec(after)?.groups ?? SAID_BEFORE.exec(before)?.groups;
    const said = SAID_KINDS.find((each) => noun?.[each] !== undefined);
    const content =
      (span[1] ?? '')
        .trim()
        .split(/:\s/, 1)[0]
        ?.replace(/^-D(?=[A-Z])/, '') ?? '';
    const isOption = content.startsWith('--') && isOfProject;
    const isSaid = said !== undefined || isOfFile || isOption || hasPrefix(content);
    // A name of one word is a word as well.
    const isNamed = isSaid && /[A-Z_-]/.test(content.slice(1)) && !/^-\w/.test(content);
    const mayBeMissing = !input.isWish && !OTHERS.test(before) && !PROPOSED.test(before);
    const named = toNamed(content, theirs, {
      mayBeMissing,
      isTied: isNamed && mayBeMissing,
      isMarked: true,
      inSample: false,
    });
    return named !== null && said !== undefined && named.kind === 'function' && !content.endsWith(')')
      ? { ...named, kind: said }
      : named;
  });
  const rest = listWritten(text.replace(SPAN, ' ').replace(/https?:\S+/g, ' ')).filter(
    (word) => !input.ownNames.includes(word.toLowerCase()),
  );
  return [
    ...spans,
    ...rest.map((word) =>
      toNamed(word, theirs, {
        isTied: hasPrefix(word) && !input.isWish,
        isMarked: false,
        inSample: false,
        mayBeMissing: !input.isWish,
      }),
    ),
  ];
}

const PLAIN = { mayBeMissing: true, isTied: false, isMarked: false, inSample: false, isOfLostFile: false };

/** Of a message its longest part that does not change. */
function toNamedMessage(message: string): readonly NamedThing[] {
  const [part = ''] = splitConstantParts(message);
  const words = part.split(' ');
  const ends = words.length < 7 ? [] : [words.slice(0, 4).join(' '), words.slice(-4).join(' ')];
  if (part.length < 12) return [];
  return [{ text: message, forms: [part, ...ends], qualifier: '', kind: 'message', ...PLAIN }];
}

const SAID_MISSING = [
  /'(?<owner>\w{1,60})' object has no attribute '(?<name>\w{3,60})'/g,
  /\b(?:unknown|unrecognized|unrecognised|invalid|no such|unexpected|undefined|unsupported) (?:option|argument|setting|flag|keyword argument|key|property|field|attribute|method)s?:? ?["'\u0060]?(?<name>[A-Za-z-][\w-]{3,60})/gi,
];

/** What a program says that it does not know: when it went is worth telling. */
function listSaidMissing(line: string): readonly (NamedThing | null)[] {
  const text = line.slice(0, 500);
  return SAID_MISSING.flatMap((form) => [...text.matchAll(form)]).map(({ groups }) => {
    const named = toNamed(groups?.['name'] ?? '', new Set(), { isTied: false, isMarked: true, inSample: false });
    return named === null ? null : { ...named, qualifier: groups?.['owner'] ?? named.qualifier };
  });
}

function listWritten(text: string): readonly string[] {
  return [...text.matchAll(BARE)].flatMap(([word]) => (looksWritten(word) ? [word] : []));
}

function looksWritten(word: string): boolean {
  return (
    /^--|\(\)$|[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]|\w(?:\.|::|#)\w/.test(word) &&
    !/\.(?:com|org|net|io|dev|js|ts|py|md|html?)$/i.test(word)
  );
}

/** A field or parameter behind its type. */
const DECLARED =
  /(?:\b(?:[A-Z]\w{0,60}|int|long|short|byte|bool|boolean|double|float|char|string|auto)|[>\]*&?])\s([a-z_]\w{0,60})(?=\s?[;,)=])/g;

/** `x = 1`, `let x`, `for x in`, `String x;`: what a sample names itself. */
function listAssigned(lines: readonly string[]): readonly string[] {
  const named = (line: string, form: RegExp) => [...line.matchAll(form)].map(([, name = '']) => name);
  return lines.flatMap((line) => [
    ...named(line, /(?:^|[\s({,;])([A-Za-z_$][\w$]{0,60})\s{0,4}(?:=(?![=>])|\sin\s|:=)/g),
    ...named(line, DECLARED),
    ...named(line, /\b(?:let|const|var|val|def|fn|func|function|class|struct|my|typename)\s+([A-Za-z_$][\w$]*)/g),
  ]);
}

const NO_NAME =
  /^(?:null|nil|none|undefined|true|false|self|this|super|string|number|boolean|object|array|int|float|void|any|error|exception|typeerror|valueerror|keyerror|attributeerror|nullpointerexception|console|json|http|https|node|python|java|rust|ruby|php|main|test|tests|toString|valueOf|values|hashCode|equals|prototype|constructor|__init__|__name__|__main__|NODE_ENV|PATH|HOME|RUST_BACKTRACE)$/i;

/** Null: it is no name of code, or one that the report's own code defines. */
function toNamed(content: string, theirs: ReadonlySet<string>, how: How): NamedThing | null {
  // Go writes `example.com/shop.(*Cart).Total`, Elixir `Shop.Cart.total/2`.
  const text = content
    .trim()
    .replace(/^(?:[\w.-]+\/)*(\w+\.)\(\*(\w+)\)/, '$1$2')
    .replace(/(?<=\w)(?:\/\d{1,2}|\.class)$/, '');
  const option = /^(--?[A-Za-z][\w-]*)(?:[= ].*)?$/.exec(text)?.[1];
  if (option !== undefined) return toNamedOption(option, how);
  if (/^[a-z]\w*(?:-[a-z\d]+)+$/.test(text))
    return { ...PLAIN, ...how, text, forms: [text], qualifier: '', kind: 'setting' };
  const [, cop] = /^[A-Z]\w{2,60}\/([A-Z]\w{2,60})$/.exec(text) ?? [];
  if (cop !== undefined) return { ...PLAIN, ...how, text, forms: [cop, text], qualifier: '', kind: 'setting' };
  const written =
    /^[@$]?([A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)[!?]?(?:\([^()]{0,60}\)|=\w{1,20})?$/.exec(text)?.[1] ??
    '';
  const parts = written.split(/\.|::|#|->/);
  const name = parts.at(-1) ?? '';
  if (name.length < 3 || NO_NAME.test(name) || parts.some((part) => theirs.has(part))) return null;
  if (parts.length === 1 && (isOfLanguage(name) || isProductName(name))) return null;
  if (parts.length > 1 && isOfRuntime(parts[0] ?? '')) return null;
  const isSetting = /^[A-Z\d_]{4,}$/.test(name);
  const isFunction = text.endsWith(')') || /^[a-z_]/.test(name);
  const kind = isSetting ? 'setting' : isFunction ? 'function' : 'class';
  return { ...PLAIN, ...how, text: written, forms: [name], qualifier: parts.at(-2) ?? '', kind };
}

function toNamedOption(text: string, how: How): NamedThing | null {
  const word = text.replace(/^--?/, '');
  if (word.length < 3) return null;
  const camel = word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  // `--no-color` may be declared as `color`.
  const positive = /^no-(.{3,})$/.exec(word)?.[1];
  const forms = new Set([word, word.replaceAll('-', '_'), camel, ...(positive === undefined ? [] : [positive])]);
  return { ...PLAIN, ...how, text, forms: [...forms], qualifier: '', kind: 'option' };
}
