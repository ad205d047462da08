// From red checks of one cause to a finding: its verdict with reasons, beside the base, the change under test and the history.
import { type CheckEvidence, type Judgement, judgeCheck } from '../../ci/judge.ts';
import { findTiesByName, findTiesInTree, isCertainTie, type Tie } from '../../ci/touches.ts';
import { type ChangedFiles, type Check, checkKey } from '../../core/check.ts';
import { EMPTY_EXCERPT, type Excerpt, type Finding, type HeadPlace } from '../../core/head.ts';
import { createId } from '../../core/ids.ts';
import { isSafePath } from '../../core/paths.ts';
import type { CheckId } from '../../db/store.ts';
import { type Look, saveSeen } from './look.ts';
import { type Comparison, createComparison, type Group, isOfOutsiders, type ReadSuspect } from './read-suspects.ts';
import { type Known, readKnown, type SeenAt, toHistory, toSeenAt } from './sightings.ts';

/** A finding that is not yet in the ledger. */
export interface Judged {
  readonly group: Group;
  readonly finding: Finding;
}

/** A judgement with what it leaves to be said of change and base. */
type GroupJudgement = Judgement & Sides;

type Sides = Pick<Finding, 'isTouched' | 'changed' | 'base'>;

const PASSED: GroupJudgement = {
  verdict: 'flaky',
  reasons: [{ code: 'passed_at_same_commit' }],
};

/** Asks for base and change only where there is something new to be judged. Throws what `Checks` throws. */
export async function judgeGroups(look: Look, place: HeadPlace, groups: readonly Group[]): Promise<readonly Judged[]> {
  if (groups.every((group) => !isNew(group))) {
    return await Promise.all(groups.map((group) => toJudged(look, group, judgeAgain(group))));
  }
  const { deps, project, head } = look;
  const where = toSeenAt(head.sha, place);
  const base = await readBase(look, place);
  const changed = await look.changed(place);
  const compare = createComparison(look, place);
  const findTies = createTieFinder(look, place);
  const judged: Judged[] = [];
  for (const found of groups) {
    if (!isNew(found)) {
      judged.push(await toJudged(look, found, judgeAgain(found)));
      continue;
    }
    const of = { projectId: project.id, fingerprint: found.fingerprint };
    const known = await readKnown(deps.store, of, where);
    const group = isNewToPeople(known) ? await compareGroup(found, compare) : found;
    const ties = await findGroupTies(group, changed, findTies);
    judged.push(await toJudged(look, group, judgeNew(group, { base, changed, ties, where, known })));
  }
  return judged;
}

async function findGroupTies(group: Group, changed: ChangedFiles | null, find: FindTies): Promise<Evidence['ties']> {
  const ties = new Map<ReadSuspect, readonly Tie[]>();
  for (const read of listRed(group)) ties.set(read, await find(read, changed));
  return ties;
}

function listRed({ reads }: Group): readonly ReadSuspect[] {
  return reads.filter(({ suspect }) => suspect.isRed);
}

function isNew({ before, suspects }: Group): boolean {
  return before === null && suspects.some(({ isRed }) => isRed);
}

/** Of what is open people were told; of what is closed they are told again. */
function isNewToPeople(known: Known | null): boolean {
  return known === null || known.failure.state === 'closed';
}

/** A check whose words are kept comes first, and tells for all, where a green run of it could be read beside it. */
async function compareGroup(group: Group, compare: Comparison): Promise<Group> {
  const kept = group.reads.find(({ said }) => said !== null);
  const beside = kept === undefined ? kept : await compare(kept);
  if (beside === undefined || beside === kept) return group;
  return { ...group, reads: [beside, ...group.reads.filter((read) => read !== kept)] };
}

