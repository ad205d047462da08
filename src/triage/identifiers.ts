// Names and words of a report: what looks like code, what is a plain word, their parts and their stems.
import { splitName, stemWord } from 'causeway-code-words';
import { markCode } from 'causeway-log-lines';

export interface Identifier {
  /** The last part: `parse` of `Header.parse`. */
  readonly name: string;
  /** The part before it: `Header` of `Header.parse`; "" if none. */
  readonly qualifier: string;
  /** How informative it is; larger is better. */
  readonly weight: number;
}

const MAX_IDENTIFIERS = 60;

const NAME = /[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*/g;

/** Products that are written as names of code are. */
const NOT_CODE = new Set(
  `GitHub JavaScript TypeScript StackOverflow README WebStorm IntelliJ VSCode MacBook macOS iOS PyCharm e.g i.e Node.js NodeJS console.log
  YouTube CodeSandbox StackBlitz OpenSSL PowerShell`.split(/\s+/),
);

/** Keywords and globals that a call or a dot makes look telling. */
const EVERYWHERE = new Set(
  `if for while switch catch return function print println printf log warn error debug info require import main test it
  describe expect assert assertEquals len str int float list dict set map String Object Array Number Boolean Integer
  List Map Some None Ok Err unwrap self this super new type class def fn func String.format toString equals hashCode
  get put add run call apply bind then`.split(/\s+/),
);

/** Errors of languages and platforms: what is at fault is not defined by them. */
const PLATFORM_ERROR =
  /^(?:Type|Reference|Syntax|Range|Eval|URI|Aggregate|Value|Key|Attribute|Index|Runtime|Assertion|Import|ModuleNotFound|Name|NotImplemented|OS|IO|Unicode\w*|Recursion|Lookup|Arithmetic|ZeroDivision|StackOverflow|OutOfMemory|NoClassDefFound|NoSuchMethod|NoSuchField|AbstractMethod)Error$|^(?:NullPointer|NullReference|IllegalArgument|IllegalState|IllegalAccess|IndexOutOfBounds|ArrayIndexOutOfBounds|StringIndexOutOfBounds|ClassCast|ClassNotFound|NumberFormat|UnsupportedOperation|ConcurrentModification|InvalidOperation|Argument|ArgumentNull|ArgumentOutOfRange|KeyNotFound|FileNotFound|IO|Runtime|NoSuchElement|InvocationTarget|Timeout)Exception$|^(?:StopIteration|KeyboardInterrupt|SystemExit|Traceback)$/;

/** Keywords, globals and errors that every program of a language may have. */
export function isOfLanguage(name: string): boolean {
  return EVERYWHERE.has(name) || PLATFORM_ERROR.test(name) || name === '__main__';
}

/** Whether it is a product, written as names of code are. */
export function isProductName(name: string): boolean {
  return NOT_CODE.has(name);
}

/** Whether the text has it with no character of a name on either side. */
export function hasWord(text: string, word: string, ofName = /[\w$]/): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!ofName.test(text.charAt(at - 1)) && !ofName.test(text.charAt(at + word.length))) return true;
  }
  return false;
}

const FILE_LIKE =
  /\.(?:[jt]sx?|mjs|cjs|py|java|kt|go|rs|cs|json|ya?ml|md|html?|css|toml|xml|txt|svelte|vue|com|org|io|net|dev)$/i;

interface NameSighting {
  readonly name: string;
  readonly qualifier: string;
  weight: number;
}

/** Whether a name is of several words, so that it is hardly one of a language or a library: `readLine`, `max_size`. */
export function isCompoundName(name: string): boolean {
  return /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]/.test(name);
}

/** Whether a name is written as only code is: `readLine`, `max_size`, `Header`. */
export function looksLikeCode(name: string): boolean {
  return /[A-Z_$]/.test(name);
}

