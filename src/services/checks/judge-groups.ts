// From red checks of one cause to a finding: its verdict with reasons, whether it was seen before, and what is shown of it.

import type { Judgement } from '../../ci/judge.ts';
import { judgeCheck } from '../../ci/judge.ts';
import { isCertainTie, type Tie } from '../../ci/touches.ts';
import type { ChangedFiles } from '../../core/check.ts';
import { EMPTY_EXCERPT, type Excerpt, type Finding, type HeadPlace } from '../../core/head.ts';
import { newId } from '../../core/ids.ts';
import { isSafePath } from '../../core/paths.ts';
import { type BaseOf, readBase } from './base-checks.ts';
import { type Comparison, comparisonOf } from './compare-passing.ts';
import type { Look } from './deps.ts';
import { historyOf, type Known, knownOf } from './history.ts';
import type { Group, ReadSuspect } from './read-suspects.ts';
import { type SeenAt, seenAt } from './sighting-of.ts';
import { createTieFinder, type FindTies } from './tie-tests.ts';
import { NOT_YET, UNTELLING } from './why-not-begun.ts';

/** A finding that is not yet in the ledger. */
export interface Judged {
  readonly group: Group;
  readonly finding: Finding;
}

/** A judgement with what it leaves to be said of change and base. */
type Told = Judgement & Sides;
type Sides = Pick<Finding, 'isTouched' | 'changed' | 'base'>;

const PASSED: Told = {
  verdict: 'flaky',
  reasons: [{ code: 'passed_at_same_commit' }],
};

/** Asks for base and change only where there is something new to be judged. Throws what `Checks` throws. */
export async function judgeGroups(look: Look, place: HeadPlace, groups: readonly Group[]): Promise<readonly Judged[]> {
  if (groups.every((group) => !isNew(group))) {
    return await Promise.all(groups.map((group) => judgedAs(look, group, judgedAgain(group))));
  }
  const { deps, project, head } = look;
  const where = seenAt(head.sha, place);
  const base = await readBase(look, place);
  const changed = await look.changed(place);
  const compare = comparisonOf(look, place);
  const findTies = createTieFinder(look, place);
  const judged: Judged[] = [];
  for (const found of groups) {
    if (!isNew(found)) {
      judged.push(await judgedAs(look, found, judgedAgain(found)));
      continue;
    }
    const of = { projectId: project.id, fingerprint: found.fingerprint };
    const known = await knownOf(deps.store, of, where);
    const group = isUntold(known) ? await compared(found, compare) : found;
    const ties = await tiesOf(group, changed, findTies);
    judged.push(await judgedAs(look, group, judgeNew(group, { base, changed, ties, where, known })));
  }
  return judged;
}

async function tiesOf(group: Group, changed: ChangedFiles | null, find: FindTies): Promise<Evidence['ties']> {
  const ties = new Map<ReadSuspect, readonly Tie[]>();
  for (const read of redOf(group)) ties.set(read, await find(read, changed));
  return ties;
}

function redOf({ reads }: Group): readonly ReadSuspect[] {
  return reads.filter(({ suspect }) => suspect.isRed);
}

function isNew({ before, suspects }: Group): boolean {
  return before === null && suspects.some(({ isRed }) => isRed);
}

/** Of what is open people were told; of what is closed they are told again. */
function isUntold(known: Known | null): boolean {
  return known === null || known.failure.state === 'closed';
}

/** A check whose words are kept comes first, and tells for all, where a green run of it could be read beside it. */
async function compared(group: Group, compare: Comparison): Promise<Group> {
  const kept = group.reads.find(({ said }) => said !== null);
  const beside = kept === undefined ? kept : await compare(kept);
  if (beside === undefined || beside === kept) return group;
  return { ...group, reads: [beside, ...group.reads.filter((read) => read !== kept)] };
}

/** What was judged stays so: the ledger has this head's own sightings by now. But for chance, which shows afterwards. */
function judgedAgain({ before, suspects, reads }: Group): Told {
  const hasPassed = reads.some(({ suspect }) => suspect.isRed && suspect.passedHere);
  if (before === null || hasPassed || suspects.every(({ isRed }) => !isRed)) return PASSED;
  return before;
}

interface Evidence {
  readonly base: BaseOf;
  readonly changed: ChangedFiles | null;
  /** Of each red check. */
  readonly ties: ReadonlyMap<ReadSuspect, readonly Tie[]>;
  readonly where: SeenAt;
  /** Null: it was never seen. */
  readonly known: Known | null;
}

