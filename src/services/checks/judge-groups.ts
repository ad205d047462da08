// From red checks of one cause to a finding: the verdict with its reasons, from the base, the change under test and the
// history.

import { formatHeadline, type LogPlace, matchError } from 'causeway-ci-log';
import { isSafePath } from 'causeway-paths';
import {
  type CheckEvidence,
  findLeaning,
  findTiesByName,
  findTiesInTree,
  isCertainTie,
  isDoubtfulTie,
  isSameFile,
  type Judgement,
  judgeCheck,
  listBesideFailing,
  listRedefined,
  type Tie,
} from '../../ci/index.ts';
import {
  type ChangedFiles,
  type ChangedSpan,
  EMPTY_EXCERPT,
  type Finding,
  type HeadPlace,
  type Leaning,
  type Reason,
} from '../../core/check/index.ts';
import { createFailureId } from '../../core/thread/index.ts';
import { isFromOutside } from './check-texts.ts';
import { createDocumentationFinder } from './find-documentation.ts';
import type { Look } from './look.ts';
import type { BaseChecks } from './read-base.ts';
import { createComparison, type Group, type ReadSuspect } from './read-suspects.ts';
import { type JudgedGroup, readKnownFailure, readTestHistories, toHistory, toSeenAt } from './sightings.ts';

/** A judgement with what is certain about the change and the base; absent: not known. */
type GroupJudgement = Judgement & Pick<Finding, 'isTouched' | 'changed' | 'reached' | 'base'>;

const PASSED: GroupJudgement = { verdict: 'flaky', reasons: [{ code: 'passed_at_same_commit' }] };

export async function judgeGroups(
  look: Look,
  place: HeadPlace,
  groups: readonly Group[],
  readBase: () => Promise<BaseChecks>,
): Promise<readonly JudgedGroup[]> {
  const judged: JudgedGroup[] = [];
  let judgeNew: NewJudge | null = null;
  for (const group of groups) {
    const isNew = group.before === null && group.suspects.some(({ isRed }) => isRed);
    // Base and change are read from GitHub only if something is new.
    if (isNew) judgeNew ??= await createNewJudge(look, place, readBase);
    const { group: known, judgement } =
      isNew && judgeNew ? await judgeNew(group) : { group, judgement: judgeAgain(group) };
    judged.push({ group: known, finding: await composeFinding(look, known, judgement) });
  }
  return judged;
}

/** A verdict stays: the ledger contains this commit's own sightings by now. Only flakiness shows later. */
function judgeAgain({ before, suspects, reads }: Group): GroupJudgement {
  const hasPassed = reads.some(({ suspect }) => suspect.isRed && suspect.passedHere);
  if (before === null || hasPassed || suspects.every(({ isRed }) => !isRed)) return PASSED;
  return before;
}

type NewJudge = (group: Group) => Promise<{ readonly group: Group; readonly judgement: GroupJudgement }>;

const MOST_CHANGED = 300;
const MOST_REACHED = 50;

async function createNewJudge(look: Look, place: HeadPlace, readBase: () => Promise<BaseChecks>): Promise<NewJudge> {
  const { services, project, head } = look;
  const where = toSeenAt(head.sha, place);
  const onBase = await readBase();
  const changed = await look.readChanged(place);
  const compare = createComparison(look, place, onBase);
  const findTies = createTieFinder(look, place, changed);
  const isDocumentation = createDocumentationFinder(look, place, changed);
  return async (found) => {
    const known = await readKnownFailure(services.store, project.id, found.fingerprint, where);
    // An open failure is known to people already.
    const isNews = known === null || known.failure.state === 'closed';
    const group = isNews ? await compareGroup(found, compare) : found;
    const red = group.reads.filter(({ suspect }) => suspect.isRed);
    const judgements: { readonly judgement: Judgement; readonly rank: number }[] = [];
    const bases = new Set<CheckEvidence['base']['state']>();
    const ties: Tie[] = [];
    for (const one of red) {
      const { check, passedHere } = one.suspect;
      const { greenAt, ...base } = onBase.compare(check, { fingerprint: group.fingerprint, excerpt: one.read.excerpt });
      const { ties: tied, leaning } = await findTies(one, base.state === 'unknown');
      const ofTests = await readTestHistories(look, one.read.excerpt.tests, where);
      const judgement = judgeCheck({
        name: check.name,
        conclusion: check.conclusion,
        read: one.read,
        noLog: one.noLog,
        passedHere,
        base,
        history: toHistory(known, where, greenAt),
        ofTests,
        changed,
        ties: tied,
        isUnreadDocumentation: await isDocumentation(one),
        leaning,
        isOnDefault: where.isOnDefault,
      });
      judgements.push({ judgement, rank: rankJudgement(judgement, base.sameCause === true) });
      bases.add(base.state);
      ties.push(...tied);
    }
    const best = judgements.toSorted((a, b) => a.rank - b.rank)[0]?.judgement ?? PASSED;
    const [base = 'unknown'] = bases;
    const judgement = {
      ...best,
      ...(changed !== null && { ...describeTies(changed, ties, group) }),
      ...(bases.size === 1 && base !== 'unknown' && { base }),
    };
    return { group, judgement };
  };
}

