// Gathers what can be known without a model: signals, the commit, suspects, and a closer look at the first ones.

import type { ReadLog } from 'causeway-ci-log';
import type { CommitInfo, Repository, SourceTree } from 'causeway-git-objects';
import type { CommitRange } from '../core/check/index.ts';
import type { ReportClaim } from '../core/issue/index.ts';
import { isReliable } from '../core/issue/index.ts';
import type { Scope } from '../core/project/index.ts';
import type { SourcedStep } from '../core/report/index.ts';
import type { Lexicon } from '../core/source/index.ts';
import { checkClaims, recordClaims } from './claims/check-claims.ts';
import type { ClaimedCommit } from './claims/check-places.ts';
import {
  type Clue,
  createFrameClues,
  findMessageClues,
  findNamedPathClues,
  findQuotedClues,
  findTestedClues,
  followMessages,
  isFirm,
  type MappedFrame,
  mapTraces,
} from './clues.ts';
import { describeFrames, describeLog, describeRevision, describeSignals, describeSuspects } from './describe-steps.ts';
import { type Examined, examinePlace } from './examine.ts';
import { addFunctions, findSuspectFunctions } from './functions/rank-functions.ts';
import type { Facts } from './gathered-facts.ts';
import { type OpenedIndex, openIndex, rankFiles } from './localise/rank-files.ts';
import { createNotebook, type Lookups, runSideBySide } from './lookups.ts';
import {
  examineOther,
  findOtherSuspects,
  mergeSuspects,
  type OtherSource,
  type OtherSuspect,
} from './other-repositories.ts';
import { classifyFile, isVendored, listVendoredFolders } from './own-code.ts';
import { readOwnPackages } from './own-packages.ts';
import { findMeantPlaces } from './passing-mentions.ts';
import { createPathIndex, type Ground, listPaths } from './paths.ts';
import { rankRange } from './rank-commits.ts';
import { carryClues, placeSuspects, rankSuspects, sayOfFile, selectShownSuspects } from './rank-suspects.ts';
import type { RankedSuspect } from './ranked.ts';
import { createReferenceClues, findReferences, type Reference, recordReferences } from './references.ts';
import { readsAsWish } from './report-text.ts';
import { findExpectations, findReproductionSteps } from './reproduction.ts';
import { type Revisions, readHead, resolveAsked, resolveRevisions } from './resolve-revision.ts';
import { findSignals, type Signals } from './signals.ts';
import { writeStatement, writeStatementOfLogs } from './statement.ts';
import { findBundles, mapBundled } from './traces/bundled-frames.ts';
import { fitFrames } from './traces/fit-frames.ts';
import { markRaising } from './traces/raising-functions.ts';
import { createRangeClues, findVersionRange, recordVersionRange, type VersionRange } from './version-range.ts';

/** Files of which it is said which commits between two versions touched them. */
const NEAR = 3;

/** Files that were ranked after these are not shown. */
const MAY_BE_BUNDLES = 10;

