// Reviews a conclusion: each quotation, place and commit is looked up; what does not hold is dropped. The model gets it
// back, once, only where nothing would be left.
import { type ChangeSet, hasChanges } from 'causeway-diff';
import { isSafePath } from 'causeway-paths';
import type { Refusal } from '../core/reason.ts';
import { listChangedLines } from './changed-lines.ts';
import type { CheckedClaim, Citation, CitedPlace, DraftClaim, GroundStep } from './claims.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { isInformative, occursIn, type PreparedText, prepareText } from './quotation.ts';
import { type FailedCheckGround, judgeRelevance, type Relevance } from './relevance.ts';

export interface EvidenceGround {
  readonly steps: readonly GroundStep[];
  /** The edits of the run: a file read after them shows the model its own words. */
  readonly changeSet: ChangeSet;
  /** Whether the analysed commit has that line, or with line 0 that file. Called for safe paths only. */
  readonly exists: (file: string, line: number) => Promise<boolean>;
  /** Whether the repository has that commit. Called for 7 to 40 hexadecimal digits only. */
  readonly commitExists: (sha: string) => Promise<boolean>;
  /** The failed check that the conclusion must be about; absent or null: any proof will do. */
  readonly failedCheck?: FailedCheckGround | null;
}

export interface CheckedDraft {
  /** The draft without what does not hold; the outcome is still the model's. */
  readonly draft: ConclusionDraft;
  readonly claims: readonly CheckedClaim[];
  /** Texts of the claims that nothing speaks for. */
  readonly dropped: readonly string[];
  /** Quotations that were given, and those of them that do not hold. */
  readonly quotations: { readonly given: number; readonly false: number };
  /** How the cause has to do with the failed check; `tied` where there is none. */
  readonly relevance: Relevance;
  /** What the check found wrong, in words for the model; empty where all holds. */
  readonly faults: readonly string[];
}

/** Checks every citation, place and commit of the draft. Throws only what `exists` and `commitExists` throw. */
export async function checkEvidence(draft: ConclusionDraft, ground: EvidenceGround): Promise<CheckedDraft> {
  const faults: string[] = [];
  const evidence = indexEvidence(ground);
  const place = createPlaceCheck(ground, faults);
  const checked = await Promise.all(
    draft.rootCause.map(async (claim, index) => ({
      claim,
      citations: claim.citations.flatMap((citation) => {
        const held = checkCitation(citation, evidence);
        if (typeof held !== 'string') return [held];
        const quote = `step ${citation.step} ${shortenQuote(citation.quote)}`;
        faults.push(`Claim ${index + 1} of rootCause: the citation of ${quote} does not hold: ${held}.`);
        return [];
      }),
      places: await filterPlaces(claim.places, place),
    })),
  );
  const anyProven = checked.some(({ citations }) => citations.length > 0);
  const claims = checked.flatMap((claim) => judgeClaim(claim, evidence, anyProven));
  const relevance = ground.failedCheck ? await judgeRelevance(claims, ground, ground.failedCheck) : 'tied';
  const given = draft.rootCause.reduce((sum, { citations }) => sum + citations.length, 0);
  const held = checked.reduce((sum, { citations }) => sum + citations.length, 0);
  return {
    draft: {
      ...draft,
      suspects: await filterPlaces(draft.suspects, place),
      fixedBy: await filterCommits(draft.fixedBy, ground, faults),
    },
    claims,
    dropped: checked
      .filter((claim) => judgeClaim(claim, evidence, anyProven).length === 0)
      .map(({ claim }) => claim.text),
    quotations: { given, false: given - held },
    relevance,
    faults,
  };
}

/** Whether an outcome says that the cause is known. */
function hasClaimedCause({ outcome }: Pick<ConclusionDraft, 'outcome'>): boolean {
  return outcome !== 'inconclusive' && outcome !== 'needs_information';
}

/** The proof of its outcome that is missing, without which the whole answer is discarded; null: it has all. */
export function findRefusal({ draft, claims, relevance }: CheckedDraft): Refusal | null {
  if (!hasClaimedCause(draft)) return null;
  const isProven = claims.some(({ support }) => support === 'proven');
  const isSeen = claims.some(({ seenInSource }) => seenInSource);
  if (isProven && relevance !== 'tied') return 'other_failure';
  switch (draft.outcome) {
    case 'already_fixed':
      return draft.fixedBy.length === 0 ? 'no_fixing_commit' : isSeen ? null : 'fix_unquoted';
    case 'not_a_bug':
      return isSeen ? null : 'intent_unquoted';
    case 'code_fix':
      return !isProven ? 'cause_unquoted' : isSeen ? null : 'report_only';
    default:
      return isProven ? null : 'cause_unquoted';
  }
}