function judgeNew(group: Group, evidence: Evidence): Told {
  const { fingerprint } = group;
  const { base, changed, where, known } = evidence;
  const judgements = redOf(group).map((red) => {
    const {
      suspect: { check, passedHere },
      read,
      words: { noLog },
    } = red;
    const { greenAt, ...itsBase } = base(check, fingerprint);
    const history = historyOf(known, where, greenAt);
    const judgement = judgeCheck({
      ...{ name: check.name, conclusion: check.conclusion, read, passedHere, base: itsBase, history, changed },
      ...{ ties: evidence.ties.get(red) ?? [], isOnDefault: where.isOnDefault, noLog },
    });
    return { judgement, weight: weightOf(judgement, itsBase.sameCause === true) };
  });
  const best = judgements.toSorted((a, b) => a.weight - b.weight)[0]?.judgement ?? PASSED;
  return { ...best, ...sidesOf(group, evidence) };
}

/** What is known for certain of change and base. */
function sidesOf(group: Group, { base, changed, ties }: Evidence): Sides {
  const { fingerprint } = group;
  const red = redOf(group);
  const states = new Set(red.map(({ suspect }) => base(suspect.check, fingerprint).state));
  const [state = 'unknown'] = states;
  return {
    ...(changed !== null && { changed: changed.paths.slice(0, MOST_CHANGED) }),
    ...(changed !== null && { isTouched: red.some((one) => (ties.get(one) ?? []).some(isCertainTie)) }),
    ...(states.size === 1 && state !== 'unknown' && { base: state }),
  };
}

/** One cause has one verdict. What is proven of one of its checks holds for all; that the base is red of who knows what cause does not. */
function weightOf({ verdict }: Judgement, isSameOnBase: boolean): number {
  if (verdict === 'base_broken') return isSameOnBase ? 0 : 4;
  return { flaky: 1, infrastructure: 2, code: 3, inconclusive: 5 }[verdict];
}

const MOST_CHECKS = 100;
const MOST_REASONS = 10;
const MOST_PLACES = 20;
const MOST_CHANGED = 300;
const MOST_MESSAGE = 500;

async function judgedAs({ deps, project }: Look, group: Group, told: Told): Promise<Judged> {
  const { verdict, reasons } = told;
  const { before, suspects } = group;
  const failure = await deps.store.failureOf(project.id, group.fingerprint);
  const shown = before ?? (await shownOf(deps.redactor, group));
  const finding: Finding = {
    failureId: failure?.id ?? newId('fal'),
    checks: suspects
      .slice(0, MOST_CHECKS)
      .map(({ check: { name, app, runId, url }, isRed }) => ({ name, app, runId, url, isRed })),
    verdict,
    reasons:
      before?.verdict === verdict ? before.reasons : await deps.redactor.redactJson(reasons.slice(0, MOST_REASONS)),
    standing: before?.standing ?? (failure === null ? 'new' : 'known'),
    excerpt: shown.excerpt,
    ...knownSides(before),
    ...(await deps.redactor.redactJson(knownSides(told))),
    places: shown.places,
    investigationId: before?.investigationId ?? null,
    threadId: before?.threadId ?? null,
    isOwnThread: before?.isOwnThread ?? false,
    notBegun: before?.notBegun ?? (group.reads.some(({ read }) => read.isInformative) ? NOT_YET : UNTELLING),
  };
  return { group, finding };
}

/** What is not known now was known at an earlier look, or never. */
function knownSides(of: Sides | null): Sides {
  const { isTouched, changed, base } = of ?? {};
  return {
    ...(isTouched !== undefined && { isTouched }),
    ...(changed !== undefined && { changed }),
    ...(base !== undefined && { base }),
  };
}

/** Of the check that tells most, the first of those that do. */
async function shownOf(
  redactor: Look['deps']['redactor'],
  { reads }: Group,
): Promise<Pick<Finding, 'excerpt' | 'places'>> {
  const shown = reads.find(({ read }) => read.isInformative) ?? reads[0];
  if (shown === undefined) return { excerpt: EMPTY_EXCERPT, places: [] };
  const places = shown.read.places
    .filter(({ path }) => isSafePath(path))
    .slice(0, MOST_PLACES)
    .map(({ path, line, message, isMarked }) => ({
      ...{ path, line, message: message.slice(0, MOST_MESSAGE) },
      ...(isMarked === true && { isMarked }),
    }));
  return await redactor.redactJson({ excerpt: excerptOf(shown), places });
}

function excerptOf({ read: { excerpt }, words }: ReadSuspect): Excerpt {
  return excerpt.lines.length === 0 && excerpt.cut === '' ? { ...excerpt, cut: words.noLog } : excerpt;
}
