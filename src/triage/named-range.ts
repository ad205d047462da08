// Which versions a report calls good and which bad, by its words: `worked in 1.2`, `since I updated to 1.3`, `last good: 1.2`.

import { markCode } from 'causeway-log-lines';
import { toPlainLines } from './report-text.ts';
import { compareVersions, isUnnamed } from './resolve-revision.ts';
import { findVersionsIn, type NamedVersion, type VersionPlace } from './signals.ts';

export interface NamedRange {
  /** Null: only the first bad one is named. */
  readonly good: NamedVersion | null;
  /** Null: only the last good one is named. */
  readonly bad: NamedVersion | null;
}

/** What a report says of a version: `none`, that it was in use. */
type Role = 'good' | 'bad' | 'none';

const MAX_LINES = 2_000;

/** `names`: of the repository's own packages, in lower case. Linear in the report. */
export function findNamedRange(report: string, names: ReadonlySet<string>): NamedRange {
  const roles = new Map<string, { readonly version: NamedVersion; readonly roles: Set<Role> }>();
  for (const { text, kind } of markCode(toPlainLines(report).slice(0, MAX_LINES))) {
    if (kind !== 'prose') continue;
    const places = findVersionsIn(text).filter(({ version }) => isOwn(version, names));
    for (const [at, place] of places.entries()) {
      const known = roles.get(place.version.version) ?? { version: place.version, roles: new Set<Role>() };
      known.roles.add(readRole(text, { previous: places[at - 1] ?? null, place, next: places[at + 1] ?? null }, names));
      roles.set(place.version.version, known);
    }
  }
  const all = [...roles.values()];
  const is = (role: Role) => all.filter((one) => one.roles.has(role)).map(({ version }) => version);
  const bads = is('bad').sort(compareNamedVersions);
  const goods = is('good').filter((version) => !bads.includes(version));
  const good = goods
    .sort(compareNamedVersions)
    .findLast((one) => bads.length === 0 || bads.some((bad) => isLater(bad, one)));
  if (good === undefined) return { good: null, bad: bads[0] ?? null };
  const later = [...bads, ...is('none').sort(compareNamedVersions)].find((version) => isLater(version, good));
  return { good, bad: later ?? null };
}

function isLater(left: NamedVersion, right: NamedVersion): boolean {
  return compareNamedVersions(left, right) > 0;
}

function compareNamedVersions(a: NamedVersion, b: NamedVersion): number {
  return compareVersions(a.version, b.version);
}

function isOwn(version: NamedVersion, names: ReadonlySet<string>): boolean {
  return names.has(version.of) || (!version.foreign && isUnnamed(version));
}

const MOVES = 'upgrad|updat|bump|mov|switch|migrat|aktualisier|mis(?:e)? à jour|actualiz|aggiorn|обнов|升级|更新';

/** `updating numpy from 1.23 to 1.24`: what was moved is something else. */
const MOVED = new RegExp(
  `\\b(?:${MOVES})\\w{0,6} (?:(?:the|my|our|of) )?[\`"'*]{0,2}([\\w@/.-]{2,60})[\`"'*]{0,2}(?: (?:version|package|library))? (?:from|to|von|auf) [^.;]{0,30}$`,
  'i',
);

const ITSELF =
  /^(?:from|to|von|auf|it|everything|all|version|release|package|library|dependency|dependencies|project|app|application|back|us|we|up|down|today|recently|yesterday|just|over)$/i;

/** At the end of what is before a version. */
const NAME = String.raw`(?:[\s:=(*~"'\x60v-]|version|release|<=?|≤|(?:(?:the|previous|earlier|older|latest|der|die|la|le|von|new)\s)|[@\w/-]{2,30}(?:\s|(?=[<=~≤]))){0,4}$`;

const GOOD_BEFORE = new RegExp(
  [
    String.raw`\b(?:works?|worked|working|fine|okay?|good|(?:no|without) (?:such |this |any )?(?:issues?|problems?|errors?)|not (?:affected|present|reproduc\w+)|unaffected|(?:does|did|do)(?:n['’]t| not) (?:happen|occur|reproduce|exist|fail|crash|have|show|break|appear)|was(?:n['’]t| not) (?:there|present|an? (?:issue|problem)))\b(?: (?:\w+ ){0,4})?(?:in|with|on|for|at|under|using|within|until|till|up to|through)\b`,
    String.raw`\bbut (?:not|fine|ok) (?:for|in|with|on)`,
    String.raw`\b(?:last|latest|newest) (?:known )?(?:good|working|unaffected|ok)(?: (?:version|release|one))?(?: (?:is|was))?`,
    String.raw`\b(?:downgrad|revert|roll|rolled|go|going|went)\w{0,4} (?:\w+ ){0,3}?(?:back )?to`,
    String.raw`\b(?:until|till|up to(?: and including)?|bis(?: einschließlich)?|jusqu['’]à|hasta|fino a)`,
    String.raw`\b(?:broke|broken|breaks|stopped working|stops working|fails|failing) after(?! (?:the )?(?:upgrad|updat|migrat|switch|mov|bump|install|chang))(?: (?:the )?(?:release|version))?`,
    String.raw`\b(?:funktionier\w*|lief|läuft|ging|klappt\w*|fonctionn\w*|marchait|funcion\w*|funzion\w*|работал\w*)(?: \w+){0,3} (?:mit|in|unter|avec|en|dans|con|с|в|bis)`,
    String.raw`(?:\bused to work|\bworked) (?:in|with|on)`,
  ]
    .map((form) => `(?:${form})`)
    .join('|')
    .replace(/^/, '(?:')
    .concat(`)(?!\\w)${NAME}`),
  'iu',
);