export interface GatherInput {
  /** What is looked up. */
  readonly report: string;
  /** What people wrote of it; absent: all. */
  readonly words?: string;
  /** What its logs say, the most informative first; absent: there are none. */
  readonly logs?: readonly ReadLog[];
  /** Of a failure: the commits since its check was green. Absent or null: not known. */
  readonly range?: CommitRange | null;
  /** Whether nobody wrote it: it is what a check printed. Absent: no. */
  readonly isCheck?: boolean;
  /** Branch, tag or sha; "" is the default branch. */
  readonly revision: string;
  readonly repository: Repository;
  /** The parts of the repository that the report is about; absent or empty: not known. */
  readonly scopes?: readonly Scope[];
  /** Other repositories that may be read; absent: none. */
  readonly others?: readonly OtherSource[];
  /** What is kept of the repository's files and commits to compare them with the report. */
  readonly lexicon: Lexicon;
  /** Called for each step as it is taken; awaited. */
  readonly onStep: (step: SourcedStep) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Throws `revision_not_found`, what the repository throws, and the signal's reason when aborted. A fact that cannot be
 * found becomes a step that says so.
 */
export async function gatherFacts(input: GatherInput): Promise<Facts> {
  const { repository, signal, words = input.report, logs = [] } = input;
  const notebook = createNotebook(input.onStep);
  const asked = await resolveAsked(repository, input.revision, signal);
  const index = openIndex(input.lexicon, repository.tree(asked), signal);
  for (const log of logs) await notebook.record(describeLog(log));
  const signals = findSignals(input.report);
  await notebook.record(describeSignals(signals, input.report));
  const commit = { repository, tree: repository.tree(asked), notebook, signal };
  const [lookups, head] = await Promise.all([openCommit(commit), readHead(commit)]);
  const ownNames = lookups.ground.packages.map(({ name }) => name);
  const revisions = await resolveRevisions({ ...input, ownNames, signals }, signal);
  await notebook.record(describeRevision(revisions, signals, head));
  const meant = findMeantPlaces(input.report);
  const traced = await traceLookups(lookups, revisions, { signals, meant, index });
  const [references, between, named, claims] = await runSideBySide(
    lookups,
    (own) => findReferences(own, input.report),
    (own) => findVersionRange(own, { report: input.report, revisions }),
    (own) => findTextClues(own, { signals, meant }),
    (own) =>
      input.isCheck === true ? Promise.resolve([]) : checkReport(own, { report: input.report, signals, traced }),
  );
  const clues = [...traced.clues, ...named];
  const found = await findSuspects({ ...input, index }, { lookups, signals, traced, clues, references, between });
  const outside = findOutside(traced.mapped);
  const others = await findOtherSuspects(lookups, { signals, mapped: traced.mapped }, input.others ?? []);
  const shown = mergeSuspects<RankedSuspect>(selectShownSuspects(found.suspects, outside), others);
  await notebook.record(describeSuspects(shown, { ranked: found.suspects.length, revision: asked, outside }));
  const { report, range = null } = input;
  const told = { report, traces: signals.traces, mapped: traced.mapped, suspects: shown };
  const ranking = range && (await rankRange(lookups, { ...told, range }));
  const [suspect] = shown;
  const names = signals.identifiers.map(({ name, qualifier }) => (qualifier === '' ? name : `${qualifier}.${name}`));
  const files = shown.map(({ file }) => file);
  const [, , examined] = await runSideBySide(
    lookups,
    (own) => recordReferences(own, references),
    (own) => recordVersionRange(own, between, files.slice(0, NEAR)),
    async (own) =>
      suspect
        ? examineSuspect(own, {
            suspect,
            others: files.slice(1),
            functions: found.functions,
            names,
            report,
            isDoubtful: !isReliable(suspect),
          })
        : null,
  );
  return {
    revisions,
    defaultBranch: repository.defaultBranch,
    signals,
    logs,
    problem: logs.length === 0 ? writeStatement(words, signals) : writeStatementOfLogs(words, logs),
    isOnlyLog: logs.length > 0 && words.trim() === '',
    isWish: logs.length === 0 && readsAsWish(words, signals),
    stepsToReproduce: findReproductionSteps(words),
    expectations: findExpectations(words),
    suspects: [...others, ...found.suspects],
    shown,
    functions: found.functions,
    callers: findCallers(traced.mapped),
    examined,
    ranking,
    between,
    claims,
    dependencies: findDependencies(traced.mapped.flat()),
    mismatches: [...found.mismatches, ...traced.lost],
    removals: traced.removals,
    steps: notebook.steps,
  };
}

/** What the report names, at the commit that it is about. */
async function checkReport(
  lookups: Lookups,
  { report, signals, traced }: { readonly report: string; readonly signals: Signals; readonly traced: TraceFacts },
): Promise<readonly ReportClaim[]> {
  const { mapped, at } = traced;
  const claims = await checkClaims({ ...lookups, ground: at.ground }, { report, signals, mapped, at });
  await recordClaims(lookups, claims, at.name);
  return claims;
}

async function examineSuspect(
  lookups: Lookups,
  input: Omit<Parameters<typeof examinePlace>[1], 'suspect'> & { readonly suspect: RankedSuspect | OtherSuspect },
): Promise<Examined> {
  const { suspect } = input;
  return 'at' in suspect ? await examineOther(suspect, lookups.notebook, input) : await examinePlace(lookups, input);
}

interface Traced {
  readonly lookups: Lookups;
  readonly signals: Signals;
  readonly traced: TraceFacts;
  /** Of the traces, and of what else the report names. */
  readonly clues: readonly Clue[];
  readonly references: readonly Reference[];
  readonly between: VersionRange | null;
}

/**
 * Ranked by what points at them, then each placed: at the function that the report is likeliest about, unless a place
 * is named.
 */
async function findSuspects(
  input: Pick<GatherInput, 'report' | 'scopes'> & { readonly index: Promise<OpenedIndex> },
  { lookups, signals, traced, clues: named, references, between }: Traced,
): Promise<Pick<Facts, 'suspects' | 'functions' | 'mismatches'>> {
  const report = { ...signals, report: input.report, mapped: traced.mapped };
  const index = await input.index;
  const clues = [...named, ...createReferenceClues(references, index.history.commits)];
  const { scopes = [] } = input;
  const files = await rankFiles({ lookups, ...index, report, clues, scopes });
  const first = files.slice(0, MAY_BE_BUNDLES).map(({ path }) => path);
  const bundles = await findBundles(lookups, first, async () => index.lexicon);
  // What changed between two versions orders what was found; it finds nothing by itself.
  const all = [...clues, ...createRangeClues(between)].filter((clue) => isFirm(clue) || !bundles.has(clue.path));
  const sources = files.filter(({ path }) => !bundles.has(path));
  const ranked = rankSuspects(all, sources);
  const { suspects, mismatches, beyond } = await placeSuspects(lookups, ranked, listUnsurePaths(traced.mapped.flat()));
  const found = await findSuspectFunctions({
    lookups,
    report,
    suspects,
    linesHold: traced.linesHold,
    outside: findOutside(traced.mapped),
  });
  const functions = found.filter(({ path }) => !beyond.has(path));
  return { suspects: addFunctions(suspects, functions).map(sayOfFile), functions, mismatches };
}

async function openCommit(commit: Omit<Lookups, 'ground'>): Promise<Lookups> {
  const { tree, signal } = commit;
  const index = createPathIndex(await tree.files(signal));
  const packages = await readOwnPackages(tree, index, signal);
  // Hits there belong to other projects, and searching them took eight times as long as searching the project's own files.
  const without = listVendoredFolders(index.paths);
  const search: SourceTree['search'] = (query, until) => tree.search({ ...query, without }, until);
  return { ...commit, tree: { ...tree, search }, ground: { index, packages } };
}

interface NamedPlaces {
  readonly signals: Signals;
  /** Keys of the places that are more than a passing mention in the report. */
  readonly meant: ReadonlySet<string>;
}

interface TraceFacts {
  readonly clues: readonly Clue[];
  readonly mapped: readonly (readonly MappedFrame[])[];
  /** Whether the lines of `mapped` are those of the requested commit. */
  readonly linesHold: boolean;
  readonly lost: readonly string[];
  readonly removals: readonly CommitInfo[];
  /** The commit that the report is about, with its name for people. */
  readonly at: ClaimedCommit;
}

/**
 * Frames and places with lines are read at the commit that the report is about, then carried over to the one asked
 * for.
 */
async function traceLookups(
  lookups: Lookups,
  revisions: Revisions,
  { signals, meant, index }: NamedPlaces & { readonly index: Promise<OpenedIndex> },
): Promise<TraceFacts> {
  const { traces } = signals;
  const other = revisions.framesName === '' ? null : lookups.repository.tree(revisions.frames);
  const ground: Ground = other
    ? { ...lookups.ground, index: createPathIndex(await other.files(lookups.signal)) }
    : lookups.ground;
  const direct = mapTraces(ground, traces);
  const here = { ...lookups, tree: other ?? lookups.tree, ground };
  // The index is of the requested commit.
  const mapped = other ? direct : await mapBundled(here, direct, async () => (await index).lexicon);
  if (traces.length > 0) await lookups.notebook.record(describeFrames(traces, mapped, revisions));
  const placed = findNamedPathClues(ground, { places: signals.places, paths: [] }, meant);
  const framed = { tree: other ?? lookups.tree, name: revisions.framesName };
  const fitted = await fitFrames(here, mapped);
  const raising = await markRaising(here, fitted.mapped);
  const found = [...createFrameClues(traces, raising), ...placed];
  const carried = await carryClues(lookups, framed, found);
  const { lost, removals } = fitted;
  return {
    clues: carried.clues,
    lost: [...carried.lost, ...lost],
    removals,
    mapped: copyRaising(mapped, raising),
    linesHold: other === null,
    // Not narrowed to the project's own folders: what is called absent is in no file.
    at: {
      tree: lookups.repository.tree(other?.revision ?? lookups.tree.revision),
      ground,
      name: revisions.framesName || revisions.askedName,
    },
  };
}

/** `from`: the same frames, with other lines. */
function copyRaising(
  mapped: readonly (readonly MappedFrame[])[],
  from: readonly (readonly MappedFrame[])[],
): readonly (readonly MappedFrame[])[] {
  return mapped.map((frames, trace) =>
    frames.map((one, at) => (from[trace]?.[at]?.raises ? { ...one, raises: true } : one)),
  );
}

async function findTextClues(lookups: Lookups, { signals, meant }: NamedPlaces): Promise<readonly Clue[]> {
  const { ground } = lookups;
  const named = findNamedPathClues(ground, { places: [], paths: signals.paths }, meant);
  const tests = [
    ...mapTraces(ground, signals.traces).flatMap((frames) =>
      frames.flatMap(({ mapping }) => (mapping.kind === 'own' ? [mapping.path] : [])),
    ),
    ...named.map(({ path }) => path),
  ].filter((path) => classifyFile(path) === 'test');
  const [messages, quoted] = await runSideBySide(
    lookups,
    async (own) => followMessages(own, await findMessageClues(own, signals)),
    (own) => findQuotedClues(own, signals.quoted),
  );
  return [...named, ...findTestedClues(ground.index, tests), ...messages, ...quoted];
}

function listUnsurePaths(mapped: readonly MappedFrame[]): ReadonlySet<string> {
  return new Set(mapped.flatMap(({ mapping }) => (mapping.kind === 'ambiguous' ? mapping.paths : [])));
}

function findCallers(mapped: readonly (readonly MappedFrame[])[]): ReadonlySet<string> {
  const own = mapped.map((frames) =>
    frames.flatMap(({ mapping }) => listPaths(mapping)).filter((path) => !isVendored(path)),
  );
  return new Set(own.flatMap((paths) => paths.slice(1))).difference(new Set(own.flatMap((paths) => paths.slice(0, 1))));
}

/** The dependencies that all frames of the traces lie in; none where a frame may be of this repository. */
function findOutside(mapped: readonly (readonly MappedFrame[])[]): readonly string[] {
  const frames = mapped.flat();
  const isOutside = frames.every(({ mapping }) => mapping.kind === 'dependency' || mapping.kind === 'runtime');
  return isOutside ? findDependencies(frames) : [];
}

function findDependencies(mapped: readonly MappedFrame[]): readonly string[] {
  return [...new Set(mapped.flatMap(({ mapping }) => (mapping.kind === 'dependency' ? [mapping.of] : [])))];
}
