// What of a conclusion is proven: each quotation searched in its step, each place and commit looked up; the rest is dropped or marked.
import type { ChangeSet } from '../core/change-set.ts';
import { isSafePath } from '../core/paths.ts';
import {
  type GroundStep,
  holds,
  isLookup,
  isOfReport,
  readySteps,
  type StepTexts,
  writtenBy,
} from './check-citation.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { type FailedCheckGround, isAboutFailure } from './failed-check.ts';

export interface EvidenceGround {
  readonly steps: readonly GroundStep[];
  /** The edits of the run: a file read after them shows the model its own words. */
  readonly changeSet: ChangeSet;
  /** Whether the analysed commit has that line, or with line 0 that file. Asked for safe paths only. */
  readonly exists: (file: string, line: number) => Promise<boolean>;
  /** Whether the repository has that commit. Asked for 7 to 40 hexadecimal digits only. */
  readonly commitExists: (sha: string) => Promise<boolean>;
  /** The failed check that the conclusion must be about; absent or null: any proof will do. */
  readonly failedCheck?: FailedCheckGround | null;
}

type DraftClaim = ConclusionDraft['rootCause'][number];
type Citation = DraftClaim['citations'][number];
type Place = DraftClaim['places'][number];

/** `proven`: a quotation stands in its step. `assumed`: something else speaks for it, and it must be shown as an assumption. */
export interface CheckedClaim {
  readonly text: string;
  readonly support: 'proven' | 'assumed';
  /** A quotation that holds is of the repository: who reports can write into the report, and its log, whatever is to be quoted. */
  readonly seenInSource: boolean;
  /** Those that hold. */
  readonly citations: readonly Citation[];
  /** Those that exist; `seen`: the file's name stands in a step that is cited with success. */
  readonly places: readonly (Place & { readonly seen: boolean })[];
}

export interface CheckedDraft {
  /** The draft without what does not hold; the outcome is still the model's. */
  readonly draft: ConclusionDraft;
  readonly claims: readonly CheckedClaim[];
  /** Texts of the claims that nothing speaks for. */
  readonly dropped: readonly string[];
  /** Quotations that were given, and those of them that do not hold. */
  readonly quotations: { readonly given: number; readonly false: number };
  /** False: of a failed check, and no claim quotes anything of it. */
  readonly isAboutFailure: boolean;
  /** What the check found wrong, in words for the model; empty where all holds. */
  readonly faults: readonly string[];
}

/** Checks every citation, place and commit of the draft. Throws only what `exists` and `commitExists` throw. */
export async function checkEvidence(draft: ConclusionDraft, ground: EvidenceGround): Promise<CheckedDraft> {
  const faults: string[] = [];
  const steps = readySteps(ground.steps);
  const written = writtenBy(ground.steps, ground.changeSet);
  const place = createPlaceCheck(ground, faults);
  const checked = await Promise.all(
    draft.rootCause.map(async (claim, index) => ({
      claim,
      citations: claim.citations.filter((citation) =>
        holds(citation, { steps, written, faults, name: `Claim ${index + 1} of rootCause` }),
      ),
      places: await kept(claim.places, place),
    })),
  );
  const anyProven = checked.some(({ citations }) => citations.length > 0);
  const claims = checked.flatMap((claim) => judged(claim, steps, anyProven));
  const isAbout = !ground.failedCheck || (await isAboutFailure(claims, steps, ground.failedCheck));
  if (!isAbout && claimsCause(draft)) faults.push(ABOUT_SOMETHING_ELSE);
  const given = draft.rootCause.reduce((sum, { citations }) => sum + citations.length, 0);
  const held = checked.reduce((sum, { citations }) => sum + citations.length, 0);
  return {
    draft: {
      ...draft,
      suspects: await kept(draft.suspects, place),
      fixedBy: await knownCommits(draft.fixedBy, ground, faults),
    },
    claims,
    dropped: checked.filter((claim) => judged(claim, steps, anyProven).length === 0).map(({ claim }) => claim.text),
    quotations: { given, false: given - held },
    isAboutFailure: isAbout,
    faults,
  };
}

const ABOUT_SOMETHING_ELSE =
  'No claim of rootCause is about the check that failed: at least one must quote the failed test, its error, the values that it compared, a frame of its stack, or the change under test. If nothing ties the cause to that check, the outcome is inconclusive.';

/** Whether an outcome says that the cause is known. */
export function claimsCause({ outcome }: Pick<ConclusionDraft, 'outcome'>): boolean {
  return outcome !== 'inconclusive' && outcome !== 'needs_information';
}

interface ClaimFindings {
  readonly claim: DraftClaim;
  readonly citations: readonly Citation[];
  readonly places: readonly Place[];
}

/**
 * A quotation that holds proves the claim. Without one: a claim that has an existing place, or that cited nothing while others are
 * proven (a link between them), is an assumption; one that rests on false quotations alone, or on nothing, is dropped.
 */
function judged({ claim, citations, places }: ClaimFindings, steps: StepTexts, anyProven: boolean): CheckedClaim[] {
  const isProven = citations.length > 0;
  const isLink = claim.citations.length === 0 && anyProven;
  if (!isProven && places.length === 0 && !isLink) return [];
  const cited = citations.flatMap(({ step }) => steps.get(step)?.step ?? []);
  const seen = ({ file }: Place): boolean =>
    cited.some(({ action, result }) => action.includes(file) || result.includes(file));
  return [
    {
      text: claim.text,
      support: isProven ? 'proven' : 'assumed',
      seenInSource: cited.some((step) => !isOfReport(step)),
      citations,
      places: places.map((place) => ({ ...place, seen: seen(place) })),
    },
  ];
}

type PlaceCheck = (place: Place) => Promise<boolean>;

/** Each place is looked up once, and its fault told once. */
function createPlaceCheck({ exists }: EvidenceGround, faults: string[]): PlaceCheck {
  const known = new Map<string, Promise<boolean>>();
  const look = async ({ file, line }: Place): Promise<boolean> => {
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

async function kept<T extends Place>(places: readonly T[], check: PlaceCheck): Promise<readonly T[]> {
  const there = await Promise.all(places.map(check));
  return places.filter((_, index) => there[index]);
}

/** A commit that the repository has but that no step showed is a guess. */
async function knownCommits(
  shas: readonly string[],
  ground: EvidenceGround,
  faults: string[],
): Promise<readonly string[]> {
  const known: string[] = [];
  for (const sha of new Set(shas.map((given) => given.toLowerCase()))) {
    const shown = /^[0-9a-f]{7,40}$/.test(sha) && ground.steps.some((step) => shows(step, sha));
    if (shown && (await ground.commitExists(sha))) known.push(sha);
    else faults.push(`fixedBy: ${sha.slice(0, 50)} is no commit that a step showed.`);
  }
  return known;
}

/** Only git tells of commits; who reports can write any id into the report. */
function shows(step: GroundStep, sha: string): boolean {
  return (
    isLookup(step) &&
    /^(?:history|compare|blame)\b/.test(step.action) &&
    step.result.toLowerCase().includes(sha.slice(0, 7))
  );
}