const BAD_BEFORE = new RegExp(
  [
    String.raw`\b(?:since|starting|beginning|introduced|began|started|starts|appeared)(?: (?:\w+ ){0,3})?(?:with|from|in|by|at|to)?`,
    String.raw`\b(?:broke|broken|regress\w*|no longer works?|stopped working)(?: (?:\w+ ){0,2})?(?:in|with|on|by|since|at)`,
    String.raw`\bfirst (?:known )?(?:bad|broken|affected|failing)(?: (?:version|release|one))?(?: (?:is|was))?`,
    String.raw`\b(?:regression|broken)`,
    String.raw`\b(?:${MOVES})\w{0,6}(?: [^.;]{0,40})? (?:to|auf|vers|en|à|a|до)`,
    String.raw`\b(?:after|nach|après|después de|dopo) (?:the |dem |der |la )?(?:update|upgrade|updating|upgrading|aktualisierung|mise à jour|actualización)(?: (?:to|auf|vers|à|en|a))?`,
    String.raw`\b(?:work\w{0,3}|fine|ok|good|funktionierte|lief)\b[^.;]{0,20}\b(?:before|prior to|vor)`,
    String.raw`\b(?:seit|ab|depuis|desde|dalla|начиная с)(?: (?:dem|der|die|la|le|el|version|update|upgrade|mise à jour|versión|auf|vers|à|a|en)){0,4}`,
    '(?:升级到|更新到|升级至|升級到)',
  ]
    .map((form) => `(?:${form})`)
    .join('|')
    .replace(/^/, '(?:')
    .concat(`)(?!\\w)${NAME}`),
  'iu',
);