/** What was judged stays so: the ledger has this head's own sightings by now. But for chance, which shows afterwards. */
function judgeAgain({ before, suspects, reads }: Group): GroupJudgement {
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

function judgeNew(group: Group, evidence: Evidence): GroupJudgement {
  const { fingerprint } = group;
  const { base, changed, where, known } = evidence;
  const judgements = listRed(group).map((red) => {
    const {
      suspect: { check, passedHere },
      read,
      words: { noLog },
    } = red;
    const { greenAt, ...itsBase } = base(check, fingerprint);
    const history = toHistory(known, where, greenAt);
    const judgement = judgeCheck({
      ...{ name: check.name, conclusion: check.conclusion, read, passedHere, base: itsBase, history, changed },
      ...{ ties: evidence.ties.get(red) ?? [], isOnDefault: where.isOnDefault, noLog },
    });
    return { judgement, weight: rankJudgement(judgement, itsBase.sameCause === true) };
  });
  const best = judgements.toSorted((a, b) => a.weight - b.weight)[0]?.judgement ?? PASSED;
  return { ...best, ...findSides(group, evidence) };
}

/** What is known for certain of change and base. */
function findSides(group: Group, { base, changed, ties }: Evidence): Sides {
  const { fingerprint } = group;
  const red = listRed(group);
  const states = new Set(red.map(({ suspect }) => base(suspect.check, fingerprint).state));
  const [state = 'unknown'] = states;
  return {
    ...(changed !== null && { changed: changed.paths.slice(0, MOST_CHANGED) }),
    ...(changed !== null && { isTouched: red.some((one) => (ties.get(one) ?? []).some(isCertainTie)) }),
    ...(states.size === 1 && state !== 'unknown' && { base: state }),
  };
}

/** One cause has one verdict. What is proven of one of its checks holds for all; that the base is red of who knows what cause does not. */
function rankJudgement({ verdict }: Judgement, isSameOnBase: boolean): number {
  if (verdict === 'base_broken') return isSameOnBase ? 0 : 4;
  return { flaky: 1, infrastructure: 2, code: 3, inconclusive: 5 }[verdict];
}

const MOST_CHECKS = 100;

const MOST_REASONS = 10;

const MOST_PLACES = 20;

const MOST_CHANGED = 300;

const MOST_MESSAGE = 500;

async function toJudged({ deps, project }: Look, group: Group, told: GroupJudgement): Promise<Judged> {
  const { verdict, reasons } = told;
  const { before, suspects } = group;
  const failure = await deps.store.findFailureByFingerprint(project.id, group.fingerprint);
  const shown = before ?? (await chooseShown(deps.redactor, group));
  const isInformative = group.reads.some(({ read }) => read.isInformative);
  const finding: Finding = {
    failureId: failure?.id ?? createId('fal'),
    checks: suspects
      .slice(0, MOST_CHECKS)
      .map(({ check: { name, app, runId, url }, isRed }) => ({ name, app, runId, url, isRed })),
    verdict,
    reasons:
      before?.verdict === verdict ? before.reasons : await deps.redactor.redactJson(reasons.slice(0, MOST_REASONS)),
    standing: before?.standing ?? (failure === null ? 'new' : 'known'),
    excerpt: shown.excerpt,
    ...pickSides(before),
    ...(await deps.redactor.redactJson(pickSides(told))),
    places: shown.places,
    investigationId: before?.investigationId ?? null,
    threadId: before?.threadId ?? null,
    isOwnThread: before?.isOwnThread ?? false,
    notBegun: before === null ? { code: isInformative ? 'pending' : 'uninformative' } : before.notBegun,
  };
  return { group, finding };
}

/** What is not known now was known at an earlier look, or never. */
function pickSides(of: Sides | null): Sides {
  const { isTouched, changed, base } = of ?? {};
  return {
    ...(isTouched !== undefined && { isTouched }),
    ...(changed !== undefined && { changed }),
    ...(base !== undefined && { base }),
  };
}

/** Of the check that tells most, the first of those that do. */
async function chooseShown(
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
  return await redactor.redactJson({ excerpt: toExcerpt(shown), places });
}

function toExcerpt({ read: { excerpt }, words }: ReadSuspect): Excerpt {
  return excerpt.lines.length === 0 && excerpt.cut === '' ? { ...excerpt, cut: words.noLog } : excerpt;
}

/**
 * Verdicts are kept before the ledger has the sightings: cut short after that, the next look would take this head's own for those of
 * others.
 */
export async function saveJudged(look: Look, place: HeadPlace, judged: readonly Judged[]): Promise<void> {
  if (judged.every(({ group }) => group.before !== null)) return;
  const findings = judged.map(({ finding }) => finding);
  const { leftOut, stillWaiting } = look.head;
  await saveSeen(look, { state: 'waiting', place, findings, leftOut, stillWaiting, endedAt: '' });
}

/** Of one check, by the fingerprint of its cause. `greenAt`: since when it is green there; "" where it is not. */
type BaseOf = (check: CheckId, fingerprint: string) => CheckEvidence['base'] & { readonly greenAt: string };

/** A push has no base but what stood there before, which the ledger knows. Throws what `Checks.of` throws. */
async function readBase(look: Look, place: HeadPlace): Promise<BaseOf> {
  if (place.kind !== 'pull_request') return () => ({ name: '', state: 'unknown', sameCause: null, greenAt: '' });
  const { sha } = place.base;
  const named = await look.deps.checks.of(look.project, sha, look.signal);
  const checks = new Map<string, Check>(named.map(({ latest }) => [checkKey(latest), latest]));
  const isRed = named.some(({ latest }) => latest.state === 'red');
  const causes = isRed ? await readCauses(look, sha) : [];
  return (check, fingerprint) => {
    const { state = 'waiting', endedAt = '' } = checks.get(checkKey(check)) ?? {};
    const known = state === 'red' ? causes.filter((cause) => isCauseOf(cause, check)) : [];
    return {
      name: check.name,
      state: state === 'waiting' ? 'unknown' : state,
      sameCause: known.length === 0 ? null : known.some((cause) => cause.fingerprint === fingerprint),
      greenAt: state === 'green' ? endedAt : '',
    };
  };
}

interface Cause {
  readonly name: string;
  readonly app?: string | undefined;
  readonly fingerprint: string;
}

function isCauseOf(cause: Cause, { app, name }: CheckId): boolean {
  return cause.name === name && (cause.app ?? app) === app;
}

/** Of red checks, where the base was judged as a head of its own. */
async function readCauses({ deps, project }: Look, sha: string): Promise<readonly Cause[]> {
  const causes: Cause[] = [];
  for (const { failureId, checks } of (await deps.store.findHeadOfCommit(project.id, sha))?.findings ?? []) {
    const failure = await deps.store.findFailure(failureId);
    if (failure === null) continue;
    const { fingerprint } = failure;
    causes.push(...checks.filter(({ isRed }) => isRed).map(({ app, name }) => ({ app, name, fingerprint })));
  }
  return causes;
}

/** For all checks of one look: the verdict waits for this, and does without it where a large repository is fetched for the first time. */
const LIMIT_MS = 20_000;

type FindTies = (red: ReadSuspect, changed: ChangedFiles | null) => Promise<readonly Tie[]>;

/**
 * For one look at a head. The commit is opened once at most, and never for outsiders, who could have any number of them fetched. A
 * repository that cannot be read delays no verdict. Throws the look's reason.
 */
function createTieFinder(look: Look, place: HeadPlace): FindTies {
  let hasFailed = false;
  let limit: AbortSignal | null = null;
  return async ({ read }, changed) => {
    const paths = changed?.paths ?? [];
    const named = findTiesByName(paths, read);
    // On the default branch the commits since it was green are compared instead.
    const isAsked =
      place.kind !== 'default' && !isOfOutsiders(place) && read.isInformative && read.infrastructure === null;
    if (named.length > 0 || paths.length === 0 || !isAsked || hasFailed) return named;
    limit ??= AbortSignal.timeout(LIMIT_MS);
    try {
      return await findTiesInCommit(look, { changed: paths, read }, AbortSignal.any([look.signal, limit]));
    } catch (error) {
      look.signal.throwIfAborted();
      hasFailed = true;
      look.deps.log.debug(
        { head: look.head.id, err: error },
        'failing tests were tied to the change by their names alone',
      );
      return named;
    }
  };
}

async function findTiesInCommit(
  { deps, project, head }: Look,
  failing: Parameters<typeof findTiesInTree>[1],
  signal: AbortSignal,
): Promise<readonly Tie[]> {
  const repository = await deps.source.open(project, signal);
  await repository.bring(head.sha, signal);
  return await findTiesInTree(repository.tree(head.sha), failing, signal);
}
