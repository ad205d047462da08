// Annotations of our check run: marks at the fault in the files of the commit.
import type { Finding } from '../../core/head.ts';
import { isSafePath } from '../../core/paths.ts';
import { filterIssue } from '../../core/shown-issue.ts';
import { sanitiseText } from '../../core/text.ts';
import { attributeFailure } from './attribute-failure.ts';
import { type Cause, type CheckRunGround, causeFound, isRed, shownError, uncited } from './check-run-ground.ts';
import { describeMark, MAX_TITLE } from './check-run-title.ts';
import { firstSentences } from './issue-parts.ts';
import { plainWords } from './plain-words.ts';

export interface CheckRunAnnotation {
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly message: string;
}

/** What GitHub takes in one call. */
const MOST = 50;
const MOST_OF_CAUSE = 10;
/** A line of a stack: where it was, not what is wrong. */
const FRAME = /^\s*(?:at |File "|from \/)|^\s*\d{1,4}: |\.\w{1,5}:\d{1,6}(?::\d{1,5})?\)?:?(?:in [`'].{1,200})?$/;
const MAX_MESSAGE = 1_000;
const MAX_LINE = 10_000_000;

/** At most 50. Only where the code may be to blame: what is not theirs must not stand in people's diff. */
export function listAnnotations(ground: CheckRunGround): readonly CheckRunAnnotation[] {
  const all = ground.causes.flatMap((cause) => annotateCause(ground, cause));
  return [...new Map(all.map((one) => [toAnnotationKey(one), one])).values()].slice(0, MOST);
}

/** Equal for marks at one line, as GitHub gives them back too: a second one there says what the first has said. */
export function toAnnotationKey({ path, line }: Pick<CheckRunAnnotation, 'path' | 'line'>): string {
  return JSON.stringify([path, line]);
}

function annotateCause(ground: CheckRunGround, cause: Cause): readonly CheckRunAnnotation[] {
  const { finding } = cause;
  if (!isRed(finding) || (finding.verdict !== 'code' && finding.verdict !== 'inconclusive')) return [];
  const whose = attributeFailure(ground, cause);
  const { place } = ground.head;
  // It is looked into once it is no draft, and what stands by then is not taken away.
  if (place?.kind === 'pull_request' && place.isDraft && causeFound(cause) === null) return [];
  // They stand where it was first seen.
  if (whose.kind === 'elsewhere' || whose.kind === 'since') return [];
  const title = plainWords(describeMark(ground, cause, whose), MAX_TITLE);
  const marked = new Set(finding.places.filter(({ isMarked }) => isMarked).map(toAnnotationKey));
  return (findPlaces(ground, cause) ?? listNamedPlaces(finding))
    .filter(({ path, line }) => isSafePath(path) && Number.isSafeInteger(line) && line > 0 && line < MAX_LINE)
    .filter((place) => !marked.has(toAnnotationKey(place)))
    .slice(0, MOST_OF_CAUSE)
    .map(({ path, line, message }) => ({ path, line, title, message: toMessage(message, finding) }));
}

/** What names a place and says what is wrong there; of a stack only the innermost frame, with the error that it led to. */
function listNamedPlaces({ places, excerpt }: Finding): Finding['places'] {
  const shown = places.filter(({ line }) => line > 0);
  const frames = shown.filter(({ message }) => FRAME.test(message));
  // Python tells the innermost last.
  const own = frames[0]?.message.trimStart().startsWith('File "') ? frames.at(-1) : frames[0];
  const { error } = shownError(excerpt);
  return shown.flatMap((place) => {
    if (!frames.includes(place)) return [place];
    return place === own ? [{ ...place, message: error }] : [];
  });
}

/** Where the investigation of this very commit points; null: none did. What it names beyond is a hint, not a fault. */
function findPlaces(ground: CheckRunGround, cause: Cause): Finding['places'] | null {
  const found = causeFound(cause);
  if (found === null || !isOfHead(ground, found.analysis.revision)) return null;
  const { issue } = filterIssue(found, ground);
  const { first } = firstSentences(uncited(issue.rootCause), 3);
  const likeliest = issue.analysis.suspects.find(({ line }) => line > 0);
  return likeliest === undefined ? null : [{ path: likeliest.file, line: likeliest.line, message: first }];
}

/** Lines of another commit are elsewhere by now. */
function isOfHead({ head }: CheckRunGround, revision: string): boolean {
  return revision === head.sha || (head.place?.kind === 'pull_request' && revision === head.place.sha);
}

/** GitHub shows it as it is typed; it takes none that is empty. */
function toMessage(message: string, { excerpt, checks }: Finding): string {
  const own = sanitiseText(message, MAX_MESSAGE) || sanitiseText(excerpt.headline, MAX_MESSAGE);
  return plainWords(own, MAX_MESSAGE) || plainWords(`${checks[0]?.name ?? ''} points here`, MAX_MESSAGE);
}