function describeTies({ paths: changed, lines = {} }: ChangedFiles, ties: readonly Tie[], { reads }: Group) {
  const certain = new Set(ties.filter(isCertainTie).map(({ path }) => path));
  const others = new Set(ties.map(({ path }) => path)).difference(certain);
  const places = reads.flatMap(({ read }) => read.places);
  const toReached = (isCertain: boolean) => (path: string) => {
    const named = places.find((place) => place.line > 0 && isSameFile(path, place.path));
    const spans = orderSpans(Object.hasOwn(lines, path) ? (lines[path] ?? []) : [], named);
    return { path, isCertain, ...(spans.length > 0 && { lines: spans }) };
  };
  return {
    changed: changed.slice(0, MOST_CHANGED),
    isTouched: certain.size > 0,
    reached: [...[...certain].map(toReached(true)), ...[...others].map(toReached(false))].slice(0, MOST_REACHED),
  };
}

const MOST_SPANS = 5;

/** The nearest to the line that the failure names; where it names none, as they stand. */
function orderSpans(spans: readonly ChangedSpan[], named: LogPlace | undefined): readonly ChangedSpan[] {
  const measure = ({ from, to }: ChangedSpan) =>
    named === undefined ? 0 : Math.max(from - named.line, named.line - to, 0);
  return spans.toSorted((a, b) => measure(a) - measure(b) || a.from - b.from).slice(0, MOST_SPANS);
}

/** The first check with stored texts represents the group, if it could be compared with a passing run. */
async function compareGroup(group: Group, compare: ReturnType<typeof createComparison>): Promise<Group> {
  const kept = group.reads.find(({ texts }) => texts !== null);
  if (kept === undefined) return group;
  const compared = await compare(kept);
  return compared === kept ? group : { ...group, reads: [compared, ...group.reads.filter((read) => read !== kept)] };
}

/**
 * One cause has one verdict, and what is proven of one check holds for all. A base that is red for an unknown cause
 * proves little.
 */
function rankJudgement({ verdict }: Judgement, isSameOnBase: boolean): number {
  if (verdict === 'base_broken') return isSameOnBase ? 0 : 4;
  return { flaky: 1, infrastructure: 2, code: 3, inconclusive: 5 }[verdict];
}

const MOST_CHECKS = 100;
const MOST_REASONS = 10;
const MOST_PLACES = 20;
const MOST_MESSAGE = 500;
const MOST_UNREAD = 5;

async function composeFinding(look: Look, group: Group, judgement: GroupJudgement): Promise<Finding> {
  const { store, redactor } = look.services;
  const { before, suspects, reads } = group;
  const checks = suspects
    .slice(0, MOST_CHECKS)
    .map(({ check: { name, app, runId, url }, isRed }) => ({ name, app, runId, url, isRed }));
  const { verdict, reasons } = await redactor.redactJson({
    verdict: judgement.verdict,
    reasons: judgement.reasons.slice(0, MOST_REASONS),
  });
  if (before !== null && before.verdict === verdict) return { ...before, checks };
  if (before !== null) {
    const { leaning: _, ...kept } = before;
    return { ...kept, checks, verdict, reasons };
  }
  const failure = await store.findFailureByFingerprint(look.project.id, group.fingerprint);
  const { isTouched, changed, reached, base, leaning } = judgement;
  const isInformative = reads.some(({ read }) => read.isInformative);
  const unread = reads.flatMap((one) => one.unread).slice(0, MOST_UNREAD);
  return {
    failureId: failure?.id ?? createFailureId(look.services.memory, look.project, group.fingerprint),
    checks,
    verdict,
    reasons,
    standing: failure === null ? 'new' : 'known',
    ...(isTouched !== undefined && { isTouched }),
    ...(changed !== undefined && { changed: await redactor.redactJson(changed) }),
    ...(reached !== undefined && { reached: await redactor.redactJson(reached) }),
    ...(base !== undefined && { base }),
    ...(leaning !== undefined && { leaning: await redactor.redactJson(leaning) }),
    ...(unread.length > 0 && { unread }),
    ...(await redactor.redactJson(leadWithTouched(chooseExcerpt(reads), judgement.reasons))),
    investigationId: null,
    threadId: null,
    isOwnThread: false,
    notBegun: { code: isInformative ? 'pending' : 'uninformative' },
  };
}