interface ClaimFindings {
  readonly claim: DraftClaim;
  readonly citations: readonly Citation[];
  readonly places: readonly CitedPlace[];
}

/**
 * A quotation that holds proves the claim. Without one: a claim that has an existing place, or that cited nothing
 * while others are proven (a link between them), is an assumption; one that rests on false quotations only, or on
 * nothing, is dropped.
 */
function judgeClaim(
  { claim, citations, places }: ClaimFindings,
  { steps }: ReviewEvidence,
  anyProven: boolean,
): CheckedClaim[] {
  const isProven = citations.length > 0;
  const isLink = claim.citations.length === 0 && anyProven;
  if (!isProven && places.length === 0 && !isLink) return [];
  const cited = citations.flatMap(({ step }) => steps.get(step) ?? []);
  const isSeen = ({ file }: CitedPlace): boolean =>
    cited.some(({ action, result, repository }) => {
      // A step in another repository names its files without the repository.
      const isThere = repository !== undefined && file.startsWith(`${repository}:`);
      const name = isThere ? file.slice(repository.length + 1) : file;
      return (isThere || repository === undefined) && (action.includes(name) || result.includes(name));
    });
  return [
    {
      text: claim.text,
      support: isProven ? 'proven' : 'assumed',
      seenInSource: cited.some((step) => !isReportStep(step)),
      citations,
      places: places.map((place) => ({ ...place, seen: isSeen(place) })),
    },
  ];
}

type PlaceCheck = (place: CitedPlace) => Promise<boolean>;

/** Each place is looked up once, and its fault reported once. */
function createPlaceCheck({ exists }: EvidenceGround, faults: string[]): PlaceCheck {
  const known = new Map<string, Promise<boolean>>();
  const look = async ({ file, line }: CitedPlace): Promise<boolean> => {
    const there = isSafePath(file) && (await exists(file, line));
    if (!there) faults.push(`${line > 0 ? `${file}:${line}` : file} does not exist at the analysed commit.`);
    return there;
  };
  return (place) => {
    const key = `${place.line}:${place.file}`;
    const found = known.get(key) ?? look(place);
    known.set(key, found);
    return found;
  };
}

async function filterPlaces<T extends CitedPlace>(places: readonly T[], check: PlaceCheck): Promise<readonly T[]> {
  const there = await Promise.all(places.map(check));
  return places.filter((_, index) => there[index]);
}

/** A commit that the repository has but that no step showed is a guess. */
async function filterCommits(
  shas: readonly string[],
  ground: EvidenceGround,
  faults: string[],
): Promise<readonly string[]> {
  const known: string[] = [];
  for (const sha of new Set(shas.map((given) => given.toLowerCase()))) {
    const shown = /^[0-9a-f]{7,40}$/.test(sha) && ground.steps.some((step) => isCommitShown(step, sha));
    if (shown && (await ground.commitExists(sha))) known.push(sha);
    else faults.push(`fixedBy: ${sha.slice(0, 50)} is not a commit that a step showed.`);
  }
  return known;
}

/** Only git tells of commits; who reports can write any id into the report. */
function isCommitShown(step: GroundStep, sha: string): boolean {
  return (
    isLookup(step) &&
    (step.lookup === 'history' || step.lookup === 'compare' || step.lookup === 'blame') &&
    step.result.toLowerCase().includes(sha.slice(0, 7))
  );
}

/** The steps by number, and what the edits of the run put in. */
interface ReviewEvidence {
  readonly steps: ReadonlyMap<number, GroundStep>;
  /** The result of a step, prepared for search once. */
  readonly getText: (step: GroundStep) => PreparedText;
  readonly firstEdit: number;
  readonly written: PreparedText;
}

function indexEvidence({ steps, changeSet }: EvidenceGround): ReviewEvidence {
  const texts = new Map<GroundStep, PreparedText>();
  const edits = steps.filter(({ kind }) => kind === 'edit').map(({ number }) => number);
  const lines = changeSet.files.flatMap((change) => listChangedLines(change).inserted);
  return {
    steps: new Map(steps.map((step) => [step.number, step])),
    getText: (step) => {
      const text = texts.get(step) ?? prepareText(step.result);
      texts.set(step, text);
      return text;
    },
    firstEdit: Math.min(...edits, Number.POSITIVE_INFINITY),
    written: prepareText(lines.join('')),
  };
}