const GOOD_AFTER =
  /^[`*"')\]]{0,3}(?: or (?:lower|earlier|older|below)| of [\w@/-]{1,40}| ?版本?)?,?:? {0,2}(?:\((?=work))?(?:(?:it|this|that|everything|all|still|was|is|just|had|have|has|the \w+) ){0,3}(?:works?|worked|working(?! (?:in|un)\w)|fine|ok(?:ay)?|good|unaffected|not affected|i (?:was|am) able|(?:→ |-> )?(?:the )?(?:errors?|issues?|problems?|bugs?) (?:disappears?|is gone|goes away)|(?:fix(?:es|ed)|resolv(?:es|ed)|solv(?:es|ed)) (?:it|the|this)|(?:does|did)(?:n['’]t| not) (?:happen|have|show|crash|fail|reproduce|exist)|funktionier\w*|lief|ging|läuft|fonctionn\w*|funcion\w*|(?:及其?)?(?:以[下前])?(?:版本)?(?:都)?不会?(?:报错|出现)|正常|没问题|没有问题|可以|では(?:正常|動))/iu;

const BAD_AFTER =
  /^[`*"')\]]{0,3}(?: of [\w@/-]{1,40}| ?版本?)?,?:? {0,2}(?:(?:it|this|that|still|was|is|has|a|the|which) ){0,3}(?:broke\b|broken|breaks|regression|introduced|fails?\b|failed|crash\w*|the code (?:\w+ ){0,4}(?:crash\w*|fails|breaks|throws)|does(?:n['’]t| not) (?:work)|no longer works?|not working|started|began|bad\b|affected|(?:及其?)?(?:以[上后])?(?:版本)?(?:[会就都])?报错|不行|失败|出现|后|以降|から)/iu;

interface Neighbours {
  readonly previous: VersionPlace | null;
  readonly place: VersionPlace;
  readonly next: VersionPlace | null;
}

function readRole(line: string, places: Neighbours, names: ReadonlySet<string>): Role {
  const { version, from, to } = places.place;
  const before = cutSentence(line.slice(Math.max(0, from - 120), from));
  const moved = MOVED.exec(before)?.[1]?.toLowerCase();
  if (moved !== undefined && !ITSELF.test(moved) && !names.has(moved)) return 'none';
  const other = findOtherOfMove(line, places, before);
  // Back to an older one it is moved from what is broken.
  if (other !== null) return isLater(other, version) ? 'good' : 'bad';
  const isOfNext = places.next !== null && OF_NEXT.test(line.slice(to, places.next.from));
  const after = line.slice(to, to + 60);
  const said = readBefore(before) ?? readAround(before, isOfNext ? '' : after);
  const isUnsure = said === 'good' && (IS_ASKED.test(after) || IS_WISHED.test(before));
  return isUnsure ? 'none' : said;
}

/** Of `from A to B` and `to B from A` the version that this one is not; null where it is of neither. */
function findOtherOfMove(line: string, { previous, place, next }: Neighbours, before: string): NamedVersion | null {
  if (next !== null) {
    const between = line.slice(place.to, next.from);
    if ((LEFT.test(before) && ARROW.test(between)) || FROM_NEXT.test(between)) return next.version;
  }
  return previous !== null && FROM_NEXT.test(line.slice(previous.to, place.from)) ? previous.version : null;
}

function readAround(before: string, after: string): Role {
  if (GOOD_AFTER.test(after) || GOOD_BEFORE.test(before)) return 'good';
  return BAD_AFTER.test(after) || BAD_BEFORE.test(before) ? 'bad' : 'none';
}

/** What is so sure that what stands behind the version does not matter; null: nothing. */
function readBefore(before: string): Role | null {
  if (UNTRIED.test(before)) return 'none';
  if (UP_TO.test(before)) return 'bad';
  if (MENDED.test(before)) return 'good';
  if (IS_NEWS.test(before)) return 'none';
  const stopped = NOT_WORKING.exec(before)?.[1] ?? '';
  // Later ones do not work, but this one did.
  if (stopped !== '' && /[^<>=-]> {0,2}v?$/.test(before)) return 'good';
  if (stopped === '') return null;
  return /^(?:n['’]t|not|never)$/i.test(stopped) ? 'none' : 'bad';
}

/** Before the version that is left. */
const LEFT = new RegExp(
  `(?:\\b(?:${MOVES})\\w{0,6}|\\b(?:from|von|de|da)|с|从)[\\s\`*"'(]{0,3}(?:(?:version|release|[\\w@/-]{1,40}) )?v?$`,
  'iu',
);

/** Between it and the one that was moved to. */
const ARROW =
  /^[`*"')]{0,3} {0,2}(?:to|-{1,2}>|→|>|=>|auf|à|vers|a|al|до|升级到|更新到|到) {0,2}[`*"'(]{0,3}(?:(?:version|release|[\w@/-]{1,40}) )?$/iu;

/** `to 8.4.0 from 8.3.3`. */
const FROM_NEXT =
  /^[`*"')]{0,3} {0,2}\(?(?:from|von|de|depuis|desde|da|с) {0,2}[`*"'(]{0,3}(?:(?:version|release|[\w@/-]{1,40}) )?v?$/iu;

/** `Fixed in 8.4.0?` */
const IS_ASKED = /^[`*"')\]]{0,3}\?/;

/** `I have not tested since 8.4.0`. */
const UNTRIED =
  /(?:\b(?:have|has|had) (?:not|never)|\b(?:have|has|had)n['’]t|['’]ve (?:not|never)|\bnot) (?:\w+ ){0,2}?(?:(?:re)?test(?:ed|ing)|tried|check(?:ed|ing)|updated|upgraded)\b[^.;]{0,40}$/i;

/** `should also work with 8.4.0`. */
const IS_WISHED = /\b(?:should|must|ought|expect\w{0,3})\b[^.;]{0,40}$/i;

/** `8.4.0, does not happen with 8.3.3`: what is said between two is said of the second. */
const OF_NEXT =
  /^.{0,50}\b(?:with|in|on|at|under|using|for|until|mit|en|avec|con)\W{1,3}(?:[\w@/-]{1,30}\W{1,2}){0,2}$/i;

/** `stopped working at 4.3`, `does not work with 4.3`. */
const NOT_WORKING = /(stops|stopped|no longer|not|n['’]t|never) work\w{0,3}\b(?! after)[^.;]{0,30}$/i;

/** `works since 1.3`, `fixed in 1.3`. */
const MENDED =
  /\b(?:(?:works|working|fine|ok|good|gone)\b[^.;]{0,12}\bsince|fixed (?:in|since|by|with))\W{1,4}(?:[\w@/-]{1,40}\W{1,3}){0,2}v?$/i;

/** When a feature came, which is not a fault: `not required since 3.0`. */
const IS_NEWS =
  /\b(?:implemented|required|needed|necessary|available|added|supported|deprecated|removed|documented|possible|allowed|default|new|native\w*)\b[^.;]{0,30}\b(?:since|in|from|starting|as of)\b[^.;]{0,20}$/i;

/** `worked before 5.2`: the version is the one that broke it. */
const UP_TO =
  /\b(?:work\w{0,3}|fine|ok|good)\b[^.;]{0,25}\b(?:before|prior to|vor)\W{1,4}(?:[\w@/-]{1,40}\W{1,3})?v?$/i;

/** Only what is said of this version: not the sentence before, nor what another is said to be. */
function cutSentence(text: string): string {
  const ends = [
    ...text.matchAll(
      /[.!?;。；，](?=\s|$|\p{L})(?<!\d\.)|\d\.\d[\w.-]*[^\w\s]{0,3}(?=\s(?:and|but|while|und|aber|et|mais|y|pero)\b)|,\s(?=(?:but|and|while|whereas|it|aber|mais|pero)\b)/giu,
    ),
  ];
  const last = ends.at(-1);
  return last === undefined ? text : text.slice(last.index + last[0].length);
}