/** At most 60, best first. `lines` hold no stack frames; ordinary words in the data given to `commands` are not names. */
export function findIdentifiers(
  lines: readonly string[],
  title: string,
  commands: readonly string[],
): readonly Identifier[] {
  const seen = new Map<string, NameSighting>();
  for (const { text, kind } of markCode(lines)) {
    if (kind !== 'fence') readLine(text, kind === 'code' ? 0.6 : 1, seen, commands);
  }
  readLine(title, 2, seen, commands);
  return [...seen.values()].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1)).slice(0, MAX_IDENTIFIERS);
}
function readLine(line: string, factor: number, seen: Map<string, NameSighting>, commands: readonly string[]): void {
  const inCode = findCodeSpans(line, commands);
  for (const match of line.matchAll(NAME)) {
    const called = line[match.index + match[0].length] === '(';
    const span = inCode.find(({ from, to }) => match.index >= from && match.index < to);
    const quoted =
      span !== undefined && (span.alone || (match.index < span.words && !COMMON_WORDS.has(match[0].toLowerCase())));
    const kind = isInformativeName(match[0], called, quoted);
    if (kind > 0) noteIdentifier(seen, match[0], kind * factor);
  }
}
interface CodeSpan {
  readonly from: number;
  readonly to: number;
  readonly alone: boolean;
  /** End of the part whose ordinary words count: the data that a command is given names nothing. */
  readonly words: number;
}

/** Stretches in backticks; ordinary words count only as the whole stretch. */
function findCodeSpans(line: string, commands: readonly string[]): readonly CodeSpan[] {
  return [...line.matchAll(/`([^`]{1,300})`/g)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    alone: !match[0].includes(' '),
    words: match.index + (commands.includes(match[1]?.trim() ?? '') ? measureHead(match[0]) : match[0].length),
  }));
}

function measureHead(command: string): number {
  const data = command.search(/["'{]/);
  return data < 0 ? command.length : data;
}

/** 0: no code. The classes are ordered by how rarely ordinary text looks so. */
function isInformativeName(word: string, called: boolean, quoted: boolean): number {
  if (word.length < 3 || word.length > 120 || NOT_CODE.has(word) || FILE_LIKE.test(word)) return 0;
  const last = getLastPart(word);
  if (last.length < 3 || /^L\d+$/.test(last) || isOfLanguage(last)) return 0;
  const shape = classifyShape(word, last);
  if (quoted) return 1 + shape + (called ? 0.5 : 0);
  return called ? 0.8 + shape : shape;
}

function classifyShape(word: string, last: string): number {
  if (/[a-z0-9]_[a-z0-9]/i.test(last)) return 1.6;
  if (/[a-z0-9][A-Z]/.test(last)) return 1.5;
  if (/[A-Z]{2}[a-z]{2}/.test(last)) return 1.2;
  return word.length > last.length && /^[A-Za-z]/.test(last) ? 0.8 : 0;
}

/** `total` of `Cart.total`, `Cart#total` and `shop::Cart::total`. */
export function getLastPart(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('.'), word.lastIndexOf(':'), word.lastIndexOf('#')) + 1);
}