/** Of the most informative check. */
function chooseExcerpt(reads: readonly ReadSuspect[]): Said {
  const shown = reads.find(({ read }) => read.isInformative) ?? reads[0];
  if (shown === undefined) return { excerpt: EMPTY_EXCERPT, places: [] };
  const { excerpt, firstTest } = shown.read;
  const isEmpty = excerpt.lines.length === 0 && excerpt.cut === '';
  const places = shown.read.places
    .filter(({ path }) => isSafePath(path))
    .slice(0, MOST_PLACES)
    .map(({ path, line, message, isMarked }) => ({
      path,
      line,
      message: message.slice(0, MOST_MESSAGE),
      ...(isMarked === true && { isMarked }),
    }));
  return {
    excerpt: isEmpty ? { ...excerpt, cut: shown.noLog } : excerpt,
    places,
    ...(firstTest !== null && { firstTest }),
  };
}

type Said = Pick<Finding, 'excerpt' | 'places' | 'firstTest'>;

/**
 * A log may have several errors, and the change is not the cause of each: the first error that is shown beside “your
 * change” is one in a file that it touches.
 */
function leadWithTouched(said: Said, reasons: readonly Reason[]): Said {
  const { excerpt, places } = said;
  const paths = reasons.flatMap((reason) => (reason.code === 'touched' ? reason.paths : []));
  const isTouched = ({ path }: Said['places'][number]) => paths.some((touched) => isSameFile(touched, path));
  const toHeadline = ({ message }: Said['places'][number]) => formatHeadline(message.split('\n', 1)[0] ?? '');
  const led = places.find((place) => toHeadline(place) === excerpt.headline);
  const own = places.find((place) => isTouched(place) && isFailureText(toHeadline(place)));
  if (led === undefined || own === undefined || isTouched(led)) return said;
  return { ...said, excerpt: { ...excerpt, headline: toHeadline(own) } };
}

/** A frame names a place and no error. */
function isFailureText(text: string): boolean {
  const kind = matchError(text, false)?.kind;
  return kind === 'error' || kind === 'verdict';
}

/**
 * For all checks of one look; the first fetch of a large repository may take longer, and the verdict does without it.
 */
const TIES_MS = 20_000;

interface Tied {
  readonly ties: readonly Tie[];
  readonly leaning: Leaning | null;
}

/**
 * Finds what ties a failing check to the change: by names, or else by what the tests of the commit use; and what it
 * leans to where none of that is certain and the base says nothing. The commit is opened once at most, and never for
 * outsiders, who could have any number of commits fetched.
 */
function createTieFinder(
  { services, project, head, signal }: Look,
  place: HeadPlace,
  changed: ChangedFiles | null,
): (red: ReadSuspect, isOpen: boolean) => Promise<Tied> {
  const paths = changed?.paths ?? [];
  const base = place.kind === 'pull_request' ? place.base.sha : null;
  // On the default branch the commits since it was green are compared instead.
  let maySearch = paths.length > 0 && place.kind !== 'default' && !isFromOutside(place);
  let limit: AbortSignal | null = null;
  return async ({ read }, isOpen) => {
    let ties = findTiesByName(paths, read);
    const doubtful = ties.filter(isDoubtfulTie).map(({ path }) => path);
    const isClear = ties.length > doubtful.length;
    if (isClear || !maySearch || !read.isInformative || read.infrastructure !== null) return { ties, leaning: null };
    limit ??= AbortSignal.timeout(TIES_MS);
    const until = AbortSignal.any([signal, limit]);
    try {
      const repository = await services.source.open(project, until);
      await repository.ensureCommit(head.sha, until);
      const tree = repository.tree(head.sha);
      const isBaseWanted = base !== null && (isOpen || doubtful.length > 0);
      const before = isBaseWanted && (await repository.ensureCommit(base, until)) ? repository.tree(base) : null;
      const beside = before === null ? [] : await listBesideFailing({ before, after: tree }, doubtful, read, until);
      if (beside.length < doubtful.length) return { ties, leaning: null };
      ties = await findTiesInTree(tree, { changed: paths, read, beside }, until);
      if (!isOpen || ties.some(isCertainTie)) return { ties, leaning: null };
      const listNames = async (path: string) => (before === null ? [] : listRedefined(before, tree, path, until));
      return { ties, leaning: await findLeaning(tree, { changed: paths, read, listRedefined: listNames }, until) };
    } catch (error) {
      signal.throwIfAborted();
      maySearch = false;
      services.log.debug(
        { head: head.id, err: error },
        'failed to search the tests of a commit; what was found before counts',
      );
      return { ties, leaning: null };
    }
  };
}