/** Enough of a quotation to recognise it. */
function shortenQuote(quote: string): string {
  const line = quote.replace(/\s+/g, ' ').trim();
  return `“${line.length > 60 ? `${line.slice(0, 60)}…` : line}”`;
}

/** The citation with the step that shows its quotation, which may be another than the cited one; or why none does. */
function checkCitation(citation: Citation, evidence: ReviewEvidence): Citation | string {
  const ready = prepareText(citation.quote);
  const { steps, getText, firstEdit, written } = evidence;
  const step = steps.get(citation.step);
  const isWritten = occursIn(ready, written);
  if (citation.step > firstEdit && isWritten) return 'your own edit wrote it';
  if (!isInformative(ready)) return 'it is too short or too common to prove anything; add the line before or after it';
  if (step === undefined) return `there is no such step; the last one is ${Math.max(0, ...steps.keys())}`;
  if (step.kind === 'edit') return 'an edit shows your own text; cite a step that looked something up';
  if (step.kind === 'failed') return 'that step failed and shows nothing';
  // A search that found nothing repeats the words that were searched for.
  if (step.kind === 'nothing' && occursIn(ready, prepareText(step.action))) {
    return 'it repeats your query, and nothing was found';
  }
  if (occursIn(ready, getText(step))) return citation;
  const others = [...steps.values()].filter(
    (each) => isLookup(each) && !(isWritten && each.number > firstEdit) && occursIn(ready, getText(each)),
  );
  const other = others.find((each) => !isReportStep(each)) ?? others[0];
  return other === undefined ? 'the quotation is in no result; copy it exactly' : { ...citation, step: other.number };
}

/** Whether the step shows the report or the log that came with it: the words of the one who reports. */
function isReportStep({ source }: GroundStep): boolean {
  return source === 'report' || source === 'log';
}

function isLookup({ kind }: GroundStep): boolean {
  return kind === undefined || kind === 'found';
}

export interface ReviewGround extends Pick<EvidenceGround, 'exists' | 'commitExists' | 'failedCheck'> {
  /** Steps taken before the first question; the model may cite them too. */
  readonly earlierSteps: EvidenceGround['steps'];
  /** What the edits come to now. */
  readonly changeSet: () => ChangeSet;
}

/** More would not be read. */
const MOST_FAULTS = 10;

/** What the model should correct, where otherwise its conclusion or its cause would be dropped; null: it is taken. */
export async function reviewDraft(
  draft: ConclusionDraft,
  steps: EvidenceGround['steps'],
  ground: ReviewGround,
): Promise<string | null> {
  const changeSet = ground.changeSet();
  const checked = await checkEvidence(draft, { ...ground, steps: [...ground.earlierSteps, ...steps], changeSet });
  const lost = explainLoss(checked, changeSet);
  if (lost === '') return null;
  return [
    'The conclusion is not accepted yet:',
    ...[lost, ...checked.faults].slice(0, MOST_FAULTS).map((fault) => `- ${fault}`),
    'Correct or drop these and call conclude once more, with only the fields that change; the others stay as they are. What still does not hold is then left out.',
  ].join('\n');
}

/** "": without what does not hold, the answer is still one. */
function explainLoss(checked: CheckedDraft, { files }: ChangeSet): string {
  const { draft, claims } = checked;
  if (draft.outcome === 'code_fix' && !files.some(hasChanges)) {
    return 'The outcome is code_fix, but no file was changed. Make the edits first, or choose another outcome.';
  }
  const refusal = findRefusal(checked);
  if (refusal !== null) return LOSSES[refusal];
  const [cause] = draft.rootCause;
  // The cause comes first: what is left without it would be shown as the cause.
  const isLost = cause !== undefined && claims.every(({ text }) => text !== cause.text);
  return isLost && hasClaimedCause(draft) ? 'Nothing shows the first claim of rootCause, the cause.' : '';
}

const LOSSES: Readonly<Record<Refusal, string>> = {
  other_failure:
    'Nothing ties the cause to the check that failed. Quote the source where the failing test leads: a file of its stack, a function that the test calls, itself or through others, or a line that has words, names or values of the error. That a file is changed or imported is not enough. If nothing ties the cause to that check, the outcome is inconclusive.',
  cause_unquoted: 'No quotation shows the cause.',
  report_only: 'The report alone is quoted. Quote the repository where it shows the cause.',
  no_fixing_commit: 'fixedBy has no commit that a step showed.',
  fix_unquoted: 'No quotation of the repository shows the fix.',
  intent_unquoted: 'No quotation of the repository shows that it is meant so.',
};