function noteIdentifier(seen: Map<string, NameSighting>, word: string, weight: number): void {
  const name = getLastPart(word);
  const qualifier = getLastPart(word.slice(0, Math.max(0, word.length - name.length)).replace(/(?<![.:#])[.:#]+$/, ''));
  const known = seen.get(name);
  // Each further sighting counts less: a log that repeats a name a thousand times says it once.
  if (known) known.weight = Math.max(known.weight, weight) + Math.min(0.1, weight / 20);
  else if (seen.size < 2_000) seen.set(name, { name, qualifier, weight });
  if (qualifier.length > 2 && /^[A-Z]\w*[a-z]/.test(qualifier)) noteIdentifier(seen, qualifier, weight * 0.9);
}

export interface Word {
  /** As first written, in lower case. */
  readonly word: string;
  readonly stem: string;
  readonly weight: number;
}

const MAX_WORDS = 80;

/** At most 80, best first; the title counts three times. */
export function findWords(lines: readonly string[], title: string): readonly Word[] {
  const counts = new Map<string, { word: string; weight: number }>();
  const add = (text: string, weight: number): void => {
    for (const word of splitName(text)) {
      if (word.length < 3 || word.length > 40 || COMMON_WORDS.has(word) || /^\d|[0-9a-f]{9,}/.test(word)) continue;
      const key = stemWord(word);
      const known = counts.get(key);
      if (known) known.weight += weight / (1 + known.weight);
      else if (counts.size < 3_000) counts.set(key, { word, weight });
    }
  };
  add(title, 3);
  for (const { text, kind } of markCode(lines)) {
    if (kind !== 'fence') add(removePaths(text), kind === 'code' ? 0.4 : 1);
  }
  return [...counts]
    .map(([key, { word, weight }]) => ({ word, stem: key, weight }))
    .sort((a, b) => b.weight - a.weight || (a.stem < b.stem ? -1 : 1))
    .slice(0, MAX_WORDS);
}

/** Addresses and paths are looked up as such; their parts are no words. */
function removePaths(text: string): string {
  return /[/\\]/.test(text)
    ? text
        .split(/\s+/)
        .filter((token) => !/[/\\]/.test(token))
        .join(' ')
    : text;
}

/** Words that say nothing about where a fault is. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `about above actual actually added after again against allow also although always another anything apply around
  because been before behavior behaviour being below between bug but call called calling cannot cause caused causes
  change changed check code could create created current currently default describe description different does doing
  done down during each either environment error errors etc even every example exception expect expected expects
  fail failed failing fails false feature find first fix following found from get gets getting give given gives goes
  going good had happen happened happens has have help here how however http https info information instead into
  issue issues its itself just know latest like line log logs look make makes many may maybe mean might more most
  much must need needs never new non not nothing now null number off okay one only open other our out output over
  page please possible post problem provide question quite rather really release report reproduce reproduction
  request result return returned returning returns right run running same see seem seems set should show shown shows
  simple since some something sometimes steps still such summary support supported sure system take than thank
  thanks that the their them then there these they thing things think this those though through time times trace
  traceback tried true try trying two type under undefined until upon usage use used user uses using value values
  very version want was way well were what when where whether which while who why will with within without work
  worked working works would wrong yes yet you your add and are any can for github com www org have please the not
  should want seems python javascript typescript java rust golang node windows linux macos ubuntu screenshot
  additional context logs checklist searched existing discussions attach`.split(/\s+/),
);

/**
 * Short words of English, which the list of common words leaves out, and which functions use rarely enough to look
 * informative.
 */
export const SHORT_WORDS: ReadonlySet<string> = new Set(
  `am an as at be by do doesn don go he hi if in is isn it ll me my no of on or re so to up us ve we didn wasn
  shouldn couldn`.split(/\s+/),
);

/**
 * Function words of other languages that neither English nor code uses: an importer of German bank statements was the
 * first suspect for a German report, because of “bei”, “auf” and “der”.
 */
const FOREIGN_WORDS = `aber alle als auch auf aus bei beim bin bis bitte da dabei dadurch damit dann daran darauf das dass dein dem den denn der
  deren des dies diese diesem diesen dieser dieses doch dort durch eigentlich ein eine einem einen einer eines einfach er erst es etwas
  euch für gibt habe haben hatte hier ich ihr ihre im immer ist jede jeder jedoch jetzt kann kein keine keinen können könnte leider mehr
  mein meine mich mir muss nach nicht nichts noch nur oder ohne schon sehr sein seine seit sich sie sind sobald soll sollte sowie trotzdem
  über und uns unter viele vielen vom von vor wäre warum weil wenn werden wie wieder wird wo wurde wurden zu zum zur zwei zwischen
  alors aucun aussi avec avant beaucoup ces cette comme dans depuis donc elle elles est être fait ils je jamais là les leur lorsque mais
  même moi nous où par parce peut plus plusieurs pour pourquoi puis quand que quel quelle qui rien sans ses si son sont sous suis sur tous
  tout toute très une vous
  algún antes aquí así aunque como con cuando cual del desde donde el ella ellos entonces eso esta estaba están este esto estoy fue gracias
  hace hacer hay la las lo los más mientras muy nada ningún nos nosotros nunca para pero porque puede pues qué según ser siempre sin sino
  sobre solo su sus también tengo tiene todo todos una uno unos y ya
  ainda aos apenas até cada com dos ele eles em então essa esse está eu foi isso já mas meu muito na não nas nem nos num pela pelo
  porém quando quem são se sem seu só também tem uma você
  aan bij dat deze dit een geen heb heeft het hij hoe ik je kan maar met mijn moet naar niet nog ook op te toch van voor waar wat wel werd
  wordt zijn zo
  anche che ciò col dal dalla degli dei della delle di gli ha ho il io lui nella non perché più quando quello questa questo senza sono
  stato suo tra tutti tutto un`;

/**
 * Words that no reason rests on. They count in the ranking of files, as keywords of a template language may be what a
 * report is about.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...COMMON_WORDS,
  ...SHORT_WORDS,
  ...FOREIGN_WORDS.split(/\s+/),
  ...`a i ago all nor off per too via few lot his her him she whole else till onto upon both own such once ever never least less
  rather same several somehow someone anyone everyone everything bug bugs regression regressions broken
  lib src ts js py rb`.split(/\s+/),
]);
